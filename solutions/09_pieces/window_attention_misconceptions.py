"""Known mistakes of `window_attention`."""

import torch

from .window_attention import exercise
from .window_attention_edges import Window


@exercise.misconception(
    "The result is right, but there are scores of far more pairs than are seen, as where a mask of "
    "all pairs makes the band: nearly all of them are thrown away."
)
def masks_all_pairs(query, key, value, window):
    whole = Window(query, key, value, window)
    _ = whole.block(0, whole.length)
    return whole.run()  # with the same last digits as others'


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
    "Queries see all earlier keys that stand in their piece, also those that are too far back. "
    "Besides the later keys, which ones does a small mask have to hide?"
)
def hides_later_keys_only(query, key, value, window):
    class Wrong(Window):
        def allowed(self, apart):
            return apart >= 0

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "All queries of a block see all keys that any of them sees. Within a block a small mask is "
    "still needed."
)
def forgets_the_mask_in_the_block(query, key, value, window):
    class Wrong(Window):
        def allowed(self, apart):
            return torch.ones_like(apart, dtype=torch.bool)

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "The triangle of each block begins at its upper left corner: its first query sees the first "
    "key alone. `is_causal` aligns it there, as `tril` does. Which key of the block is a query's "
    "own?"
)
def aligns_the_triangle_at_the_first_key(query, key, value, window):
    class Wrong(Window):
        def weights(self, scores, allowed):
            return super().weights(scores, torch.ones_like(allowed).tril())

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "A position does not see itself. Position 0 then sees nothing at all, and the "
    "softmax of nothing is NaN. A position is the last of the `window` that it sees."
)
def hides_the_own_key(query, key, value, window):
    class Wrong(Window):
        def allowed(self, apart):
            return (apart > 0) & (apart < self.window)

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "The window's far end is right, but a query also sees later keys of its block."
)
def forgets_causality_in_the_block(query, key, value, window):
    class Wrong(Window):
        def allowed(self, apart):
            return apart < self.window

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


@exercise.misconception(
    "Queries see one position too few, and none at all where `window` is 1: there the softmax of "
    "nothing is NaN. A query is itself one of its `window` positions: how many come before it?"
)
def sees_none_with_a_window_of_1(query, key, value, window):
    class Wrong(Window):
        def allowed(self, apart):
            return (apart >= 0) & (apart < self.window - 1)

    return Wrong(query, key, value, window).run()


@exercise.misconception(
    "The window is ignored: each query sees all that came before it, and far more pairs are "
    "computed than are seen. Which key is the first that a query sees?"
)
def ignores_the_window(query, key, value, window):
    class Wrong(Window):
        def allowed(self, apart):
            return apart >= 0

    whole = Wrong(query, key, value, window)
    return whole.block(0, whole.length)
