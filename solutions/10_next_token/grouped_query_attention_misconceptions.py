"""Known mistakes of `grouped_query_attention`."""

import math

import torch

from .grouped_query_attention import exercise


class Grouped:
    """Right, with keys and values folded; the mistakes differ from this in one method."""

    def __init__(self, query, key, value, mask):
        self.query, self.key, self.value, self.mask = query, key, value, mask
        self.few, self.queries = key.size(1), query.size(2)
        self.group = query.size(1) // self.few
        self.root = math.sqrt(query.size(-1))

    def fold(self, x):
        """[batch, heads, queries, w] to [batch, few, group * queries, w]."""
        return x.unflatten(1, (self.few, self.group)).flatten(2, 3)

    def unfold(self, x):
        return x.unflatten(2, (self.group, self.queries)).flatten(1, 2)

    def weights(self, scores):
        """scores: [batch, few, group, queries, keys]."""
        mask = self.mask[:, :, None]
        nothing = ~mask.any(dim=-1, keepdim=True)
        weights = scores.masked_fill(~(mask | nothing), -math.inf).softmax(dim=-1)
        return weights.masked_fill(nothing, 0.0)

    def run(self):
        scores = self.fold(self.query) @ self.key.mT / self.root
        weights = self.weights(scores.unflatten(2, (self.group, self.queries)))
        return self.unfold(weights.flatten(2, 3) @ self.value)


@exercise.misconception(
    "The heads are dealt out in turn: 0, 1, 0, 1. Which heads of queries are neighbours in a group?"
)
def deals_heads_out_in_turn(query, key, value, mask):
    class Wrong(Grouped):
        def fold(self, x):
            return x.unflatten(1, (self.group, self.few)).transpose(1, 2).flatten(2, 3)

        def unfold(self, x):
            return x.unflatten(2, (self.group, self.queries)).transpose(1, 2).flatten(1, 2)

    return Wrong(query, key, value, mask).run()


@exercise.misconception(
    "Outputs are those of other heads: the groups go through in the reverse order, or the heads "
    "come back in another order than they went in."
)
def reverses_the_groups(query, key, value, mask):
    return Grouped(query, key.flip(1), value.flip(1), mask).run()


@exercise.misconception(
    "The right keys with the wrong heads in the end: the output has heads that come from the "
    "groups in turn. Undo what you did to the queries, in the opposite order."
)
def returns_heads_in_another_order(query, key, value, mask):
    class Wrong(Grouped):
        def unfold(self, x):
            return x.unflatten(2, (self.group, self.queries)).transpose(1, 2).flatten(1, 2)

    return Wrong(query, key, value, mask).run()


@exercise.misconception(
    "Keys and values are averaged over their heads. All heads of a group share one, but groups "
    "differ."
)
def averages_the_keys(query, key, value, mask):
    return Grouped(query, key.mean(1, keepdim=True), value.mean(1, keepdim=True), mask).run()


@exercise.misconception(
    "The heads of a group all ask the mean of their questions. They share keys, not queries."
)
def averages_the_queries(query, key, value, mask):
    group = query.size(1) // key.size(1)
    mean = query.unflatten(1, (-1, group)).mean(dim=2)
    return Grouped(mean, key, value, mask).run().repeat_interleave(group, dim=1)


@exercise.misconception("All heads use the first head of keys and values. Each group has its own.")
def uses_the_first_for_all(query, key, value, mask):
    return Grouped(query, key[:, :1], value[:, :1], mask).run()


@exercise.misconception(
    "A tensor is larger than allowed. Are keys and values repeated for every head, by a product "
    "that broadcasts them, perhaps? Or does a head meet more keys than its own? Reshape the "
    "queries instead."
)
def needs_too_much_memory(query, key, value, mask):
    group = query.size(1) // key.size(1)
    key, value = (x.repeat_interleave(group, dim=1) for x in (key, value))
    return Grouped(query, key, value, mask).run()


@exercise.misconception("Keys are shared and values are dealt out in turn. Do the same with both.")
def deals_values_out_in_turn(query, key, value, mask):
    group = query.size(1) // key.size(1)
    return Grouped(
        query, key.repeat_interleave(group, dim=1), value.repeat(1, group, 1, 1), mask
    ).run()


@exercise.misconception("The scores are not divided by the root of d_k.")
def forgets_to_divide(query, key, value, mask):
    whole = Grouped(query, key, value, mask)
    whole.root = 1.0
    return whole.run()


@exercise.misconception(
    "The scores are divided by the root of d_k times the heads of a group. Sharing keys makes no "
    "dot product longer."
)
def divides_by_the_group_too(query, key, value, mask):
    whole = Grouped(query, key, value, mask)
    whole.root *= math.sqrt(whole.group)
    return whole.run()


@exercise.misconception(
    "The scores are divided by the root of d_k times the heads, the width of the model. A dot "
    "product has d_k terms."
)
def divides_by_the_width_of_the_model(query, key, value, mask):
    whole = Grouped(query, key, value, mask)
    whole.root *= math.sqrt(query.size(1))
    return whole.run()


@exercise.misconception("The scores are divided by d_k. Its root is asked for.")
def divides_by_d_k(query, key, value, mask):
    whole = Grouped(query, key, value, mask)
    whole.root = query.size(-1)
    return whole.run()


