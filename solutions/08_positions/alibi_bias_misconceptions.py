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


@exercise.misconception(
    "Keys that are farther away get a larger bias in yours. Which sign makes it a penalty?"
)
def rewards_the_distance(num_heads, queries, keys):
    back = steps_back(queries, keys)
    bias = torch.tensor(slopes_of(num_heads))[:, None, None] * back
    return bias.masked_fill(back < 0, -torch.inf)


@exercise.misconception(
    "A later key gets a positive bias in yours, so that it counts more than the present. Which "
    "bias takes it out altogether?"
)
def rewards_the_future(num_heads, queries, keys):
    return -torch.tensor(slopes_of(num_heads))[:, None, None] * steps_back(queries, keys)


@exercise.misconception(
    "You take the size of the distance, so that later keys get a penalty like earlier ones. They "
    "are to be out of reach: what is added to their score?"
)
def is_alike_in_both_directions(num_heads, queries, keys):
    return -torch.tensor(slopes_of(num_heads))[:, None, None] * steps_back(queries, keys).abs()


@exercise.misconception(
    "Later keys have the bias 0 in yours, the same as the query's own key: nothing hides them."
)
def leaves_the_future_open(num_heads, queries, keys):
    back = steps_back(queries, keys).clamp(min=0)
    return -torch.tensor(slopes_of(num_heads))[:, None, None] * back


@exercise.misconception(
    "Your first query stands at the first key. The queries are the newest tokens: with 3 queries "
    "and 7 keys, at which position does the first of them stand?"
)
def puts_the_first_query_at_the_first_key(num_heads, queries, keys):
    back = torch.arange(queries)[:, None] - torch.arange(keys)
    return bias_of(slopes_of(num_heads), back)


@exercise.misconception(
    "All heads have one slope. With a slope of its own each head looks back a distance of its own."
)
def has_one_slope_for_all(num_heads, queries, keys):
    return bias_of(slopes_of(num_heads)[:1] * num_heads, steps_back(queries, keys))


@exercise.misconception(
    "Your first head has the slope 1. In the formula heads count from 1: what is the exponent of "
    "the first?"
)
def begins_with_slope_1(num_heads, queries, keys):
    power = 1 << (num_heads.bit_length() - 1)
    own = [2.0 ** (-8 * a / power) for a in range(power)]
    own += [2.0 ** (-4 * a / power) for a in range(0, 2 * power, 2)]
    return bias_of(own[:num_heads], steps_back(queries, keys))


@exercise.misconception(
    "Your slopes are 1/2, 1/4, 1/8 and so on for any number of heads. With 8 heads this is right: "
    "by what is each slope multiplied to get the next if there are 4?"
)
def halves_the_slope_each_time(num_heads, queries, keys):
    return bias_of([0.5 ** (a + 1) for a in range(num_heads)], steps_back(queries, keys))


@exercise.misconception(
    "Powers of two are right. For another number of heads you put that number into the formula; "
    "the text builds them from two series of slopes."
)
def takes_the_formula_for_any_number(num_heads, queries, keys):
    slopes = [2.0 ** (-8 * (a + 1) / num_heads) for a in range(num_heads)]
    return bias_of(slopes, steps_back(queries, keys))


@exercise.misconception(
    "Powers of two are right. For another number of heads you take the first slopes of the next "
    "power of two above. The text begins with the one below."
)
def cuts_the_next_power(num_heads, queries, keys):
    power = 1 << (num_heads - 1).bit_length()
    slopes = [2.0 ** (-8 * (a + 1) / power) for a in range(num_heads)]
    return bias_of(slopes, steps_back(queries, keys))


@exercise.misconception(
    "Powers of two are right. The heads that are left over take the second, the fourth, … of the "
    "finer slopes in yours: those are there already. With which one does the text begin?"
)
def takes_slopes_that_are_there(num_heads, queries, keys):
    power = 1 << (num_heads.bit_length() - 1)
    own = [2.0 ** (-8 * (a + 1) / power) for a in range(power)]
    own += [2.0 ** (-4 * (a + 2) / power) for a in range(0, 2 * power, 2)]
    return bias_of(own[:num_heads], steps_back(queries, keys))


@exercise.misconception(
    "Powers of two are right. The heads that are left over take the first of the finer slopes in "
    "a row in yours. The text takes every other one."
)
def takes_finer_slopes_in_a_row(num_heads, queries, keys):
    power = 1 << (num_heads.bit_length() - 1)
    own = [2.0 ** (-8 * (a + 1) / power) for a in range(power)]
    own += [2.0 ** (-4 * (a + 1) / power) for a in range(power)]
    return bias_of(own[:num_heads], steps_back(queries, keys))


@exercise.misconception(
    "The slopes are right, but you sorted them. Those of the heads that are left over come last, "
    "whatever their size."
)
def sorts_the_slopes(num_heads, queries, keys):
    slopes = sorted(slopes_of(num_heads), reverse=True)
    return bias_of(slopes, steps_back(queries, keys))


