"""Known mistakes of `chunk_backward`."""

import math

import torch

from .chunk_backward import exercise
from .chunk_backward_masks import Backward


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
    "You add the row's sum to the gradients of the weights. The sum below the exponentials grows"
    " with every score: does that raise the other weights of the row, or lower them?"
)
def adds_the_row_sum(*inputs):
    class Wrong(Backward):
        def shared(self, weights, slopes):
            return -super().shared(weights, slopes)

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
    "The root of d_k is nowhere in what you compute. It divides the scores, of which `log_sum` was "
    "made, and once more on the way back."
)
def forgets_the_root_altogether(*inputs):
    whole = Backward(*inputs)
    whole.root = 1.0
    return whole.run()


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
    "The gradients are right, but all weights exist at once. Which step can be taken for the "
    "keys of one chunk alone?"
)
def computes_all_weights(query, key, value, output, grad_output, log_sum, chunk, causal):
    rest = output, grad_output, log_sum, key.size(-2), causal
    return Backward(query, key, value, *rest).run()


@exercise.misconception(
    "The gradients are right, and each tensor is small, but the weights of all chunks are held at "
    "once. Which step needs those of one chunk alone?"
)
def keeps_the_weights_of_all_chunks(query, key, value, output, grad_output, log_sum, chunk, causal):
    count, where = key.size(-2), query.device
    groups = [torch.arange(count, device=where)[i : i + chunk] for i in range(0, count, chunk)]

    def scores(at):
        s = query.matmul(key[..., at, :].mT).div(query.size(-1) ** 0.5)
        later = at > torch.arange(query.size(-2), device=where).view(-1, 1)
        return s.masked_fill(later & causal, float("-inf"))

    highest = torch.stack([scores(at).amax(-1) for at in groups]).amax(0)[..., None]
    below = sum((scores(at) - highest).exp().sum(-1, keepdim=True) for at in groups)
    gains = [grad_output.matmul(value[..., at, :].mT) for at in groups]
    weights = [(scores(at) - highest).exp() / below for at in groups]
    mean = sum((w * g).sum(-1, keepdim=True) for w, g in zip(weights, gains, strict=True))
    slopes = [w * (g - mean) / query.size(-1) ** 0.5 for w, g in zip(weights, gains, strict=True)]
    by_query = sum(s.matmul(key[..., at, :]) for s, at in zip(slopes, groups, strict=True))
    by_key = torch.cat([s.mT.matmul(query) for s in slopes], -2)
    return by_query, by_key, torch.cat([w.mT.matmul(grad_output) for w in weights], -2)


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


@exercise.misconception("The scores are divided by d_k itself, not by its root.")
def divides_by_d_k(*inputs):
    whole = Backward(*inputs)
    whole.root = float(whole.query.size(-1))
    return whole.run()


@exercise.misconception(
    "Exponentials are measured against the largest score of a chunk, and then divided by the sum "
    "of exponentials of the plain scores. `log_sum` alone makes a weight of a score."
)
def measures_against_a_maximum_as_well(*inputs):
    class Wrong(Backward):
        def weights(self, start, key):
            scores = self.scores(key)
            if self.causal:
                scores = scores.masked_fill(self.later(start, key.size(-2)), -math.inf)
            shares = (scores - scores.amax(-1, keepdim=True).clamp(min=-1e30)).exp()
            return shares / self.log_sum[..., None].exp()

    return Wrong(*inputs).run()