@exercise.misconception("You divide by the root of the width of the values. Which width is d_k?")
def divides_by_the_width_of_values(query, key, value, mask):
    whole = Grouped(query, key, value, mask)
    whole.root = math.sqrt(value.size(-1))
    return whole.run()


@exercise.misconception("The mask is the wrong way round. True means: may attend.")
def turns_the_mask_round(query, key, value, mask):
    return Grouped(query, key, value, ~mask).run()


@exercise.misconception("The mask is not looked at.")
def ignores_the_mask(query, key, value, mask):
    return Grouped(query, key, value, torch.ones_like(mask)).run()


@exercise.misconception(
    "Hidden keys get the score 0, and the softmax of 0 is not 0. Which score has the weight 0?"
)
def fills_with_0(query, key, value, mask):
    class Wrong(Grouped):
        def weights(self, scores):
            weights = scores.masked_fill(~self.mask[:, :, None], 0.0).softmax(dim=-1)
            return weights.masked_fill(~self.mask.any(-1)[:, :, None, :, None], 0.0)

    return Wrong(query, key, value, mask).run()


@exercise.misconception(
    "Where all scores are far below 0, hidden keys win: the number that they get is not low "
    "enough. Minus infinity is below every score."
)
def fills_with_a_number(query, key, value, mask):
    class Wrong(Grouped):
        def weights(self, scores):
            weights = scores.masked_fill(~self.mask[:, :, None], -1e4).softmax(dim=-1)
            return weights.masked_fill(~self.mask.any(-1)[:, :, None, :, None], 0.0)

    return Wrong(query, key, value, mask).run()


@exercise.misconception(
    "The mask comes after the softmax. Then hidden keys have had their share already, and the "
    "weights that are left do not sum to 1."
)
def masks_after_the_softmax(query, key, value, mask):
    class Wrong(Grouped):
        def weights(self, scores):
            return scores.softmax(dim=-1) * self.mask[:, :, None]

    return Wrong(query, key, value, mask).run()


@exercise.misconception(
    "The weights of a key sum to 1 over the queries. Those of a query do, over the keys: `dim=-1`."
)
def normalises_over_queries(query, key, value, mask):
    class Wrong(Grouped):
        def weights(self, scores):
            mask = self.mask[:, :, None]
            nothing = ~mask.any(dim=-1, keepdim=True)
            weights = scores.masked_fill(~(mask | nothing), -math.inf).softmax(dim=-2)
            return weights.masked_fill(nothing, 0.0)

    return Wrong(query, key, value, mask).run()


@exercise.misconception(
    "A query that may attend to nothing gets NaN: its softmax has only minus infinities. It "
    "should get zeros."
)
def leaves_nan(query, key, value, mask):
    class Wrong(Grouped):
        def weights(self, scores):
            return scores.masked_fill(~self.mask[:, :, None], -math.inf).softmax(dim=-1)

    return Wrong(query, key, value, mask).run()


@exercise.misconception(
    "A query that may attend to nothing gets an average of values that it may not see. It should "
    "get zeros."
)
def averages_hidden_values(query, key, value, mask):
    class Wrong(Grouped):
        def weights(self, scores):
            lowest = torch.finfo(scores.dtype).min
            return scores.masked_fill(~self.mask[:, :, None], lowest).softmax(dim=-1)

    return Wrong(query, key, value, mask).run()


@exercise.misconception(
    "The result is summed over the heads of a group, or averaged. As many heads come out as "
    "queries have."
)
def averages_the_outputs(query, key, value, mask):
    output = Grouped(query, key, value, mask).run()
    return output.unflatten(1, (key.size(1), -1)).mean(dim=2)


@exercise.misconception(
    "Heads and queries of a group are unfolded in another order than they were folded in: weights "
    "and outputs stand at other queries."
)
def unfolds_in_another_order(query, key, value, mask):
    class Wrong(Grouped):
        def run(self):
            scores = self.fold(self.query) @ self.key.mT / self.root
            scores = scores.unflatten(2, (self.queries, self.group)).transpose(2, 3)
            output = self.weights(scores).transpose(2, 3).flatten(2, 3) @ self.value
            output = output.unflatten(2, (self.queries, self.group))
            return output.transpose(2, 3).flatten(1, 2)

    return Wrong(query, key, value, mask).run()


@exercise.misconception(
    "A number in place of minus infinity is not low enough where scores are lower, and a query "
    "that may attend to nothing gets an average of what it may not see."
)
def fills_with_a_number_and_averages(query, key, value, mask):
    class Wrong(Grouped):
        def weights(self, scores):
            return scores.masked_fill(~self.mask[:, :, None], -1e4).softmax(dim=-1)

    return Wrong(query, key, value, mask).run()


@exercise.misconception(
    "Minus a billion is no minus infinity: float16 does not have it, scores may be lower, and a "
    "query that may attend to nothing gets an average of what it may not see."
)
def fills_with_minus_a_billion(query, key, value, mask):
    class Wrong(Grouped):
        def weights(self, scores):
            return scores.masked_fill(~self.mask[:, :, None], -1e9).softmax(dim=-1)

    return Wrong(query, key, value, mask).run()
