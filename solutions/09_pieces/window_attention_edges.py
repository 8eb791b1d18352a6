"""Known mistakes at the edges of blocks and sequence, and the class all mistakes share."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from .window_attention import exercise


class Window:
    """Blocks of queries with the keys they see; the mistakes differ from this in one method."""

    def __init__(self, query: Tensor, key: Tensor, value: Tensor, window: int):
        self.query, self.key, self.value, self.window = query, key, value, window
        self.length, self.root = query.size(-2), math.sqrt(query.size(-1))

    def allowed(self, apart: Tensor) -> Tensor:
        """apart: the position of a query minus that of a key."""
        return (apart >= 0) & (apart < self.window)

    def starts(self) -> range:
        return range(0, self.length, self.window)

    def keys(self, start: int, end: int) -> tuple[int, int]:
        """The first key that these queries look at, and the one after the last."""
        return max(0, start - self.window + 1), end

    def weights(self, scores: Tensor, allowed: Tensor) -> Tensor:
        return scores.masked_fill(~allowed, -math.inf).softmax(dim=-1)

    def block(self, start: int, end: int) -> Tensor:
        first, last = self.keys(start, end)
        device = self.query.device
        rows = torch.arange(start, end, device=device)[:, None]
        apart = rows - torch.arange(first, last, device=device)
        scores = self.query[..., start:end, :] @ self.key[..., first:last, :].mT / self.root
        return self.weights(scores, self.allowed(apart)) @ self.value[..., first:last, :]

    def run(self) -> Tensor:
        ends = ((start, min(start + self.window, self.length)) for start in self.starts())
        return torch.cat([self.block(*pair) for pair in ends], dim=-2)


@exercise.misconception(
    "The first positions attend to padding: its keys are zeros, its scores are 0, and it takes "
    "some of the weight. How many keys does position 0 see?"
)
def attends_to_the_padding(query, key, value, window):
    zeros = [
        torch.zeros_like(x[..., :1, :]).expand(*x.shape[:-2], window - 1, -1) for x in (key, value)
    ]
    key, value = (torch.cat([z, x], -2) for z, x in zip(zeros, (key, value), strict=True))
    rows = []
    for i in range(query.size(-2)):
        scores = query[..., i : i + 1, :] @ key[..., i : i + window, :].mT
        weights = (scores / math.sqrt(query.size(-1))).softmax(-1)
        rows.append(weights @ value[..., i : i + window, :])
    return torch.cat(rows, -2)


@exercise.misconception(
    "The first positions attend to zeros in front of the sequence, whose score is 0 and not "
    "minus infinity. How many keys does position 0 see?"
)
def attends_to_padding_of_the_length(query, key, value, window):
    width = min(window, query.size(-2))
    zeros = [torch.zeros_like(x[..., : width - 1, :]) for x in (key, value)]
    key, value = (torch.cat([z, x], -2) for z, x in zip(zeros, (key, value), strict=True))
    rows = []
    for i in range(query.size(-2)):
        scores = query[..., i : i + 1, :] @ key[..., i : i + width, :].mT
        weights = (scores / math.sqrt(query.size(-1))).softmax(-1)
        rows.append(weights @ value[..., i : i + width, :])
    return torch.cat(rows, -2)


@exercise.misconception(
    "The first positions see the last ones: a shift that wraps round, or a negative index, "
    "brings the end of the sequence to its beginning."
)
def wraps_round(query, key, value, window):
    moved = [(key.roll(n, -2), value.roll(n, -2)) for n in range(window)]
    scores = torch.stack([(query * k).sum(-1) for k, _ in moved], -1) / math.sqrt(query.size(-1))
    weights = scores.softmax(-1)
    return sum(weights[..., n, None] * v for n, (_, v) in enumerate(moved))


@exercise.misconception(
    "Outputs at the end are missing where `window` does not divide the length, and all of them "
    "where it is larger. What does `length // window` leave over?"
)
def drops_the_ragged_end(query, key, value, window):
    class Wrong(Window):
        def starts(self):
            return range(0, self.length // self.window * self.window, self.window)

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "Each block of queries sees the keys of its own block only. What should the first query of a "
    "block see of the positions just before it?"
)
def stays_within_the_block(query, key, value, window):
    class Wrong(Window):
        def keys(self, start, end):
            return start, end

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "The keys of each block begin one too late: its first query does not see the first of its "
    "`window` positions. At which position does that one stand?"
)
def begins_one_key_late(query, key, value, window):
    class Wrong(Window):
        def keys(self, start, end):
            return max(0, start - self.window + 2), end

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "The first block looks at a block of zeros in front of the sequence, with the score 0 and "
    "not minus infinity. What comes before the first block?"
)
def looks_at_a_block_before_the_first(query, key, value, window):
    width = min(window, query.size(-2))
    key, value = (F.pad(x, (0, 0, width, 0)) for x in (key, value))
    rows = []
    for i in range(query.size(-2)):
        seen = slice(max(i + width - window + 1, i // width * width), i + width + 1)
        scores = query[..., i : i + 1, :] @ key[..., seen, :].mT
        rows.append((scores / math.sqrt(query.size(-1))).softmax(-1) @ value[..., seen, :])
    return torch.cat(rows, -2)


@exercise.misconception(
    "The first positions come out as 0, as if they saw nothing. If you slice from a position minus "
    "the window: where does a slice begin whose first number is below 0?"
)
def slices_from_below_zero(query, key, value, window):
    rows = []
    for i in range(query.size(-2)):
        seen = slice(i - window + 1, i + 1)
        scores = query[..., i : i + 1, :] @ key[..., seen, :].mT / math.sqrt(query.size(-1))
        rows.append(scores.softmax(-1) @ value[..., seen, :])
    return torch.cat(rows, -2)


@exercise.misconception(
    "For the first positions, position 0 counts several times: it stands in for what came before "
    "the sequence. A clamped index or a repeated edge does that: how many keys does position 0 "
    "see?"
)
def counts_the_first_key_several_times(query, key, value, window):
    rows = []
    for i in range(query.size(-2)):
        seen = torch.arange(i - window + 1, i + 1, device=query.device).clamp(min=0)
        scores = query[..., i : i + 1, :] @ key[..., seen, :].mT / math.sqrt(query.size(-1))
        rows.append(scores.softmax(-1) @ value[..., seen, :])
    return torch.cat(rows, -2)


@exercise.misconception(
    "A position does not see itself, and position 0, which sees nothing, comes out as 0. A "
    "slice ends before its second number: which one is that for the key of the query itself?"
)
def leaves_the_own_key_out(query, key, value, window):
    class Wrong(Window):
        def allowed(self, apart):
            return (apart > 0) & (apart < self.window)

        def weights(self, scores, allowed):
            return super().weights(scores, allowed).nan_to_num()

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "Queries that are not the first of their block see one position too many: the mask lets "
    "`window` positions before a query pass. A query is itself one of its `window` "
    "positions: how many come before it?"
)
def sees_one_too_many_in_the_block(query, key, value, window):
    class Wrong(Window):
        def allowed(self, apart):
            return (apart >= 0) & (apart <= self.window)

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "The keys of a block are numbered from 0 in its mask, the queries by their positions. Which "
    "number does the first key of a block have?"
)
def numbers_the_keys_from_0(query, key, value, window):
    class Wrong(Window):
        def block(self, start, end):
            self.first = self.keys(start, end)[0]
            return super().block(start, end)

        def allowed(self, apart):
            return super().allowed(apart + self.first)

    return Wrong(query, key, value, window).run()
