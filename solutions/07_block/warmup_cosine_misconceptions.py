"""Known mistakes of `warmup_cosine`."""

import math

import torch

from .warmup_cosine import exercise


def fallen(share):
    return (1 + math.cos(math.pi * share)) / 2


def down(step, peak, warmup, total):
    return peak * fallen(min((step - warmup) / (total - warmup), 1.0))


def schedule(step, peak, warmup, total):
    """The right one, which the wrong ones differ from in a part."""
    if step < warmup:
        return peak * (step + 1) / warmup
    return down(step, peak, warmup, total)


@exercise.misconception(
    "At step 0 your rate is 0: the first batch changes nothing. And some schedulers never leave "
    "step 0. Which step is the first to have a rate?"
)
def zero_at_step_zero(step, peak, warmup, total):
    return peak * step / warmup if step < warmup else down(step, peak, warmup, total)


@exercise.misconception(
    "Your way up begins with 0 and reaches the peak in one step less, as `linspace(0, peak, "
    "warmup)` does. Which share of the peak has step 0 in the formula?"
)
def way_up_from_zero_to_the_peak(step, peak, warmup, total):
    if step < warmup:
        return peak * step / max(warmup - 1, 1)
    return down(step, peak, warmup, total)


@exercise.misconception(
    "Your last step of warm-up is still below the peak. How many steps does the way up have, and "
    "which share of the peak has the last of them?"
)
def warmup_ends_below_the_peak(step, peak, warmup, total):
    return peak * (step + 1) / (warmup + 1) if step < warmup else down(step, peak, warmup, total)


@exercise.misconception(
    "Without warm-up you divide by 0. What does the text say about step 0 then?"
)
def divides_by_no_warmup(step, peak, warmup, total):
    along = (min(max(step, warmup), total) - warmup) / (total - warmup)
    return peak * min((step + 1) / warmup, fallen(along))


@exercise.misconception(
    "Warm-up counts twice: the way down is as long as all steps, and begins somewhere in the "
    "middle. How far along the way down is step `warmup`?"
)
def way_down_from_step_zero(step, peak, warmup, total):
    if step < warmup:
        return schedule(step, peak, warmup, total)
    return peak * fallen(min(step / total, 1.0))


@exercise.misconception(
    "The way down begins at the right step and is too long: at step `total` the rate is not 0. How "
    "many steps are left after warm-up?"
)
def way_down_as_long_as_all(step, peak, warmup, total):
    if step < warmup:
        return schedule(step, peak, warmup, total)
    return peak * fallen(min((step - warmup) / total, 1.0)) if step < total else 0.0


@exercise.misconception(
    "The way down ends `warmup` steps after `total`. Does `total` count warm-up or come on top of "
    "it? Look at the example."
)
def total_after_warmup(step, peak, warmup, total):
    if step < warmup:
        return schedule(step, peak, warmup, total)
    return peak * fallen(min((step - warmup) / total, 1.0))


@exercise.misconception(
    "The cosine is multiplied with the warm-up from step 0 on, so that the rate never reaches the "
    "peak. One comes after the other."
)
def multiplies_both(step, peak, warmup, total):
    return peak * min((step + 1) / max(warmup, 1), 1.0) * fallen(min(step / total, 1.0))


@exercise.misconception(
    "After step `total` your rate rises again: a cosine is periodic. What keeps it at 0?"
)
def rises_again(step, peak, warmup, total):
    if step < warmup:
        return schedule(step, peak, warmup, total)
    return peak * fallen((step - warmup) / (total - warmup))


@exercise.misconception(
    "Your way down is a step late: the rate at step `total` is not yet 0. How far along the way "
    "down is step `warmup`, and how far the step after it?"
)
def way_down_a_step_late(step, peak, warmup, total):
    if step < warmup:
        return schedule(step, peak, warmup, total)
    return down(max(step - 1, warmup), peak, warmup, total)


@exercise.misconception(
    "Your steps count from 1: every rate is that of the step after it. Which rate has step 0?"
)
def counts_steps_from_1(step, peak, warmup, total):
    return schedule(step + 1, peak, warmup, total)


@exercise.misconception(
    "The way down begins at the right step and is a step too long: the rate at step `total` is not "
    "0. How many steps lie between `warmup` and `total`?"
)
def way_down_a_step_too_long(step, peak, warmup, total):
    return schedule(step, peak, warmup, total + 1)


