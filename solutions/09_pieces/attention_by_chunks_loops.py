"""Known mistakes in the chunks `attention_by_chunks` takes and holds, and the class they share."""

import math

import torch
import torch.nn.functional as F
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

    def starts(self) -> range | list[int]:
        return range(0, self.key.size(-2), self.chunk)

    def root(self) -> float:
        return math.sqrt(self.query.size(-1))

    def numbers(self, start: int, count: int) -> Tensor:
        """Of the keys of a chunk."""
        return torch.arange(start, start + count, device=self.query.device)

    def hidden(self, start: int, count: int) -> Tensor:
        return self.numbers(start, count) > self.position

    def scores(self, start: int) -> Tensor:
        keys = self.key[..., start : start + self.chunk, :]
        scores = self.query @ keys.mT / self.root()
        if self.causal:
            scores = scores.masked_fill(self.hidden(start, keys.size(-2)), -math.inf)
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
    _ = scores.softmax(-1) @ value, scores.logsumexp(-1)
    return Chunks(query, key, value, chunk, causal).run()  # with the same last digits as others'


@exercise.misconception(
    "The numbers are right, and each tensor is small, but the scores of all chunks are held at "
    "once. What do you still need of a chunk when the next one comes?"
)
def keeps_the_scores_of_all_chunks(query, key, value, chunk, causal):
    scores = [query @ part.mT / math.sqrt(query.size(-1)) for part in key.split(chunk, dim=-2)]
    if causal:
        ones = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool, device=query.device)
        masks = ones.tril().split(chunk, dim=-1)
        scores = [s.masked_fill(~mask, -math.inf) for s, mask in zip(scores, masks, strict=True)]
    return Chunks(query, key, value, chunk, causal).run()


@exercise.misconception(
    "The numbers are right, but a product is written out, each query times each key of a chunk "
    "times each feature, and summed afterwards. Which operation sums as it multiplies?"
)
def writes_a_product_out(query, key, value, chunk, causal):
    class Written(Chunks):
        def add(self, scores, value):
            _ = scores[..., None] * value[..., None, :, :]
            super().add(scores, value)

    return Written(query, key, value, chunk, causal).run()


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
    "Only chunks that are full are looked at. The keys that are left over count for nothing, and"
    " if `chunk` is larger than the number of keys, nobody sees any. Where does your loop end?"
)
def takes_full_chunks_only(query, key, value, chunk, causal):
    class Full(Chunks):
        def starts(self):
            return range(0, self.key.size(-2) - self.chunk + 1, self.chunk)

    return Full(query, key, value, chunk, causal).run()


@exercise.misconception(
    "You return what the last chunk gives. What was summed up before it has to be kept and merged."
)
def keeps_the_last_chunk(query, key, value, chunk, causal):
    start = (key.size(-2) - 1) // chunk * chunk
    last = Chunks(query, key, value, chunk, causal)
    scores = last.scores(start)
    return scores.softmax(-1).nan_to_num() @ value[..., start:, :], scores.logsumexp(-1)


@exercise.misconception(
    "The numbers are right, but you keep a result as wide as the output for each chunk until the "
    "end, and there may be many chunks. What do you still need of a chunk when the next one comes?"
)
def merges_all_parts_at_the_end(query, key, value, chunk, causal):
    whole = Chunks(query, key, value, chunk, causal)
    parts = [whole.scores(start).exp() @ value[..., start : start + chunk, :]
             for start in whole.starts()]  # fmt: skip
    _ = torch.stack(parts).sum(0)
    return whole.run()


@exercise.misconception(
    "If `chunk` does not divide the number of keys, more keys count than there are. Are the keys "
    "padded with zeros? Such a key has the score 0, which is not minus infinity."
)
def counts_the_padding(query, key, value, chunk, causal):
    missing = (0, 0, 0, -key.size(-2) % chunk)
    return Chunks(query, F.pad(key, missing), F.pad(value, missing), chunk, causal).run()


@exercise.misconception(
    "With `causal`, a chunk is left out because it reaches beyond the last query. Its first keys "
    "may still be seen. From which chunk on does nobody see anything?"
)
def leaves_out_chunks_seen_in_part(query, key, value, chunk, causal):
    class Early(Chunks):
        def starts(self):
            full = range(0, self.query.size(-2) - self.chunk + 1, self.chunk)
            return [start for start in super().starts() if not self.causal or start in {0, *full}]

    return Early(query, key, value, chunk, causal).run()


@exercise.misconception(
    "With `causal`, the loop ends one chunk too early where a chunk ends with the last query. Is "
    "the comparison `>` or `>=`, and of which number of the chunk: its first key or its last?"
)
def leaves_out_the_last_chunk_seen(query, key, value, chunk, causal):
    class Early(Chunks):
        def starts(self):
            full = range(0, self.query.size(-2) - self.chunk, self.chunk)
            return [start for start in super().starts() if not self.causal or start in {0, *full}]

    return Early(query, key, value, chunk, causal).run()


@exercise.misconception(
    "With `causal`, you leave out a chunk whose first key is the last key that is seen. The last "
    "query has the number queries - 1: which keys does it see?"
)
def leaves_out_the_last_key_seen(query, key, value, chunk, causal):
    class Early(Chunks):
        def starts(self):
            last = self.query.size(-2) - 1
            return [start for start in super().starts()
                    if not self.causal or start == 0 or start < last]  # fmt: skip

    return Early(query, key, value, chunk, causal).run()
