"""Known mistakes of `merge`."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from .merge import exercise


def factors(
    maximum_1: Float[Tensor, "..."], maximum_2: Float[Tensor, "..."]
) -> tuple[Float[Tensor, "..."], Float[Tensor, "..."], Float[Tensor, "..."]]:
    """The larger maximum, and what corrects either part."""
    highest = torch.maximum(maximum_1, maximum_2)
    shift = highest.masked_fill(highest == -math.inf, 0.0)
    return highest, (maximum_1 - shift).exp(), (maximum_2 - shift).exp()


@exercise.base
def right(maximum_1, total_1, summed_1, maximum_2, total_2, summed_2):
    highest, scale_1, scale_2 = factors(maximum_1, maximum_2)
    total = total_1 * scale_1 + total_2 * scale_2
    summed = summed_1 * scale_1[..., None] + summed_2 * scale_2[..., None]
    return highest, total, summed


@exercise.base
def step_by_step(maximum_1, total_1, summed_1, maximum_2, total_2, summed_2):
    highest = torch.maximum(maximum_1, maximum_2)
    shift = highest.masked_fill(highest == -math.inf, 0.0)
    scale_1, scale_2 = (maximum_1 - shift).exp(), (maximum_2 - shift).exp()
    summed = summed_1 * scale_1[..., None] + summed_2 * scale_2[..., None]
    return highest, total_1 * scale_1 + total_2 * scale_2, summed


# fmt: off
@exercise.misconception(
    "You add totals and sums as they are. They were measured against different maxima. In the "
    "text's example, what becomes of a 1 that was measured against the maximum 1?"
)
def adds_without_correcting(maximum_1, total_1, summed_1, maximum_2, total_2, summed_2):
    return torch.maximum(maximum_1, maximum_2), total_1 + total_2, summed_1 + summed_2


right.mistake("corrects_the_first_only",
    {"total_2 * scale_2": "total_2", "summed_2 * scale_2[..., None]": "summed_2"},
    "You add the second part unchanged. That is right only where its maximum is the larger one. "
    "What if the first part has the larger maximum?")
right.mistake("corrects_the_second_only",
    {"total_1 * scale_1": "total_1", "summed_1 * scale_1[..., None]": "summed_1"},
    "You add the first part unchanged. That is right only where its maximum is the larger one. "
    "What if a larger score comes later?")
right.mistake("corrects_the_totals_only",
    {"summed_1 * scale_1[..., None] + summed_2 * scale_2[..., None]": "summed_1 + summed_2"},
    "The totals are right, but the sums are not corrected. Which maximum are the exponentials in "
    "`summed` measured against?")
right.mistake("corrects_the_sums_only",
    {"total_1 * scale_1 + total_2 * scale_2": "total_1 + total_2"},
    "The sums are right, but the totals are not corrected. A total is a sum of exponentials, too, "
    "each measured against the maximum of its part.")
step_by_step.mistake("is_nan_where_both_are_empty",
    {"highest.masked_fill(highest == -math.inf, 0.0)": "highest"},
    "Where both parts are empty the result is NaN: minus infinity minus minus infinity. What can "
    "you subtract there instead, so that the exponential is 0?")


@exercise.misconception(
    "Small scores come out right, but large ones are infinite or 0 / 0, because you take the "
    "exponential of a maximum itself. Which difference of two maxima is never above 0?"
)
def takes_plain_exponentials(maximum_1, total_1, summed_1, maximum_2, total_2, summed_2):
    highest = torch.maximum(maximum_1, maximum_2)
    scale_1, scale_2 = maximum_1.exp(), maximum_2.exp()
    back = (-highest.masked_fill(highest == -math.inf, 0.0)).exp()
    summed = summed_1 * scale_1[..., None] + summed_2 * scale_2[..., None]
    return highest, (total_1 * scale_1 + total_2 * scale_2) * back, summed * back[..., None]


step_by_step.mistake("grows_instead_of_shrinking",
    {"maximum_1 - shift": "shift - maximum_1", "maximum_2 - shift": "shift - maximum_2"},
    "The exponent has the wrong sign, so the part with the smaller maximum grows. Should an old "
    "exponential grow or shrink when it is measured against a larger maximum?")
right.mistake("takes_the_sums_for_averages",
    {"summed_1 * scale_1[..., None] + summed_2 * scale_2[..., None]":
        "summed_1 * (total_1 * scale_1)[..., None] + summed_2 * (total_2 * scale_2)[..., None]"},
    "You treat `summed` as if it had been divided by its total already, and multiply by the "
    "total. Is it a sum or an average?")
right.mistake("returns_averages",
    {"total, summed\n": "total, summed / total.clamp(min=1e-30)[..., None]\n"},
    "You return the output, which is the sums divided by the total. The next merge would divide "
    "again. What do the arguments hold, sums or averages?")
step_by_step.mistake("shares_one_maximum", {"maximum_2)": "maximum_2).max().expand_as(maximum_1)"},
    "Your result has one maximum for all queries. Each query has its own scores. Which of torch's "
    "functions compares two tensors entry by entry?")
right.mistake("lets_the_factor_fall_on_the_features",
    {"scale_1[..., None]": "scale_1", "scale_2[..., None]": "scale_2"},
    "A factor for each query does not fit sums of shape (queries, d_v), or multiplies the "
    "features where it fits by chance. Which axis is missing from the factor?")
step_by_step.mistake("starts_at_zero",
    {"maximum_2)\n": "maximum_2).clamp(min=0)\n",
     "highest.masked_fill(highest == -math.inf, 0.0)": "highest"},
    "Scores that are all below 0 get the maximum 0. Do you start a maximum at 0 somewhere? The "
    "maximum of nothing is minus infinity.")


@exercise.misconception(
    "The numbers are right, but the caller's tensors have changed. `*=` and `+=` write into the "
    "tensors that you were given."
)
def changes_the_first_part(maximum_1, total_1, summed_1, maximum_2, total_2, summed_2):
    highest, scale_1, scale_2 = factors(maximum_1, maximum_2)
    total_1 *= scale_1
    total_1 += total_2 * scale_2
    summed_1 *= scale_1[..., None]
    summed_1 += summed_2 * scale_2[..., None]
    return highest, total_1, summed_1


right.mistake("loses_a_part_of_equal_maxima",
    {"total =": "scale_1 = scale_1.masked_fill(maximum_1 == maximum_2, 0.0)\n    total ="},
    "Where both maxima are equal, a part is lost. Neither `>` nor `<` holds then. Which factor "
    "does each part get?")
right.mistake("exchanges_the_factors", {"highest, scale_1, scale_2": "highest, scale_2, scale_1"},
    "The two factors are exchanged: each part is multiplied by the factor of the other. Which of "
    "them has to shrink?")


@exercise.misconception(
    "Near 30,000, float32 has steps of 0.002. A logarithm that is added to such a maximum loses "
    "its digits, so the exponential is off. What can you compute from differences of maxima?"
)
def goes_through_logarithms(maximum_1, total_1, summed_1, maximum_2, total_2, summed_2):
    logs = [maximum_1 + total_1.log(), maximum_2 + total_2.log()]
    both, highest = torch.logaddexp(*logs), torch.maximum(maximum_1, maximum_2)
    total = (both - highest).exp().nan_to_num(nan=0.0)
    pairs = zip(logs, (total_1, total_2), (summed_1, summed_2), strict=True)
    summed = sum(
        ((log - both).exp()[..., None] * of_values / part[..., None]).nan_to_num(nan=0.0)
        for log, part, of_values in pairs
    )
    return highest, total, total[..., None] * summed


step_by_step.mistake("returns_what_stands_for_nothing",
    {"shift = highest.": "shift = highest = highest."},
    "Two empty parts get the maximum 0. You may use a finite number in the differences, but the "
    "maximum of nothing is minus infinity, and the next merge relies on it.")
right.mistake("exchanges_the_factors_of_the_sums",
    {"summed_1 * scale_1": "summed_1 * scale_2", "summed_2 * scale_2": "summed_2 * scale_1"},
    "Maximum and total are right. In `summed` the factors are exchanged: each part is multiplied "
    "by the factor of the other. Which maximum was each of the two sums measured against?")
step_by_step.mistake("measures_against_one_maximum",
    {"masked_fill(highest == -math.inf, 0.0)": "max().clamp(min=-1e30)"},
    "You return each query's maximum, but measure totals and sums against the largest maximum of "
    "all queries. Each query's numbers have to match its own maximum.")
right.mistake("takes_the_logarithm_of_nothing",
    {"total = total_1 * scale_1 + total_2 * scale_2":
        "both = torch.logaddexp(maximum_1 + total_1.log(), maximum_2 + total_2.log())\n"
        "    total = (both - highest).exp()"},
    "You work with logarithms. The logarithm of an empty part is minus infinity, and two such "
    "parts give NaN. Near 30,000, a logarithm that is added to a maximum loses its digits.")


@exercise.misconception(
    "You measure totals and sums against the first part's maximum, even where the second one is "
    "larger. Which of the two maxima do you return with them?"
)
def measures_against_the_first(maximum_1, total_1, summed_1, maximum_2, total_2, summed_2):
    scale = (maximum_2 - maximum_1).exp()
    summed = summed_1 + summed_2 * scale[..., None]
    return torch.maximum(maximum_1, maximum_2), total_1 + total_2 * scale, summed


@exercise.misconception(
    "You measure totals and sums against the second part's maximum, even where the first one is "
    "larger. Which of the two maxima do you return with them?"
)
def measures_against_the_second(maximum_1, total_1, summed_1, maximum_2, total_2, summed_2):
    scale = (maximum_1 - maximum_2).exp()
    summed = summed_1 * scale[..., None] + summed_2
    return torch.maximum(maximum_1, maximum_2), total_1 * scale + total_2, summed
