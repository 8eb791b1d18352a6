"""Known mistakes of the mask of `chunk_backward`, and what all its mistakes are made of."""

import math

import torch
from torch import Tensor

from .chunk_backward import exercise


class Backward:
    """One chunk after the other; the mistakes differ from this in one method."""

    def __init__(self, query: Tensor, key: Tensor, value: Tensor, output: Tensor,
                 grad_output: Tensor, log_sum: Tensor, chunk: int, causal: bool):  # fmt: skip
        self.query, self.key, self.value = query, key, value
        self.output, self.grad_output, self.log_sum = output, grad_output, log_sum
        self.chunk, self.causal = chunk, causal
        self.root = math.sqrt(query.size(-1))

    def shared(self, weights: Tensor, slopes: Tensor) -> Tensor | float:
        """What the softmax takes off the gradients of a row's weights."""
        return (self.grad_output * self.output).sum(-1, keepdim=True)

    def scores(self, key: Tensor) -> Tensor:
        return self.query @ key.mT / self.root

    def later(self, start: int, keys: int) -> Tensor:
        position = torch.arange(self.query.size(-2), device=self.query.device)[:, None]
        return torch.arange(start, start + keys, device=self.query.device) > position

    def weights(self, start: int, key: Tensor) -> Tensor:
        weights = (self.scores(key) - self.log_sum[..., None]).exp()
        if self.causal:
            weights = weights.masked_fill(self.later(start, key.size(-2)), 0.0)
        return weights

    def behind(self, weights: Tensor, slopes: Tensor) -> Tensor:
        """The gradients of the plain dot products."""
        return weights * (slopes - self.shared(weights, slopes)) / self.root

    def chunks(self):
        for start in range(0, self.key.size(-2), self.chunk):
            at = slice(start, start + self.chunk)
            key, value = self.key[..., at, :], self.value[..., at, :]
            weights = self.weights(start, key)
            grad_scores = self.behind(weights, self.grad_output @ value.mT)
            yield (grad_scores @ key, grad_scores.mT @ self.query,
                   weights.mT @ self.grad_output)  # fmt: skip

    def run(self) -> tuple[Tensor, Tensor, Tensor]:
        of_query, of_key, of_value = zip(*self.chunks(), strict=True)
        return sum(of_query), torch.cat(of_key, -2), torch.cat(of_value, -2)


@exercise.misconception(
    "The forward pass was causal, and on the way back every query sees every key. A key that "
    "was masked gets no gradient from that query."
)
def forgets_the_mask_on_the_way_back(*inputs):
    class Wrong(Backward):
        def later(self, start, keys):
            return super().later(start, keys) & False

    return Wrong(*inputs).run()


@exercise.misconception(
    "Each chunk has its own causal mask, which starts anew at its corner. Which number does "
    "the first key of a chunk have in the sequence?"
)
def starts_the_mask_anew(*inputs):
    class Wrong(Backward):
        def later(self, start, keys):
            return super().later(0, keys)

    return Wrong(*inputs).run()


@exercise.misconception(
    "With other numbers of queries than of keys your mask is shifted: it ends in the lower right "
    "corner. On the way forward query 0 saw key 0 only, however many keys there are."
)
def aligns_the_mask_at_the_end(*inputs):
    class Wrong(Backward):
        def later(self, start, keys):
            return super().later(start - self.key.size(-2) + self.query.size(-2), keys)

    return Wrong(*inputs).run()


@exercise.misconception(
    "A masked score is 0 when its exponential is taken, and the weight is not. What has to be "
    "masked so that a weight is 0: the score with which number, or the weight itself?"
)
def gives_masked_scores_the_value_0(*inputs):
    class Wrong(Backward):
        def weights(self, start, key):
            scores = self.scores(key)
            if self.causal:
                scores = scores.masked_fill(self.later(start, key.size(-2)), 0.0)
            return (scores - self.log_sum[..., None]).exp()

    return Wrong(*inputs).run()


@exercise.misconception(
    "The gradients of query and key are right. That of value takes weights of keys that the query "
    "could not see: the mask belongs to the weights, before either use of them."
)
def forgets_the_mask_for_the_values(*inputs):
    class Unmasked(Backward):
        def later(self, start, keys):
            return super().later(start, keys) & False

    of_query, of_key, _ = Backward(*inputs).run()
    return of_query, of_key, Unmasked(*inputs).run()[2]


@exercise.misconception(
    "Your chunks are right, but the mask is made for all queries and all keys. Which part of "
    "it does a chunk need?"
)
def makes_the_whole_mask(query, key, value, output, grad_output, log_sum, chunk, causal):
    class Wrong(Backward):
        whole = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool).triu(1).to(query.device)

        def later(self, start, keys):
            return self.whole[:, start : start + keys]

    return Wrong(query, key, value, output, grad_output, log_sum, chunk, causal).run()


@exercise.misconception(
    "A mask is multiplied in. A score that is masked can be far above `log_sum`: its exponential "
    "is infinite, and infinity times 0 is NaN. What can be filled in instead, and where?"
)
def multiplies_the_mask_in(*inputs):
    class Wrong(Backward):
        def weights(self, start, key):
            weights = (self.scores(key) - self.log_sum[..., None]).exp()
            return weights * ~(self.later(start, key.size(-2)) & self.causal)

    return Wrong(*inputs).run()


@exercise.misconception(
    "Masked scores get a number that is not far below all others: scores and `log_sum` go down to "
    "-100. Fill in minus infinity, or fill the weights with 0."
)
def masks_with_minus_100(*inputs):
    class Wrong(Backward):
        def weights(self, start, key):
            scores = self.scores(key)
            if self.causal:
                scores = scores.masked_fill(self.later(start, key.size(-2)), -100.0)
            return (scores - self.log_sum[..., None]).exp()

    return Wrong(*inputs).run()


@exercise.misconception(
    "A query sees the key after its own. On the way forward query i saw the keys 0 to i only."
)
def sees_the_next_key(*inputs):
    class Wrong(Backward):
        def later(self, start, keys):
            return super().later(start - 1, keys)

    return Wrong(*inputs).run()
