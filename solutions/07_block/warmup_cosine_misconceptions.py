"""Known mistakes of `warmup_cosine`."""

import math

import torch  # noqa: F401

from .warmup_cosine import exercise


def fallen(share):
    return (1 + math.cos(math.pi * share)) / 2


def down(step, peak, warmup, total):
    return peak * fallen(min((step - warmup) / (total - warmup), 1.0))


@exercise.base
def right(step, peak, warmup, total):
    if step < warmup:
        return peak * (step + 1) / warmup
    return peak * fallen(min((step - warmup) / (total - warmup), 1.0))


# fmt: off
right.mistake("zero_at_step_zero", {"(step + 1)": "step"},
    "At step 0 your rate is 0, so the first batch changes nothing, and some schedulers never "
    "leave step 0. Which rate does the formula give for step 0?")
right.mistake("way_up_from_zero_to_the_peak", {"(step + 1) / warmup": "step / max(warmup - 1, 1)"},
    "Your warm-up begins with 0 and reaches the peak one step early, as `linspace(0, peak, "
    "warmup)` does. Which fraction of the peak does step 0 have in the formula?")
right.mistake("warmup_ends_below_the_peak", {"(step + 1) / warmup": "(step + 1) / (warmup + 1)"},
    "Your last step of warm-up is still below the peak. How many steps does the warm-up have, and "
    "which fraction of the peak does the last of them have?")


@exercise.misconception(
    "Without warm-up you divide by 0. What does the text say about step 0 in that case?"
)
def divides_by_no_warmup(step, peak, warmup, total):
    along = (min(max(step, warmup), total) - warmup) / (total - warmup)
    return peak * min((step + 1) / warmup, fallen(along))


right.mistake("way_down_from_step_zero", {"(step - warmup) / (total - warmup)": "step / total"},
    "Warm-up counts twice: the way down is as long as all steps, and begins somewhere in the "
    "middle. How far along the way down is step `warmup`?")
right.mistake("way_down_as_long_as_all",
    {"(total - warmup), 1.0))": "total, 1.0)) if step < total else 0.0"},
    "The way down begins at the right step but is too long: at step `total` the rate is not 0. "
    "How many steps are left after warm-up?")
right.mistake("total_after_warmup", {"(total - warmup)": "total"},
    "The way down ends `warmup` steps after `total`. Does `total` include the warm-up? Look at "
    "the example.")


@exercise.misconception(
    "You multiply the cosine by the warm-up from step 0 on, so the rate never reaches the peak. "
    "One should come after the other."
)
def multiplies_both(step, peak, warmup, total):
    return peak * min((step + 1) / max(warmup, 1), 1.0) * fallen(min(step / total, 1.0))


right.mistake("rises_again",
    {"min((step - warmup) / (total - warmup), 1.0)": "(step - warmup) / (total - warmup)"},
    "After step `total` your rate rises again, because a cosine is periodic. What keeps the rate "
    "at 0?")
right.mistake("way_down_a_step_late", {"(step - warmup)": "(max(step - 1, warmup) - warmup)"},
    "Your way down is one step late: the rate at step `total` is not yet 0. How far along the way "
    "down is step `warmup`, and how far is the next step?")
right.mistake("counts_steps_from_1", {"if step": "step += 1\n    if step"},
    "You count steps from 1, so every rate is that of the step after it. Which rate belongs to "
    "step 0?")
right.mistake("way_down_a_step_too_long", {"if step": "total += 1\n    if step"},
    "The way down begins at the right step but is one step too long: the rate at step `total` is "
    "not 0. How many steps lie between `warmup` and `total`?")
right.mistake("way_down_a_step_early", {"(step - warmup)": "(step + 1 - warmup)"},
    "Your way down is one step early: the rate is 0 at step `total - 1`. Which step should be the "
    "first with the rate 0?")
right.mistake("straight_down",
    {"fallen(min((step - warmup) / (total - warmup), 1.0))":
        "max(1 - (step - warmup) / (total - warmup), 0.0)"},
    "Your way down is a straight line. Half a cosine is flat at both ends and steep in the middle.")
right.mistake("a_quarter_of_the_period", {"fallen(min": "math.cos(math.pi / 2 * min"},
    "Your cosine runs over a quarter of its period, so it falls slowly first and steeply at the "
    "end. From which angle to which does half a cosine go, and what does 1 + cos do to it?")
right.mistake("a_whole_period", {"fallen(min": "fallen(2 * min"},
    "Your cosine runs over a whole period, so the rate is back at the peak at step `total`. Over "
    "which angle does it fall from 1 to -1?")
right.mistake("forgets_the_half", {"peak * fallen": "2 * peak * fallen"},
    "You leave out the factor one half, so after the warm-up your rate jumps to twice the peak. "
    "How large is 1 + cos(0)?")
right.mistake("rises_on_the_way_down", {"return peak * fallen": "return peak - peak * fallen"},
    "On the way down your rate rises from 0 to the peak. Which sign does the cosine have?")
right.mistake("cosine_in_float32",
    {"return peak * fallen(min((step - warmup) / (total - warmup), 1.0))":
        "share = min((step - warmup) / (total - warmup), 1.0)\n"
        "    return peak / 2 * (1 + torch.cos(torch.tensor(math.pi * share)).item())"},
    "You compute the cosine in float32. Near the end 1 + cos is small, and most of it is "
    "rounding. `math.cos` has the digits of a Python float.")
right.mistake("in_degrees",
    {"fallen(min((step - warmup) / (total - warmup), 1.0))":
        "(1 + math.cos(180 * min((step - warmup) / (total - warmup), 1.0))) / 2"},
    "You treat the angle as degrees, but `math.cos` takes radians.")
right.mistake("forgets_the_peak_on_the_way_down", {"peak * fallen": "fallen"},
    "The way up is right. On the way down the factor `peak` is missing.")
right.mistake("a_share_of_the_peak", {"if step": "peak = 1.0\n    if step"},
    "Your rate is a fraction of the peak. The factor `peak` is missing.")
right.mistake("way_up_a_step_too_long", {"step < warmup": "step <= warmup"},
    "At step `warmup` your rate is above the peak, and without warm-up you divide by 0. Does step "
    "`warmup` belong to the way up or the way down?")
right.mistake("way_up_a_step_too_long_if_any", {"step < warmup": "warmup and step <= warmup"},
    "At step `warmup` your rate is above the peak. Does that step belong to the way up or the way "
    "down?")
right.mistake("way_down_a_step_too_short",
    {"if step": "total = max(total - 1, warmup + 1)\n    if step"},
    "Your way down begins at the right step but is one step too short: it ends at step `total - "
    "1`. How many steps lie between `warmup` and `total`?")
right.mistake("way_down_of_no_length", {"if step": "total -= 1\n    if step"},
    "Your way down is one step too short. With a single step after warm-up its length is 0, and "
    "you divide by that.")
