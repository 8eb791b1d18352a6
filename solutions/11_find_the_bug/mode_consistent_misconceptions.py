"""Known mistakes of `mode_consistent`."""

import torch
from torch import nn  # noqa: F401

from .comparing import near
from .mode_consistent import exercise


def twice(model, tokens, same=near):
    """Whether three calls in a row give the same."""
    first, second, third = (model(tokens).clone() for _ in range(3))
    return same(first, second) and same(first, third)


def tokens_of(rows=5, width=11):
    """A few texts of random tokens."""
    return torch.randint(8, (rows, width))


def right_in_modes(make, same=near, rows=5, width=11, recorded=(True, False)):
    """Evaluated, trained, and evaluated again, with gradients recorded and without."""
    for trial in range(4):
        model, tokens = make(), tokens_of(rows, width)
        with torch.set_grad_enabled(recorded[trial % 2]):
            if not twice(model.eval(), tokens, same) or twice(model.train(), tokens):
                return False
            if not twice(model.eval(), tokens, same):
                return False
    return True


@exercise.base
def right(make):
    return right_in_modes(make)


@exercise.base
def in_turn(make):
    for trial in range(4):
        model, tokens = make(), tokens_of()
        with torch.set_grad_enabled(trial % 2 == 0):
            if not twice(model.eval(), tokens) or twice(model.train(), tokens):
                return False
            if not twice(model.eval(), tokens):
                return False
    return True


# fmt: off
right.mistake("says_the_opposite", {"return": "return not"},
    "Your function says False where all is well, and True where it is not. Read its name as a "
    "question: is it mode-consistent?")
right.mistake("asks_for_equal_bits",
    {"right_in_modes(make)": "right_in_modes(make, same=torch.equal)"},
    "You turn away right models, such as those that round. By how much may two right results "
    "differ in float32? If you compare bits: allow for that.")
right.mistake("trains_only", {"right_in_modes(make)": "not twice(make().train(), tokens_of())"},
    "You miss models that are random in evaluation mode. If you only look at training mode: what "
    "should a model do after `eval()`?")


@exercise.misconception(
    "You miss models that drop nothing where they should. What is there to see in training mode?"
)
def evaluates_only(make):
    model = make()
    if not twice(model.eval(), tokens_of()):
        return False
    model.train()(tokens_of())
    return all(twice(model.eval(), tokens_of()) for _ in range(3))


@exercise.misconception(
    "You turn away models that learn batch statistics. If there is a call in training mode "
    "between the two evaluations: the text allows that to change later answers."
)
def compares_across_training(make):
    model, tokens = make(), tokens_of()
    before = model.eval()(tokens).clone()
    dropped = not twice(model.train(), tokens)
    return dropped and twice(model.eval(), tokens) and near(model(tokens), before)


right.mistake("asks_whether_modes_differ",
    {"return right_in_modes(make)":
        "model, tokens = make(), tokens_of()\n"
        "    return not near(model.eval()(tokens), model.train()(tokens))"},
    "If you ask whether the two modes differ from each other: they do in many wrong models, too. "
    "Call the same mode twice.")
right.mistake("asks_for_the_same_in_both",
    {"return right_in_modes(make)":
        "model, tokens = make(), tokens_of()\n"
        "    return near(model.eval()(tokens), model.train()(tokens)) and "
        "twice(model.eval(), tokens)"},
    "You turn away models that drop something in training mode. If you ask for the same logits in "
    "both modes: there they have to differ.")
right.mistake("looks_at_the_modules",
    {"return right_in_modes(make)":
        "parts = list(make().eval().modules())\n"
        "    return any(isinstance(x, nn.Dropout) for x in parts) and not any(x.training for "
        "x in parts)"},
    "If you look for modules of a certain class, or at their flags: dropout may be a function, and "
    "a module that is there may never be called. Look at what comes out.")
right.mistake("never_records_gradients",
    {"right_in_modes(make)": "right_in_modes(make, recorded=(False, False))"},
    "You try without gradients only. Some models take their mode from whether gradients are "
    "recorded: call them with gradients, too.")
right.mistake("tries_short_texts", {"right_in_modes(make)": "right_in_modes(make, width=5)"},
    "You miss what happens in long texts only. If yours have a few tokens: a model takes up to "
    "twelve.")
right.mistake("tries_one_row", {"right_in_modes(make)": "right_in_modes(make, rows=1)"},
    "You miss models that are wrong in one row, or in larger batches. If you try one text at a "
    "time: give a batch of several.")
right.mistake("allows_too_much",
    {"right_in_modes(make)": "right_in_modes(make, same=lambda one, other: near(one, other, 0.6))"},
    "You miss small differences. If you compare the likeliest symbols: noise moves a logit without "
    "another one becoming the largest.")
right.mistake("stumbles_over_infinity",
    {"right_in_modes(make)":
        "right_in_modes(make, same=lambda one, other: bool((one - other).abs().max() < 1e-3))"},
    "You turn away a model in which one symbol is never predicted. Minus infinity less minus "
    "infinity is NaN, and no comparison with NaN is True.")
right.mistake("evaluates_fresh_models_only",
    {"return right_in_modes(make)":
        "tokens = tokens_of()\n"
        "    return all(twice(make().eval(), tokens) and not twice(make().train(), tokens) "
        "for _ in range(3))"},
    "You miss models that a call in training mode leaves in another state. Evaluate a model that "
    "was trained, and not only a fresh one.")


@exercise.misconception(
    "You miss what the first call after `eval()` does, or what it leaves behind. If you throw "
    "that call away: compare it with the ones after it."
)
def throws_the_first_call_away(make):
    for _ in range(3):
        model, tokens = make(), tokens_of()
        model.eval()(tokens)
        good = twice(model, tokens)
        model.train()(tokens)
        good = good and not twice(model, tokens)
        model.eval()(tokens)
        if not good or not twice(model, tokens):
            return False
    return True


right.mistake("always_records_gradients",
    {"right_in_modes(make)": "right_in_modes(make, recorded=(True, True))"},
    "You miss models that are random without gradients, as a model is called when it writes. Try "
    "everything under `torch.no_grad()`, too.")
in_turn.mistake("trains_new_models_only",
    {"twice(model.eval(), tokens) or": "twice(make().eval(), tokens) or", "model.train()": "model"},
    "You miss models that drop nothing once they were evaluated. If you look at training mode in a "
    "new model only: `train()` after `eval()` is how it goes on.")
in_turn.mistake("asks_for_large_differences",
    {"train(), tokens":
        "train(), tokens, lambda one, other: torch.allclose(one, other, rtol=0, atol=1.0)"},
    "You turn away models that drop a little. The text says by how much two calls in training mode "
    "differ at least.")
in_turn.mistake("compares_training_with_evaluation",
    {"if not twice(model.eval(), tokens) or twice(model.train(), tokens)":
        "said = model.eval()(tokens).clone()\n"
        "            if not twice(model, tokens) or near(said, model.train()(tokens))"},
    "You miss models that change by the mode and are not random. If you compare a call in training "
    "mode with one in evaluation mode: compare two in training mode.")


@exercise.misconception(
    "A logit that is minus infinity in one call only is left out of the comparison. Leave out what "
    "is infinite in both."
)
def compares_what_is_finite(make):
    def same(one, other):
        both = one.isfinite() & other.isfinite()
        return near(one[both], other[both])

    return right_in_modes(make, same=same)
