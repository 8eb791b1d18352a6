"""Known mistakes of the mask of `attention_by_chunks`, and what all its mistakes are made of."""

import math

import torch
from torch import Tensor

from .attention_by_chunks import exercise


class Chunks:
    """One chunk after the other; the mistakes differ from this in one method."""

    def __init__(self, query: Tensor, key: Tensor, value: Tensor, chunk: int, causal: bool):
        self.query, self.key, self.value = query, key, value
        self.chunk, self.causal = chunk, causal
        self.position = torch.arange(query.size(-2), device=query.device)[:, None]
        self.maximum = query.new_full(query.shape[:-1], -math.inf)
        self.total = torch.zeros_like(self.maximum)
        self.summed = query.new_zeros(*query.shape[:-1], value.size(-1))

    def starts(self) -> range:
        return range(0, self.key.size(-2), self.chunk)

    def root(self) -> float:
        return math.sqrt(self.query.size(-1))

    def numbers(self, start: int, count: int) -> Tensor:
        """Of the keys of a chunk."""
        return torch.arange(start, start + count, device=self.query.device)

    def scores(self, start: int) -> Tensor:
        keys = self.key[..., start : start + self.chunk, :]
        scores = self.query @ keys.mT / self.root()
        if self.causal:
            later = self.numbers(start, keys.size(-2)) > self.position
            scores = scores.masked_fill(later, -math.inf)
        return scores

    def add(self, scores: Tensor, value: Tensor) -> None:
        new = torch.maximum(self.maximum, scores.amax(-1))
        fade, shares = (self.maximum - new).exp(), (scores - new[..., None]).exp()
        self.total = self.total * fade + shares.sum(-1)
        self.summed = self.summed * fade[..., None] + shares @ value
        self.maximum = new

    def result(self) -> tuple[Tensor, Tensor]:
        return self.summed / self.total[..., None], self.maximum + self.total.log()

    def run(self) -> tuple[Tensor, Tensor]:
        for start in self.starts():
            self.add(self.scores(start), self.value[..., start : start + self.chunk, :])
        return self.result()


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

    return AtTheEnd(query, key, value, chunk, causal).run()


@exercise.misconception(
    "A query that sees nothing of a chunk makes NaN: the chunk's own maximum is minus infinity "
    "there, and is subtracted from minus infinity."
)
def is_nan_where_a_chunk_is_masked(query, key, value, chunk, causal):
    class Careless(Chunks):
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
