"""Known mistakes of the mask of `attention_by_chunks`."""

import math

import torch
from torch import Tensor

from .attention_by_chunks import exercise
from .attention_by_chunks_loops import Chunks


@exercise.misconception(
    "Your chunks are right, but the mask is made for all queries and all keys. It has as many "
    "entries as the scores that you avoid. Which part of it does a chunk need?"
)
def makes_the_whole_mask(query, key, value, chunk, causal):
    class Masked(Chunks):
        whole = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool).tril().to(query.device)

        def scores(self, start):
            keys = self.key[..., start : start + self.chunk, :]
            found = self.query @ keys.mT / self.root()
            seen = self.whole[:, start : start + self.chunk]
            return found.masked_fill(~seen, -math.inf) if self.causal else found

    return Masked(query, key, value, chunk, causal).run()


@exercise.misconception(
    "Each chunk has its own causal mask, which starts anew at its corner. Key 0 of a chunk is "
    "not key 0 of the sequence: which number has it?"
)
def starts_the_mask_anew(query, key, value, chunk, causal):
    class Anew(Chunks):
        def numbers(self, start, count):
            return super().numbers(0, count)

    return Anew(query, key, value, chunk, causal).run()


@exercise.misconception("`causal` changes nothing in what you compute.")
def ignores_causal(query, key, value, chunk, causal):
    return Chunks(query, key, value, chunk, False).run()


@exercise.misconception(
    "A query does not see its own key, and the first one sees nothing. Query i sees the keys 0 "
    "to i, with i among them."
)
def hides_the_own_key(query, key, value, chunk, causal):
    class Strict(Chunks):
        def numbers(self, start, count):
            return super().numbers(start + 1, count)

    return Strict(query, key, value, chunk, causal).run()


@exercise.misconception(
    "With other numbers of queries than of keys your mask is shifted: it ends in the lower "
    "right corner. Here query 0 sees key 0 only, however many keys there are."
)
def aligns_the_mask_at_the_end(query, key, value, chunk, causal):
    class AtTheEnd(Chunks):
        def numbers(self, start, count):
            shift = self.key.size(-2) - self.query.size(-2)
            return super().numbers(start - shift, count)

        def scores(self, start):  # finite where a query sees nothing
            return super().scores(start).clamp(min=-1e9)

    return AtTheEnd(query, key, value, chunk, causal).run()


@exercise.misconception(
    "A query that sees nothing of a chunk makes NaN: the chunk's own maximum is minus infinity "
    "there, and is subtracted from minus infinity."
)
def is_nan_where_a_chunk_is_masked(query, key, value, chunk, causal):
    class Careless(Chunks):
        maximum: Tensor
        total: Tensor
        summed: Tensor

        def add(self, scores, value):
            highest = scores.amax(-1)
            shares = (scores - highest[..., None]).exp()
            new = torch.maximum(self.maximum, highest)
            old, now = (self.maximum - new).exp(), (highest - new).exp()
            self.total = self.total * old + shares.sum(-1) * now
            self.summed = self.summed * old[..., None] + shares @ value * now[..., None]
            self.maximum = new

    return Careless(query, key, value, chunk, causal).run()


@exercise.misconception(
    "What is masked has the score 0 instead of minus infinity, and so takes a share of the weight."
)
def gives_masked_scores_the_value_0(query, key, value, chunk, causal):
    class Zero(Chunks):
        def scores(self, start):
            scores = super().scores(start)
            return scores.masked_fill(scores == -math.inf, 0.0)

    return Zero(query, key, value, chunk, causal).run()


@exercise.misconception(
    "What is masked gets a number that is not below all scores. Scaled scores go down to -200: "
    "which number is far below, whatever the scores are?"
)
def masks_with_minus_100(query, key, value, chunk, causal):
    class Hundred(Chunks):
        def scores(self, start):
            scores = super().scores(start)
            return scores.masked_fill(scores == -math.inf, -100.0)

    return Hundred(query, key, value, chunk, causal).run()


