"""Known mistakes of `alibi_bias`."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from .alibi_bias import exercise


def slopes_of(num_heads: int) -> list[float]:
    """As the text defines them."""
    power = 1 << (num_heads.bit_length() - 1)
    own = [2.0 ** (-8 * (a + 1) / power) for a in range(power)]
    return (own + [2.0 ** (-4 * (a + 1) / power) for a in range(0, 2 * power, 2)])[:num_heads]


def steps_back(queries: int, keys: int) -> Int[Tensor, "queries keys"]:
    """From each query to each key; negative where the key is later."""
    return torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)


def bias_of(
    slopes: list[float], back: Float[Tensor, "queries keys"] | Int[Tensor, "queries keys"]
) -> Float[Tensor, "num_heads queries keys"]:
    """Slopes times steps, and minus infinity for later keys."""
    bias = -torch.tensor(slopes)[:, None, None] * back
    return bias.masked_fill(back < 0, -torch.inf)


@exercise.base
def right(num_heads, queries, keys):
    return bias_of(slopes_of(num_heads), steps_back(queries, keys))


@exercise.base
def masked(num_heads, queries, keys):
    back = steps_back(queries, keys)
    bias = -torch.tensor(slopes_of(num_heads))[:, None, None] * back
    return bias.masked_fill(back < 0, -torch.inf)


@exercise.base
def with_finer_slopes(num_heads, queries, keys):
    power = 1 << (num_heads.bit_length() - 1)
    own = [2.0 ** (-8 * (a + 1) / power) for a in range(power)]
    own += [2.0 ** (-4 * (a + 1) / power) for a in range(0, 2 * power, 2)]
    return bias_of(own[:num_heads], steps_back(queries, keys))


# fmt: off
masked.mistake("rewards_the_distance", {"bias = -": "bias ="},
    "In your result, keys that are farther away get a larger bias. Which sign makes it a penalty?")
right.mistake("rewards_the_future",
    {"bias_of": "-torch.tensor", "num_heads),": "num_heads))[:, None, None] *", "keys))": "keys)"},
    "In your result a later key gets a positive bias, so it counts more than the present one. "
    "Which bias hides it completely?")
right.mistake("is_alike_in_both_directions",
    {"bias_of": "-torch.tensor",
     "num_heads),": "num_heads))[:, None, None] *",
     "keys))": "keys).abs()"},
    "You take the absolute distance, so later keys get a penalty like earlier ones. They should "
    "be hidden. What is added to their score?")
right.mistake("leaves_the_future_open",
    {"bias_of": "-torch.tensor",
     "num_heads),": "num_heads))[:, None, None] *",
     "keys))": "keys).clamp(min=0)"},
    "In your result later keys have the bias 0, the same as the query's own key, so nothing hides "
    "them.")
right.mistake("puts_the_first_query_at_the_first_key",
    {"steps_back(queries, keys)": "torch.arange(queries)[:, None] - torch.arange(keys)"},
    "You place the first query at the first key. The queries are the newest tokens. With 3 "
    "queries and 7 keys, at which position is the first query?")
right.mistake("has_one_slope_for_all", {", steps_back": "[:1] * num_heads, steps_back"},
    "All heads have the same slope. Each head needs its own, so that heads look back over "
    "different distances.")
with_finer_slopes.mistake("begins_with_slope_1", {"8 * (a + 1)": "8 * a", "4 * (a + 1)": "4 * a"},
    "Your first head has the slope 1. In the formula heads count from 1. What is the exponent of "
    "the first?")
right.mistake("halves_the_slope_each_time",
    {"slopes_of(num_heads)": "[0.5 ** (a + 1) for a in range(num_heads)]"},
    "Your slopes are 1/2, 1/4, 1/8 and so on for any number of heads, which is right with 8 "
    "heads. With 4 heads, what is each slope multiplied by to get the next?")
right.mistake("takes_the_formula_for_any_number",
    {"slopes_of(num_heads)": "[2.0 ** (-8 * (a + 1) / num_heads) for a in range(num_heads)]"},
    "Powers of two are right. For another number of heads you put that number into the formula, "
    "but the text combines two series of slopes.")
right.mistake("cuts_the_next_power",
    {"slopes_of(num_heads)":
        "[2.0 ** (-8 * (a + 1) / (1 << (num_heads - 1).bit_length())) for a in range(num_heads)]"},
    "Powers of two are right. For another number of heads you take the first slopes of the next "
    "larger power of two. The text starts from the power below.")
with_finer_slopes.mistake("takes_slopes_that_are_there", {"4 * (a + 1)": "4 * (a + 2)"},
    "Powers of two are right. In your result the remaining heads take the second, the fourth, … "
    "of the finer slopes, which are in use already. With which one does the text begin?")
with_finer_slopes.mistake("takes_finer_slopes_in_a_row", {"0, 2 * power, 2": "power"},
    "Powers of two are right. In your result the remaining heads take consecutive finer slopes. "
    "The text takes every other one.")
right.mistake("sorts_the_slopes",
    {"slopes_of(num_heads)": "sorted(slopes_of(num_heads), reverse=True)"},
    "The slopes are right, but you sorted them. Those of the remaining heads come last, whatever "
    "their size.")


@exercise.misconception(
    "The slopes are right, but those of the remaining heads come first. The first heads should "
    "have the slopes of the power of two."
)
def puts_the_finer_slopes_first(num_heads, queries, keys):
    power = 1 << (num_heads.bit_length() - 1)
    slopes = slopes_of(num_heads)
    return bias_of(slopes[power:] + slopes[:power], steps_back(queries, keys))


@exercise.misconception(
    "Powers of two are right. For another number your result has more heads than the exercise "
    "asks for. Take only as many of the finer slopes as there are remaining heads."
)
def takes_all_finer_slopes(num_heads, queries, keys):
    power = 1 << (num_heads.bit_length() - 1)
    slopes = slopes_of(power)
    if power < num_heads:
        slopes += [2.0 ** (-4 * (a + 1) / power) for a in range(0, 2 * power, 2)]
    return bias_of(slopes, steps_back(queries, keys))


right.mistake("reverses_the_heads", {", steps_back": "[::-1], steps_back"},
    "The heads are in reverse order. Head 0 has the largest slope of its series.")
masked.mistake("counts_back_from_the_last_key",
    {"steps_back": "(keys - 1 - torch.arange(keys)).expand",
     "back < 0": "steps_back(queries, keys) < 0"},
    "Your bias depends on the key only. The weights would be the same, since a softmax ignores a "
    "number added to a whole row, but the exercise asks for 0 at each query's own key.")
right.mistake("grows_with_the_keys_position",
    {"bias_of": "torch.tensor",
     ", steps_back": ")[:, None, None] * torch.arange(keys).expand",
     "keys))": "keys)"},
    "Your bias grows with the key's position, as in some libraries, and hides nothing. Each query "
    "should see its own key with 0, and later keys not at all.")
masked.mistake("grows_up_to_the_present",
    {"steps_back": "torch.arange(keys).expand",
     "bias = -": "bias =",
     "back < 0": "steps_back(queries, keys) < 0"},
    "Later keys are hidden, but the others get the slope times their own position. That gives the "
    "same weights, as in some libraries, but the exercise asks for 0 at each query's own key.")
right.mistake("fills_with_a_large_number", {"keys))": "keys)).clamp(min=-1e9)"},
    "Later keys get a large negative number. In half precision it may overflow, and large scores "
    "may outweigh it. Which number is below all others?")
right.mistake("fills_with_the_least_number",
    {"keys))": "keys)).clamp(min=torch.finfo(torch.float32).min)"},
    "Later keys get the lowest number of float32, which is finite. The exercise asks for minus "
    "infinity: `-math.inf` in Python.")
masked.mistake("hides_the_present", {"back < 0": "back <= 0"},
    "Each query's own key is hidden, too. It is not later than the query: its distance is 0, and "
    "so is its bias.")
masked.mistake("multiplies_a_mask_by_infinity",
    {"bias.masked_fill(back < 0, -torch.inf)": "bias + (back < 0) * -torch.inf"},
    "Entries are NaN, because 0 times infinity is NaN. Do not multiply a mask by infinity. Fill, "
    "or choose with `torch.where`.")
right.mistake("swaps_the_last_two_axes", {"keys))": "keys)).mT"},
    "Rows and columns are swapped. Rows are queries, columns are keys. Which of the two numbers "
    "comes first in the shape?")
right.mistake("puts_the_heads_last", {"keys))": "keys)).permute(1, 2, 0)"},
    "In your result the heads are the last axis. They should be the first, so that the bias can "
    "be added to scores of shape (batch, heads, queries, keys).")
right.mistake("puts_the_queries_first", {"keys))": "keys)).transpose(0, 1)"},
    "In your result the queries are the first axis. The heads should be first, so that the bias "
    "can be added to scores of shape (batch, heads, queries, keys).")
masked.mistake("counts_the_distance_from_1", {"* back": "* (back + 1)"},
    "Each distance is one too large: a query's own key has the distance 0, and the key before it "
    "1.")