@exercise.misconception(
    "The slopes are right, but those of the heads that are left over come first in yours. The "
    "first heads have the slopes of the power of two."
)
def puts_the_finer_slopes_first(num_heads, queries, keys):
    power = 1 << (num_heads.bit_length() - 1)
    slopes = slopes_of(num_heads)
    return bias_of(slopes[power:] + slopes[:power], steps_back(queries, keys))


@exercise.misconception(
    "Powers of two are right. For another number you give more heads than were asked for: of the "
    "finer slopes, take as many as heads are left over."
)
def takes_all_finer_slopes(num_heads, queries, keys):
    power = 1 << (num_heads.bit_length() - 1)
    slopes = slopes_of(power)
    if power < num_heads:
        slopes += [2.0 ** (-4 * (a + 1) / power) for a in range(0, 2 * power, 2)]
    return bias_of(slopes, steps_back(queries, keys))


@exercise.misconception(
    "The heads are in the reverse order. Head 0 has the largest slope of its series."
)
def reverses_the_heads(num_heads, queries, keys):
    return bias_of(slopes_of(num_heads)[::-1], steps_back(queries, keys))


@exercise.misconception(
    "Your bias depends on the key only. The weights would be the same, since a softmax does not "
    "see what a whole row shares; but asked for is 0 at each query's own key."
)
def counts_back_from_the_last_key(num_heads, queries, keys):
    last = (keys - 1 - torch.arange(keys)).expand(queries, keys)
    bias = -torch.tensor(slopes_of(num_heads))[:, None, None] * last
    return bias.masked_fill(steps_back(queries, keys) < 0, -torch.inf)


@exercise.misconception(
    "Your bias grows with the key's position, as some libraries have it, and hides nothing. Each "
    "query is to see its own key with 0, and later keys not at all."
)
def grows_with_the_keys_position(num_heads, queries, keys):
    line = torch.arange(keys).expand(queries, keys)
    return torch.tensor(slopes_of(num_heads))[:, None, None] * line


@exercise.misconception(
    "Later keys are hidden, but the others have the slope times their own position. That gives the "
    "same weights, as some libraries have it; asked for is 0 at each query's own key."
)
def grows_up_to_the_present(num_heads, queries, keys):
    line = torch.arange(keys).expand(queries, keys)
    bias = torch.tensor(slopes_of(num_heads))[:, None, None] * line
    return bias.masked_fill(steps_back(queries, keys) < 0, -torch.inf)


@exercise.misconception(
    "Later keys get a large negative number. In half precision it may overflow, and large scores "
    "may outweigh it. Which number is below all others?"
)
def fills_with_a_large_number(num_heads, queries, keys):
    return bias_of(slopes_of(num_heads), steps_back(queries, keys)).clamp(min=-1e9)


@exercise.misconception(
    "Later keys get the least number of float32, which is finite. Asked for is minus infinity: "
    "`-math.inf` in Python."
)
def fills_with_the_least_number(num_heads, queries, keys):
    least = torch.finfo(torch.float32).min
    return bias_of(slopes_of(num_heads), steps_back(queries, keys)).clamp(min=least)


@exercise.misconception(
    "Each query's own key is hidden, too. It is not later than the query: its distance is 0, and "
    "so is its bias."
)
def hides_the_present(num_heads, queries, keys):
    back = steps_back(queries, keys)
    bias = -torch.tensor(slopes_of(num_heads))[:, None, None] * back
    return bias.masked_fill(back <= 0, -torch.inf)


@exercise.misconception(
    "Entries are NaN: 0 times infinity is no number. Do not multiply a mask by infinity; fill, or "
    "choose with `torch.where`."
)
def multiplies_a_mask_by_infinity(num_heads, queries, keys):
    back = steps_back(queries, keys)
    bias = -torch.tensor(slopes_of(num_heads))[:, None, None] * back
    return bias + (back < 0) * -torch.inf


@exercise.misconception(
    "Rows and columns are swapped. Rows are queries, columns are keys: which of the two numbers "
    "comes first in the shape?"
)
def swaps_the_last_two_axes(num_heads, queries, keys):
    return bias_of(slopes_of(num_heads), steps_back(queries, keys)).mT


@exercise.misconception(
    "The heads are the last axis in yours. They are the first one, so that the bias can be added "
    "to scores of shape (batch, heads, queries, keys)."
)
def puts_the_heads_last(num_heads, queries, keys):
    return bias_of(slopes_of(num_heads), steps_back(queries, keys)).permute(1, 2, 0)


@exercise.misconception(
    "The queries are the first axis in yours. The heads are, so that the bias can be added to "
    "scores of shape (batch, heads, queries, keys)."
)
def puts_the_queries_first(num_heads, queries, keys):
    return bias_of(slopes_of(num_heads), steps_back(queries, keys)).transpose(0, 1)


@exercise.misconception(
    "Each distance is one too large: a query's own key has the distance 0, and the one before it 1."
)
def counts_the_distance_from_1(num_heads, queries, keys):
    back = steps_back(queries, keys)
    bias = -torch.tensor(slopes_of(num_heads))[:, None, None] * (back + 1)
    return bias.masked_fill(back < 0, -torch.inf)
