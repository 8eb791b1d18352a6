"""Known mistakes of `window_attention`."""

import math

import torch
from torch import Tensor

from .window_attention import exercise


class Window:
    """Blocks of queries with the keys they see; the mistakes differ from this in one method."""

    def __init__(self, query: Tensor, key: Tensor, value: Tensor, window: int):
        self.query, self.key, self.value, self.window = query, key, value, window
        self.length, self.root = query.size(-2), math.sqrt(query.size(-1))

    def allowed(self, apart: Tensor) -> Tensor:
        """apart: the position of a query less that of a key."""
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
    "The result is right, but there are scores of far more pairs than are seen, as where a mask of "
    "all pairs makes the band: nearly all of them are thrown away."
)
def masks_all_pairs(query, key, value, window):
    whole = Window(query, key, value, window)
    return whole.block(0, whole.length)


@exercise.misconception(
    "The tensors are small enough, but each piece of queries is multiplied by far more keys than "
    "one query sees: by all of them, or because pieces are large however small the window is."
)
def multiplies_pieces_by_all_keys(query, key, value, window):
    class Wrong(Window):
        def keys(self, start, end):
            return 0, self.length

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "The scores are few, but the mask is made for all pairs of positions. It depends on the "
    "distance only: how small may it be?"
)
def makes_the_mask_of_all_pairs(query, key, value, window):
    position = torch.arange(query.size(-2), device=query.device)

    class Wrong(Window):
        apart = position[:, None] - position

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "Queries see `window` positions before their own, and their own as well: one too many. How "
    "many are `window` positions with itself among them?"
)
def sees_one_too_many(query, key, value, window):
    class Wrong(Window):
        def allowed(self, apart):
            return (apart >= 0) & (apart <= self.window)

        def keys(self, start, end):
            return max(0, start - self.window), end

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "Queries see one position too few. With `window` 2, position 2 sees itself and position 1."
)
def sees_one_too_few(query, key, value, window):
    class Wrong(Window):
        def allowed(self, apart):
            return (apart >= 0) & (apart < max(self.window - 1, 1))

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "Your window looks ahead: keys on both sides of a query. A position sees itself and what "
    "came before."
)
def looks_ahead(query, key, value, window):
    class Wrong(Window):
        def allowed(self, apart):
            return apart.abs() < self.window

        def keys(self, start, end):
            return max(0, start - self.window + 1), min(end + self.window - 1, self.length)

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "Each block of queries sees the keys of its own block only. What does the first query of a "
    "block see, which came just before?"
)
def stays_within_the_block(query, key, value, window):
    class Wrong(Window):
        def keys(self, start, end):
            return start, end

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "All queries of a block see all keys that any of them sees. Within a block a small mask is "
    "still needed."
)
def forgets_the_mask_in_the_block(query, key, value, window):
    class Wrong(Window):
        def allowed(self, apart):
            return apart >= 0

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "Within a block the window is right, but it looks at later keys of the block, too."
)
def forgets_causality_in_the_block(query, key, value, window):
    class Wrong(Window):
        def allowed(self, apart):
            return apart < self.window

    return Wrong(query, key, value, window).run()


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
    count = min(window, query.size(-2))
    moved = [(key.roll(n, -2), value.roll(n, -2)) for n in range(count)]
    scores = torch.stack([(query * k).sum(-1) for k, _ in moved], -1) / math.sqrt(query.size(-1))
    weights = scores.softmax(-1)
    return sum(weights[..., n, None] * v for n, (_, v) in enumerate(moved))


@exercise.misconception(
    "Outputs at the end are missing where `window` does not divide the length. What does "
    "`length // window` leave over?"
)
def drops_the_ragged_end(query, key, value, window):
    class Wrong(Window):
        def starts(self):
            return range(0, max(self.length // self.window, 1) * self.window, self.window)

    return Wrong(query, key, value, window).run()


@exercise.misconception("The scores are not divided by the root of d_k.")
def forgets_the_root(query, key, value, window):
    whole = Window(query, key, value, window)
    whole.root = 1.0
    return whole.run()


@exercise.misconception(
    "What is outside the window has the score 0 instead of minus infinity, and so takes a "
    "share of the weight."
)
def gives_the_rest_a_score_of_0(query, key, value, window):
    class Wrong(Window):
        def weights(self, scores, allowed):
            return (scores * allowed).softmax(-1)

    return Wrong(query, key, value, window).run()


@exercise.misconception("The weights of a row do not sum to 1: they are masked after the softmax.")
def masks_after_the_softmax(query, key, value, window):
    class Wrong(Window):
        def weights(self, scores, allowed):
            return scores.softmax(-1) * allowed

    return Wrong(query, key, value, window).run()


@exercise.misconception("The scores are divided by d_k itself, not by its root.")
def divides_by_d_k(query, key, value, window):
    whole = Window(query, key, value, window)
    whole.root = float(query.size(-1))
    return whole.run()


@exercise.misconception(
    "What is outside the window gets a number that is not below all scores: dot products go down "
    "to -30,000. Which number is below all of them in every dtype?"
)
def fills_with_minus_10000(query, key, value, window):
    class Wrong(Window):
        def weights(self, scores, allowed):
            return scores.masked_fill(~allowed, -1e4).softmax(-1)

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "The call raises in float16. If you fill with a number such as -1e9: float16 ends at 65,504. "
    "Minus infinity fits into every dtype."
)
def fills_with_minus_a_billion(query, key, value, window):
    class Wrong(Window):
        def weights(self, scores, allowed):
            return scores.masked_fill(~allowed, -1e9).softmax(-1)

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "Masked after the softmax and divided by what is left. Where a masked score is far above the "
    "others, nothing is left, and 0 / 0 is NaN."
)
def masks_after_the_softmax_and_divides(query, key, value, window):
    class Wrong(Window):
        def weights(self, scores, allowed):
            left = scores.softmax(-1) * allowed
            return left / left.sum(-1, keepdim=True)

    return Wrong(query, key, value, window).run()
