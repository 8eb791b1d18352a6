"""Known mistakes in the chunks `chunk_backward` takes and holds, and the class they share."""

import math

import torch
import torch.nn.functional as F
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

    def starts(self) -> range | list[int]:
        return range(0, self.key.size(-2), self.chunk)

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
        for start in self.starts():
            at = slice(start, start + self.chunk)
            key, value = self.key[..., at, :], self.value[..., at, :]
            weights = self.weights(start, key)
            grad_scores = self.behind(weights, self.grad_output @ value.mT)
            yield (grad_scores @ key, grad_scores.mT @ self.query,
                   weights.mT @ self.grad_output)  # fmt: skip

    def run(self) -> tuple[Tensor, Tensor, Tensor]:
        """The gradients; keys of chunks that were left out at the end get zeros."""
        of_query, of_key, of_value = zip(*self.chunks(), strict=True)
        missing = (0, 0, 0, self.key.size(-2) - sum(part.size(-2) for part in of_key))
        keys, values = (F.pad(torch.cat(parts, -2), missing) for parts in (of_key, of_value))
        return sum(of_query), keys, values


@exercise.misconception(
    "The gradients are right, but all weights exist at once. Which step can be taken for the "
    "keys of one chunk alone?"
)
def computes_all_weights(query, key, value, output, grad_output, log_sum, chunk, causal):
    rest = output, grad_output, log_sum
    _ = Backward(query, key, value, *rest, key.size(-2), causal).run()
    return Backward(query, key, value, *rest, chunk, causal).run()  # with others' last digits


@exercise.misconception(
    "The gradients are right, and each tensor is small, but the weights of all chunks are held at "
    "once. Which step needs those of one chunk alone?"
)
def keeps_the_weights_of_all_chunks(*inputs):
    class Keeping(Backward):
        def behind(self, weights, slopes):
            found = super().behind(weights, slopes)
            kept.extend((weights, slopes, found))
            return found

    kept: list[Tensor] = []
    return Keeping(*inputs).run()


@exercise.misconception(
    "The gradients are right, but a product is written out, each query times each key of a chunk"
    " times each feature, and summed afterwards. Which operation sums as it multiplies?"
)
def writes_a_product_out(*inputs):
    class Wrong(Backward):
        def chunks(self):
            for at, found in enumerate(super().chunks()):
                value = self.value[..., at * self.chunk : (at + 1) * self.chunk, :]
                _ = self.grad_output[..., :, None, :] * value[..., None, :, :]
                yield found

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
    "Only chunks that are full get gradients: the keys that are left over get none, and if "
    "`chunk` is larger than the number of keys, nobody does. Where does your loop end?"
)
def takes_full_chunks_only(query, key, value, output, grad_output, log_sum, chunk, causal):
    grads = [torch.zeros_like(x) for x in (query, key, value)]
    whole = key.size(-2) // chunk * chunk
    if whole:
        rest = output, grad_output, log_sum, chunk, causal
        found = Backward(query, key[..., :whole, :], value[..., :whole, :], *rest).run()
        grads[0] += found[0]
        grads[1][..., :whole, :], grads[2][..., :whole, :] = found[1:]
    return tuple(grads)


@exercise.misconception(
    "The gradients are right, but you keep each chunk's share of the gradient of `query` and sum "
    "the shares at the end. There may be many chunks: add each share to one tensor as you go."
)
def keeps_what_each_chunk_gives_the_query(*inputs):
    of_query, of_key, of_value = zip(*Backward(*inputs).chunks(), strict=True)
    return torch.stack(of_query).sum(0), torch.cat(of_key, -2), torch.cat(of_value, -2)


@exercise.misconception(
    "With `causal`, a chunk is left out because it reaches beyond the last query. Its first keys "
    "may still be seen. From which chunk on does nobody see anything?"
)
def leaves_out_chunks_seen_in_part(*inputs):
    class Early(Backward):
        def starts(self):
            full = range(0, self.query.size(-2) - self.chunk + 1, self.chunk)
            return [start for start in super().starts() if not self.causal or start in {0, *full}]

    return Early(*inputs).run()


@exercise.misconception(
    "With `causal`, a chunk is left out that is not full or reaches beyond the last query. Its "
    "first keys may still be seen. From which chunk on does nobody see anything?"
)
def leaves_out_ragged_chunks_if_causal(*inputs):
    class Early(Backward):
        def starts(self):
            seen = min(self.query.size(-2), self.key.size(-2))
            full = range(0, seen - self.chunk + 1, self.chunk)
            return [start for start in super().starts() if not self.causal or start in {0, *full}]

    return Early(*inputs).run()


@exercise.misconception(
    "With `causal`, the loop ends one chunk too early where a chunk ends with the last query. Is "
    "the comparison `>` or `>=`, and of which number of the chunk: its first key or its last?"
)
def leaves_out_the_last_chunk_seen(*inputs):
    class Early(Backward):
        def starts(self):
            full = range(0, self.query.size(-2) - self.chunk, self.chunk)
            return [start for start in super().starts() if not self.causal or start in {0, *full}]

    return Early(*inputs).run()


@exercise.misconception(
    "With `causal`, you leave out a chunk whose first key is the last key that is seen. The last "
    "query has the number queries - 1: which keys did it see on the way forward?"
)
def leaves_out_the_last_key_seen(*inputs):
    class Early(Backward):
        def starts(self):
            last = self.query.size(-2) - 1
            return [start for start in super().starts()
                    if not self.causal or start == 0 or start < last]  # fmt: skip

    return Early(*inputs).run()
