"""Known mistakes of `attention_by_chunks`."""

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
    "The numbers are right, but the scores of all pairs exist at once. Which is the largest "
    "tensor if only the keys of one chunk are multiplied?"
)
def computes_all_scores(query, key, value, chunk, causal):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    if causal:
        ones = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device)
        scores = scores.masked_fill(~ones.tril(), -math.inf)
    return scores.softmax(-1) @ value, scores.logsumexp(-1)


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
    "The last keys are missing where `chunk` does not divide their number. What does `keys // "
    "chunk` leave over?"
)
def drops_the_ragged_end(query, key, value, chunk, causal):
    class Whole(Chunks):
        def starts(self):
            return range(0, max(self.key.size(-2) // self.chunk, 1) * self.chunk, self.chunk)

    return Whole(query, key, value, chunk, causal).run()


@exercise.misconception(
    "What was summed up so far stays as it is when a larger score comes. Against which maximum "
    "was it measured?"
)
def never_corrects_what_was_summed(query, key, value, chunk, causal):
    class Uncorrected(Chunks):
        def add(self, scores, value):
            new = torch.maximum(self.maximum, scores.amax(-1))
            shares = (scores - new[..., None]).exp()
            self.total, self.summed = self.total + shares.sum(-1), self.summed + shares @ value
            self.maximum = new

    return Uncorrected(query, key, value, chunk, causal).run()


@exercise.misconception(
    "The total is corrected when a larger score comes, and the sum of values is not. Both are "
    "measured against the same maximum."
)
def corrects_the_total_only(query, key, value, chunk, causal):
    class Half(Chunks):
        def add(self, scores, value):
            before = self.summed
            super().add(scores, value)
            shares = (scores - self.maximum[..., None]).exp()
            self.summed = before + shares @ value

    return Half(query, key, value, chunk, causal).run()


@exercise.misconception(
    "You take the softmax of each chunk by itself and add the results up. The weights of a row "
    "sum to 1 over all its keys, not over those of a chunk."
)
def adds_softmaxes(query, key, value, chunk, causal):
    whole = Chunks(query, key, value, chunk, causal)
    output = sum(
        whole.scores(start).softmax(-1).nan_to_num() @ value[..., start : start + chunk, :]
        for start in whole.starts()
    )
    sums = torch.stack([whole.scores(start).logsumexp(-1) for start in whole.starts()])
    return output, sums.logsumexp(0)


@exercise.misconception(
    "You average the outputs of the chunks, each with the same share. What if nearly all "
    "weight is in one of them?"
)
def averages_the_chunks(query, key, value, chunk, causal):
    whole = Chunks(query, key, value, chunk, causal)
    outputs = [
        whole.scores(start).softmax(-1).nan_to_num() @ value[..., start : start + chunk, :]
        for start in whole.starts()
    ]
    sums = torch.stack([whole.scores(start).logsumexp(-1) for start in whole.starts()])
    return sum(outputs) / len(outputs), sums.logsumexp(0)


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


@exercise.misconception("The scores are not divided by the root of d_k.")
def forgets_the_root(query, key, value, chunk, causal):
    class Plain(Chunks):
        def root(self):
            return 1.0

    return Plain(query, key, value, chunk, causal).run()


@exercise.misconception(
    "Exponentials are taken of the scores themselves. They are infinite from 89 on: what has "
    "to be subtracted first, and corrected later?"
)
def overflows(query, key, value, chunk, causal):
    class Plain(Chunks):
        def add(self, scores, value):
            shares = scores.exp()
            self.total, self.summed = self.total + shares.sum(-1), self.summed + shares @ value
            self.maximum = torch.zeros_like(self.maximum)

    return Plain(query, key, value, chunk, causal).run()


@exercise.misconception(
    "The output is right, and `log_sum` lacks the maximum. The total is a sum of exponentials "
    "that were measured against it."
)
def leaves_the_maximum_out_of_log_sum(query, key, value, chunk, causal):
    whole = Chunks(query, key, value, chunk, causal)
    output, log_sum = whole.run()
    return output, log_sum - whole.maximum


@exercise.misconception(
    "The second result is the total, or the largest score, or their product. Asked for is the "
    "logarithm of a sum of exponentials."
)
def returns_the_total(query, key, value, chunk, causal):
    whole = Chunks(query, key, value, chunk, causal)
    return whole.run()[0], whole.total


@exercise.misconception("You return the sum of the values without the division at the end.")
def forgets_to_divide(query, key, value, chunk, causal):
    whole = Chunks(query, key, value, chunk, causal)
    _, log_sum = whole.run()
    return whole.summed, log_sum