@exercise.misconception(
    "A query sees the key after its own. Query i sees the keys 0 to i, and none that comes later."
)
def sees_the_next_key(query, key, value, chunk, causal):
    class Next(Chunks):
        def numbers(self, start, count):
            return super().numbers(start - 1, count)

    return Next(query, key, value, chunk, causal).run()


@exercise.misconception(
    "Keys that a query may not see count in the sums of exponentials: the mask comes after them. A "
    "score has to be minus infinity before its exponential is taken."
)
def masks_after_the_softmax(query, key, value, chunk, causal):
    seen, every = (Chunks(query, key, value, chunk, causal and mask) for mask in (True, False))
    _, log_sum = every.run()
    output = sum(
        (seen.scores(start) - log_sum[..., None]).exp() @ value[..., start : start + chunk, :]
        for start in seen.starts()
    )
    return output, log_sum


@exercise.misconception(
    "Later keys are hidden even where `causal` is False. There every query sees all keys, "
    "whatever their numbers."
)
def masks_without_causal(query, key, value, chunk, causal):
    return Chunks(query, key, value, chunk, True).run()


@exercise.misconception(
    "The first chunk's mask is right, and the later ones move the wrong way: queries see keys "
    "that come later. Key 0 of a chunk has the number `start`: is that added to the number of "
    "the key or the query?"
)
def moves_the_mask_the_wrong_way(query, key, value, chunk, causal):
    class Moved(Chunks):
        def numbers(self, start, count):
            return super().numbers(-start, count)

    return Moved(query, key, value, chunk, causal).run()


@exercise.misconception(
    "Where there are more keys than queries, your mask is shifted so that the last query sees "
    "the last key. Here query i sees the keys 0 to i, however many keys there are."
)
def aligns_longer_keys_at_the_end(query, key, value, chunk, causal):
    class AtTheEnd(Chunks):
        def numbers(self, start, count):
            shift = max(self.key.size(-2) - self.query.size(-2), 0)
            return super().numbers(start - shift, count)

    return AtTheEnd(query, key, value, chunk, causal).run()


@exercise.misconception(
    "The call raises where `causal` is True and the numbers of queries and keys differ. Does "
    "your mask have one row for each query and one column for each key of the chunk?"
)
def makes_a_square_mask(query, key, value, chunk, causal):
    class Square(Chunks):
        def hidden(self, start, count):
            self.position = torch.arange(self.key.size(-2), device=self.key.device)[:, None]
            return super().hidden(start, count)

    return Square(query, key, value, chunk, causal).run()


@exercise.misconception(
    "Your mask is reversed: a query sees its own key and those that come later, and what came "
    "before is hidden. Is the comparison the right one, `tril` or `triu`?"
)
def hides_the_earlier_keys(query, key, value, chunk, causal):
    class Reversed(Chunks):
        def hidden(self, start, count):
            return self.numbers(start, count) < self.position

        def scores(self, start):  # finite where a query sees nothing
            return super().scores(start).clamp(min=-1e9)

    return Reversed(query, key, value, chunk, causal).run()


@exercise.misconception(
    "What a query may see is hidden, and it sees what it may not. `masked_fill` fills where its "
    "mask is True: does yours say what may be seen, or what may not?"
)
def hides_what_may_be_seen(query, key, value, chunk, causal):
    class Inverted(Chunks):
        def hidden(self, start, count):
            return ~super().hidden(start, count)

    return Inverted(query, key, value, chunk, causal).run()


@exercise.misconception(
    "With `causal`, the keys of a chunk get numbers as if every chunk before it were full. Does "
    "`torch.chunk` cut the keys? It takes the number of pieces, `split` how long one is."
)
def takes_the_size_for_the_number(query, key, value, chunk, causal):
    class Pieces(Chunks):
        def numbers(self, start, count):
            return super().numbers(start // self.chunk * chunk, count)

    pieces = Pieces(query, key, value, chunk, causal)
    pieces.chunk = -(-key.size(-2) // chunk)
    return pieces.run()