@exercise.misconception(
    "Your way down is a step early: the rate is 0 at step `total - 1`. Which step is the first "
    "with the rate 0?"
)
def way_down_a_step_early(step, peak, warmup, total):
    if step < warmup:
        return schedule(step, peak, warmup, total)
    return peak * fallen(min((step + 1 - warmup) / (total - warmup), 1.0))


@exercise.misconception(
    "Your way down is a straight line. Half a cosine is flat at both ends and steep in the middle."
)
def straight_down(step, peak, warmup, total):
    if step < warmup:
        return schedule(step, peak, warmup, total)
    return peak * max(1 - (step - warmup) / (total - warmup), 0.0)


@exercise.misconception(
    "Your cosine runs over a quarter of its period: it falls slowly first and steeply at the end. "
    "From which angle to which does half a cosine go, and what does 1 + cos do to it?"
)
def a_quarter_of_the_period(step, peak, warmup, total):
    if step < warmup:
        return schedule(step, peak, warmup, total)
    return peak * math.cos(math.pi / 2 * min((step - warmup) / (total - warmup), 1.0))


@exercise.misconception(
    "Your cosine runs over a whole period: the rate is back at the peak at step `total`. Over "
    "which angle does it fall from 1 to -1?"
)
def a_whole_period(step, peak, warmup, total):
    if step < warmup:
        return schedule(step, peak, warmup, total)
    return peak * fallen(2 * min((step - warmup) / (total - warmup), 1.0))


@exercise.misconception(
    "You leave out the half: at the join your rate jumps to twice the peak. How large is 1 + "
    "cos(0)?"
)
def forgets_the_half(step, peak, warmup, total):
    if step < warmup:
        return schedule(step, peak, warmup, total)
    return 2 * down(step, peak, warmup, total)


@exercise.misconception(
    "On the way down your rate rises from 0 to the peak. Which sign stands before the cosine?"
)
def rises_on_the_way_down(step, peak, warmup, total):
    if step < warmup:
        return schedule(step, peak, warmup, total)
    return peak - down(step, peak, warmup, total)


@exercise.misconception(
    "The cosine is one of float32. Near the end 1 + cos is small, and rounding is most of what is "
    "left of it. `math.cos` has the digits of a Python float."
)
def cosine_in_float32(step, peak, warmup, total):
    if step < warmup:
        return schedule(step, peak, warmup, total)
    share = min((step - warmup) / (total - warmup), 1.0)
    return peak / 2 * (1 + torch.cos(torch.tensor(math.pi * share)).item())


@exercise.misconception("The angle is in degrees for you: `math.cos` takes radians.")
def in_degrees(step, peak, warmup, total):
    if step < warmup:
        return schedule(step, peak, warmup, total)
    return peak * (1 + math.cos(180 * min((step - warmup) / (total - warmup), 1.0))) / 2


@exercise.misconception(
    "The way up is right. On the way down the rate is a share of the peak: the factor `peak` is "
    "missing there."
)
def forgets_the_peak_on_the_way_down(step, peak, warmup, total):
    return schedule(step, peak if step < warmup else 1.0, warmup, total)


@exercise.misconception("Your rate is a share of the peak. The factor `peak` is missing.")
def a_share_of_the_peak(step, peak, warmup, total):
    return schedule(step, 1.0, warmup, total)


@exercise.misconception(
    "At step `warmup` your rate is above the peak, and without warm-up you divide by 0. To which "
    "of the two ways does step `warmup` belong?"
)
def way_up_a_step_too_long(step, peak, warmup, total):
    return peak * (step + 1) / warmup if step <= warmup else down(step, peak, warmup, total)


@exercise.misconception(
    "At step `warmup` your rate is above the peak. To which of the two ways does that step belong?"
)
def way_up_a_step_too_long_if_any(step, peak, warmup, total):
    if warmup and step <= warmup:
        return peak * (step + 1) / warmup
    return down(step, peak, warmup, total)


@exercise.misconception(
    "Your way down begins at the right step and is a step too short: it ends at step `total - 1`. "
    "How many steps lie between `warmup` and `total`?"
)
def way_down_a_step_too_short(step, peak, warmup, total):
    return schedule(step, peak, warmup, max(total - 1, warmup + 1))


@exercise.misconception(
    "Your way down is a step too short. With a single step after warm-up, it has the length 0, and "
    "you divide by that."
)
def way_down_of_no_length(step, peak, warmup, total):
    return schedule(step, peak, warmup, total - 1)
