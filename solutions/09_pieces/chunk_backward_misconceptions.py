"""Known mistakes of `chunk_backward`."""

import math

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


@exercise.misconception(
    "You subtract the sum of `grad_output` over the features, without the output. What the "
    "softmax takes off is a dot product: of which two tensors?"
)
def leaves_the_output_out_of_the_row_sum(*inputs):
    class Wrong(Backward):
        def shared(self, weights, slopes):
            return self.grad_output.sum(-1, keepdim=True)

    return Wrong(*inputs).run()


@exercise.misconception(
    "The gradient of value is computed from `output` instead of `grad_output`. Which of the two "
    "says how the loss changes with the output?"
)
def takes_the_output_for_its_gradient(*inputs):
    query, key, value, output, _, *rest = inputs
    of_query, of_key, _ = Backward(*inputs).run()
    return of_query, of_key, Backward(query, key, value, output, output, *rest).run()[2]


@exercise.misconception(
    "The row's sum is subtracted after the product with the weights. A score's gradient is its "
    "weight times a difference: where do the brackets go?"
)
def subtracts_after_the_weights(*inputs):
    class Wrong(Backward):
        def behind(self, weights, slopes):
            return (weights * slopes - self.shared(weights, slopes)) / self.root

    return Wrong(*inputs).run()
