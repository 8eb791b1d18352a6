"""Known mistakes of `mode_consistent`."""

import torch
from torch import nn  # noqa: F401

from .comparing import near, near_where_finite  # noqa: F401
from .mode_consistent import exercise


def twice(model, tokens, same=near):
    """Whether three calls in a row give the same."""
    first, second, third = (model(tokens).clone() for _ in range(3))
    return same(first, second) and same(first, third)


def tokens_of(rows=5, width=11):
    """A few texts of random tokens."""
    return torch.randint(8, (rows, width))


@exercise.base
def right(make):
    found = []
    for trial in range(4):
        model, tokens = make(), tokens_of()
        for mode in (False, True, False):
            with torch.set_grad_enabled(trial % 2 == 0):
                found.append(twice(model.train(mode), tokens) != mode)
    return all(found)


# fmt: off
right.mistake("says_the_opposite", {"return": "return not"},
    "Your function returns False for right models, and True for wrong ones. Read its name as a "
    "question: is the model mode-consistent?")
right.mistake("asks_for_equal_bits", {"tokens) !=": "tokens, torch.equal) !="},
    "You reject right models, such as those that round. By how much may two right results differ "
    "in float32? If you compare bits, allow for that.")
right.mistake("trains_only", {"trial % 2 == 0": "True", "(False, True, False)": "[True]"},
    "You miss models that are random in evaluation mode. If you only look at training mode, what "
    "should a model do after `eval()`?")
right.mistake("evaluates_only", {"trial % 2 == 0": "True", "!= mode": "or mode"},
    "You miss models that drop nothing where they should. What should be different in training "
    "mode?")
right.mistake("compares_across_training",
    {"trial % 2 == 0": "True",
     "for mode": "said = model.eval()(tokens).clone()\n        for mode",
     "!= mode)": "!= mode)\n        found.append(near(model(tokens), said))"},
    "You reject models that learn batch statistics. If there is a call in training mode between "
    "your two evaluations, note that the text allows it to change later results.")
right.mistake("asks_whether_modes_differ",
    {"all(found)": "not near(model.eval()(tokens), model.train()(tokens))"},
    "If you ask whether the two modes differ from each other, note that they do in many wrong "
    "models, too. Call the same mode twice.")
right.mistake("asks_for_the_same_in_both",
    {"return all(found)":
        "same = near(model.eval()(tokens), model.train()(tokens))\n"
        "    return same and twice(model.eval(), tokens)"},
    "You reject models that drop something in training mode. If you require the same logits in "
    "both modes, note that they have to differ in training mode.")
right.mistake("looks_at_the_modules",
    {"return all(found)":
        "parts = list(model.eval().modules())\n"
        "    drops = any(isinstance(x, nn.Dropout) for x in parts)\n"
        "    return drops and not any(x.training for x in parts)"},
    "If you look for modules of a certain class, or at their flags, note that dropout may be a "
    "function, and that a module may exist without being called. Look at the output.")
right.mistake("never_records_gradients", {"trial % 2 == 0": "False"},
    "You try only without gradients. Some models take their mode from whether gradients are "
    "recorded. Call them with gradients, too.")
right.mistake("tries_short_texts", {"tokens_of()": "tokens_of(width=5)"},
    "You miss mistakes that only long texts show. If yours have only a few tokens, note that a "
    "model takes up to twelve.")
right.mistake("tries_one_row", {"tokens_of()": "tokens_of(rows=1)"},
    "You miss models that are wrong in one row, or in larger batches. If you try one text at a "
    "time, use a batch of several instead.")
right.mistake("allows_too_much",
    {"tokens) !=": "tokens, lambda x, y: near(x, y, 1e-3 if mode else 0.6)) !="},
    "You miss small differences. If you compare the most likely symbols, note that noise can "
    "change a logit without another one becoming the largest.")
right.mistake("stumbles_over_infinity",
    {"tokens) !=": "tokens, lambda x, y: (x - y).abs().max() < 1e-3) !="},
    "You reject a model in which one symbol is never predicted. Minus infinity minus minus "
    "infinity is NaN, and no comparison with NaN is True.")
right.mistake("evaluates_fresh_models_only",
    {"trial % 2 == 0": "True", "model.train(mode)": "make().train(mode)"},
    "You miss models that a call in training mode leaves in another state. Evaluate a model after "
    "a call in training mode, and not only a fresh one.")
right.mistake("throws_the_first_call_away",
    {"trial % 2 == 0": "True",
     "found.append": "model.train(mode)(tokens)\n                found.append"},
    "You miss mistakes in the first call after `eval()`, or ones that it leaves behind. If you "
    "ignore the result of that call, compare it with the following ones.")
right.mistake("always_records_gradients", {"trial % 2 == 0": "True"},
    "You miss models that are random without gradients, which is how a model is called when it "
    "writes. Try everything under `torch.no_grad()`, too.")
right.mistake("trains_new_models_only", {"(False, True, False)": "(True, False)"},
    "You miss models that drop nothing once they have been evaluated. If you test training mode "
    "in a new model only, also call `train()` after `eval()`.")
right.mistake("asks_for_large_differences",
    {"tokens) !=": "tokens, lambda x, y: near(x, y, 1.0 if mode else 1e-3)) !="},
    "You reject models that drop only a little. The text says by how much two calls in training "
    "mode differ at least.")
right.mistake("compares_training_with_evaluation",
    {"for mode": "said = model.eval()(tokens).clone()\n        for mode",
     "twice(model.train(mode), tokens) != mode":
        "not near(said, model.train()(tokens)) if mode else twice(model.eval(), tokens)"},
    "You miss models that depend on the mode but are not random. If you compare a call in "
    "training mode with one in evaluation mode, compare two calls in training mode instead.")
right.mistake("compares_what_is_finite", {"tokens) !=": "tokens, near_where_finite) !="},
    "You leave out a logit that is minus infinity in one call only. Leave out only logits that "
    "are infinite in both.")
