"""Known mistakes of `chunk_backward`."""

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
    "You subtract nothing from the gradients of the weights. The sum below the exponentials "
    "depends on every score of the row: the output and its gradient tell how."
)
def forgets_the_row_sum(*inputs):
    class Wrong(Backward):
        def shared(self, weights, slopes):
            return 0.0

    return Wrong(*inputs).run()


@exercise.misconception(
    "What you subtract is summed over the keys of one chunk. The softmax ran over all keys: "
    "which two tensors, that you were given, hold the sum over all of them?"
)
def sums_over_the_chunk(*inputs):
    class Wrong(Backward):
        def shared(self, weights, slopes):
            return (weights * slopes).sum(-1, keepdim=True)

    return Wrong(*inputs).run()


@exercise.misconception(
    "The weights of each chunk sum to 1 by themselves. They are parts of one row over all "
    "keys: `log_sum` knows the sum below all of them."
)
def takes_a_softmax_of_each_chunk(*inputs):
    class Wrong(Backward):
        def weights(self, start, key):
            scores = self.scores(key)
            if self.causal:
                scores = scores.masked_fill(self.later(start, key.size(-2)), -math.inf)
            return scores.softmax(-1).nan_to_num()

    return Wrong(*inputs).run()


@exercise.misconception(
    "The gradient of value is right; those of query and key are too large by one factor. A "
    "score was divided on the way forward: and on the way back?"
)
def forgets_the_root_on_the_way_back(*inputs):
    class Wrong(Backward):
        def behind(self, weights, slopes):
            return super().behind(weights, slopes) * self.root

    return Wrong(*inputs).run()


@exercise.misconception(
    "The scores that you compute again lack the root of d_k, so `log_sum` does not belong to "
    "them: the weights of a row do not sum to 1."
)
def forgets_the_root_in_the_scores(*inputs):
    class Wrong(Backward):
        def scores(self, key):
            return self.query @ key.mT

    return Wrong(*inputs).run()


@exercise.misconception(
    "The root of d_k divides the gradient twice. If the query was scaled before its product "
    "with the key: for which of the two gradients is it in there already?"
)
def divides_by_the_root_twice(*inputs):
    class Wrong(Backward):
        def behind(self, weights, slopes):
            return super().behind(weights, slopes) / self.root

    return Wrong(*inputs).run()


@exercise.misconception(
    "The gradient of query comes from the last chunk alone: each chunk overwrites that of the "
    "one before. Which chunks does a query's output depend on?"
)
def keeps_the_last_chunk_for_the_query(*inputs):
    of_query, of_key, of_value = zip(*Backward(*inputs).chunks(), strict=True)
    return of_query[-1], torch.cat(of_key, -2), torch.cat(of_value, -2)


@exercise.misconception(
    "The gradients of keys and values are those of one chunk, or chunks lie on top of each "
    "other. Each chunk has keys of its own: where in the result do they stand?"
)
def adds_the_chunks_of_keys_up(*inputs):
    of_query, of_key, of_value = zip(*Backward(*inputs).chunks(), strict=True)

    def added(parts, like):
        result = torch.zeros_like(like)
        for part in parts:
            result[..., : part.size(-2), :] += part
        return result

    _, key, value, *_ = inputs
    return sum(of_query), added(of_key, key), added(of_value, value)


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
    "The exponential of a score comes before the division by the sum, and is infinite from 89 "
    "on. What may be subtracted from the score, so that the weight itself comes out?"
)
def overflows(*inputs):
    class Wrong(Backward):
        def weights(self, start, key):
            weights = self.scores(key).exp() / self.log_sum[..., None].exp()
            return weights.masked_fill(self.later(start, key.size(-2)) & self.causal, 0.0)

    return Wrong(*inputs).run()


@exercise.misconception(
    "`log_sum` is a logarithm. You divide the exponentials by it as if it were the sum itself."
)
def divides_by_log_sum(*inputs):
    class Wrong(Backward):
        def weights(self, start, key):
            weights = self.scores(key).exp() / self.log_sum[..., None]
            return weights.masked_fill(self.later(start, key.size(-2)) & self.causal, 0.0)

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
    "The gradients of query and key have the wrong sign. If a value lies in the direction of "
    "`grad_output`, does its score's gradient rise or fall?"
)
def turns_the_sign(*inputs):
    class Wrong(Backward):
        def behind(self, weights, slopes):
            return -super().behind(weights, slopes)

    return Wrong(*inputs).run()


@exercise.misconception(
    "The last keys get no gradient where `chunk` does not divide their number. What does `keys "
    "// chunk` leave over?"
)
def drops_the_ragged_end(query, key, value, output, grad_output, log_sum, chunk, causal):
    whole = max(key.size(-2) // chunk, 1) * chunk
    rest = output, grad_output, log_sum, chunk, causal
    found = Backward(query, key[..., :whole, :], value[..., :whole, :], *rest).run()
    grad_key, grad_value = torch.zeros_like(key), torch.zeros_like(value)
    grad_key[..., :whole, :], grad_value[..., :whole, :] = found[1], found[2]
    return found[0], grad_key, grad_value


@exercise.misconception(
    "The gradients are right, but all weights exist at once. Which step can be taken for the "
    "keys of one chunk alone?"
)
def computes_all_weights(query, key, value, output, grad_output, log_sum, chunk, causal):
    rest = output, grad_output, log_sum, key.size(-2), causal
    return Backward(query, key, value, *rest).run()


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
