"""Known mistakes of the mask of `chunk_backward`."""

import torch

from .chunk_backward import exercise
from .chunk_backward_loops import Backward


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


@exercise.misconception(
    "Later keys are hidden even where `causal` is False. On the way forward every query saw all "
    "keys there."
)
def masks_without_causal(*inputs):
    whole = Backward(*inputs)
    whole.causal = True
    return whole.run()


@exercise.misconception(
    "A query does not see its own key. On the way forward query i saw the keys 0 to i, with i "
    "among them."
)
def hides_the_own_key(*inputs):
    class Wrong(Backward):
        def later(self, start, keys):
            return super().later(start + 1, keys)

    return Wrong(*inputs).run()


@exercise.misconception(
    "The first chunk's mask is right, and the later ones move the wrong way: queries see keys "
    "that come later. Key 0 of a chunk has the number `start`: is that added to the number of "
    "the key or the query?"
)
def moves_the_mask_the_wrong_way(*inputs):
    class Wrong(Backward):
        def later(self, start, keys):
            return super().later(-start, keys)

    return Wrong(*inputs).run()


@exercise.misconception(
    "Where there are more keys than queries, your mask is shifted so that the last query sees "
    "the last key. On the way forward query i saw the keys 0 to i, however many keys there are."
)
def aligns_longer_keys_at_the_end(*inputs):
    class Wrong(Backward):
        def later(self, start, keys):
            shift = max(self.key.size(-2) - self.query.size(-2), 0)
            return super().later(start - shift, keys)

    return Wrong(*inputs).run()


@exercise.misconception(
    "The call raises where `causal` is True and the numbers of queries and keys differ. Does "
    "your mask have one row for each query and one column for each key of the chunk?"
)
def makes_a_square_mask(*inputs):
    class Wrong(Backward):
        def later(self, start, keys):
            position = torch.arange(self.key.size(-2), device=self.key.device)[:, None]
            return torch.arange(start, start + keys, device=self.key.device) > position

    return Wrong(*inputs).run()


@exercise.misconception(
    "Your mask is reversed: a query sees its own key and those that come later, and what "
    "came before is hidden. Is the comparison the right one, `tril` or `triu`?"
)
def hides_the_earlier_keys(*inputs):
    class Wrong(Backward):
        def later(self, start, keys):
            return ~super().later(start + 1, keys)

    return Wrong(*inputs).run()


@exercise.misconception(
    "What a query saw is hidden, and it sees what it did not see. `masked_fill` fills where its "
    "mask is True: does yours say what may be seen, or what may not?"
)
def hides_what_may_be_seen(*inputs):
    class Wrong(Backward):
        def later(self, start, keys):
            return ~super().later(start, keys)

    return Wrong(*inputs).run()
