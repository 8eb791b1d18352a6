"""Cases, oracle and known mistakes of `interpolate_positions`."""

from fractions import Fraction

import torch

from autograder.author import EVERY, Case, Exercise

exercise = Exercise(
    "interpolate_positions",
    points=2,
    difficulty=1,
    minutes=10,
    returns=("the positions",),
    read="08_positions.html#base-and-interpolation",
)


def case(name, positions, trained, wanted):
    return Case(name, {"positions": positions, "trained": trained, "wanted": wanted})


@exercise.cases
def cases(rng):
    yield case("a text twice as long", torch.arange(8), 4, 8)
    yield case("a shorter text", torch.arange(3), 4, 3)
    yield case("a part of a text, in any order", rng.integers(0, 40, 2, 5), 7, 50)
    yield case("the beginning of a long text", torch.arange(4), 5, 20)


@exercise.secret_cases
def secret_cases(rng):
    trained = rng.integer(5, 9)
    wanted = trained + rng.integer(2, 9)
    yield case("a little longer", torch.arange(wanted)[:, None], trained, wanted)
    yield case("as long as in training", torch.arange(trained), trained, trained)
    yield case("much shorter, some positions", rng.integers(0, trained, 3, 1, 2), 40, trained)
    yield case("trained on single tokens", torch.arange(1, 6), 1, 6)
    yield case("one position", rng.integers(3, 12, 1)[0], 4, 12)
    yield case("far positions", rng.integers(2**19, 10**6, 4), 300_007, 10**6)


exercise.promise(
    "int64, each from 0", "a part of a text, in any order", "the beginning of a long text"
)
exercise.promise("Not changed.", EVERY)
exercise.promise("length of the longest", "trained on single tokens", "a text twice as long")
exercise.promise(
    "length of the text", "a shorter text", "much shorter, some positions", "far positions"
)
exercise.promise("float64 positions, multiplied", EVERY)
exercise.promise("Of the shape and on the device", EVERY)


@exercise.oracle
def as_fractions(positions, trained, wanted):
    """Exact until the last step."""
    factor = min(Fraction(1), Fraction(trained, wanted))
    squeezed = [float(t * factor) for t in positions.flatten().tolist()]
    return torch.tensor(squeezed, dtype=torch.float64).view(positions.shape)


@exercise.base
def right(positions, trained, wanted):
    return positions.double() * min(1.0, trained / wanted)


# fmt: off
right.mistake("rounds_down",
    {"positions.double() * min(1.0, trained / wanted)":
        "(positions * min(trained, wanted) // wanted).double()"},
    "You return whole numbers, as integer division does. Then neighbours share a position. Which "
    "of them came first?")
right.mistake("rounds_to_whole_numbers", {"return": "return (", "/ wanted)": "/ wanted)).round()"},
    "You round to whole numbers. Then several tokens share one position.")
right.mistake("turns_the_factor_upside_down",
    {"min": "max", "trained / wanted": "wanted / trained"},
    "Positions of a long text become larger in your result. Your factor is inverted. What is it "
    "for trained = 4 and wanted = 8?")
right.mistake("stretches_short_texts", {"min(1.0, trained / wanted)": "trained / wanted"},
    "A long text is right. A short one is stretched over all positions of training, but it should "
    "stay as it is.")
right.mistake("holds_at_the_last_position",
    {"* min(1.0, trained / wanted)": ".clamp(max=trained - 1)"},
    "All positions beyond the training length get the last one of training, so they cannot be "
    "told apart. Multiply all positions instead.")
right.mistake("begins_again", {"* min(1.0, trained / wanted)": "% trained"},
    "Positions beyond the training length begin at 0 again. Then two tokens share each position.")
right.mistake("aligns_the_ends", {"trained / wanted": "(trained - 1) / max(wanted - 1, 1)"},
    "You map the last position of the text to the last one of training. The factor in the text is "
    "trained / wanted. What does it make of wanted - 1?")
right.mistake("squeezes_the_far_ones_only",
    {"return": "exact =",
     "double()": "double()\n    return torch.where(positions < trained, exact, exact",
     "/ wanted)": "/ wanted))"},
    "You squeeze only the positions beyond the training length. Some tokens then get a position "
    "before tokens that they follow. All of a long text has the same factor.")
right.mistake("measures_the_text_itself", {"/ wanted": "/ float(positions.max() + 1)"},
    "Your factor depends on the positions that you are given. These may be part of the text: its "
    "length is an argument.")
right.mistake("leaves_what_fits",
    {"min(1.0, trained / wanted)":
        "(1.0 if bool((positions < trained).all()) else min(1.0, trained / wanted))"},
    "In your result, part of a long text is unchanged where it lies below the training length. "
    "The factor is that of the whole text, including its beginning.")
right.mistake("widens_the_product_too_late",
    {"positions.double()": "(positions", "/ wanted)": "/ wanted)).double()"},
    "The result is float64, but its digits are those of float32: an int64 tensor times a Python "
    "number is float32, and converting it afterwards restores no digits. What should you convert "
    "first?")
right.mistake("widens_the_quotient_too_late",
    {"return": "return (positions * trained / wanted).double() if trained < wanted else",
     " * min(1.0, trained / wanted)": ""},
    "The result is float64, but its digits are those of float32: integer tensors are divided in "
    "float32, and converting the quotient afterwards restores no digits. What should you convert "
    "first?")
right.mistake("makes_a_tensor_of_the_factor",
    {"min(1.0, trained / wanted)":
        "torch.tensor(min(1.0, trained / wanted), device=positions.device).double()"},
    "The factor has the digits of float32, because `torch.tensor` turns a Python number into "
    "float32. The Python number itself is exact enough, and you can multiply a tensor by it.")
right.mistake("divides_by_a_whole_number",
    {"* min(1.0, trained / wanted)": "/ max(wanted // trained, 1)"},
    "You divide by a whole number, wanted // trained. What is it if the text is one and a half "
    "times as long?")
right.mistake("counts_the_given_positions", {"/ wanted": "/ positions.numel()"},
    "You use the number of positions that you are given as the length of the text. They may be "
    "part of it: its length is an argument.")
right.mistake("gives_all_positions",
    {"positions.double()": "torch.arange(wanted, dtype=torch.float64, device=positions.device)"},
    "You return all positions of the text. The exercise asks for those that are given, which may "
    "be part of it, in any order and shape.")
right.mistake("gives_float32", {"positions.double()": "positions"},
    "You return float32. Angles are computed in float64, and positions should be, too. Which "
    "dtype is the product of an int64 tensor and a Python number?")
right.mistake("leaves_short_texts_as_integers",
    {"positions.": "positions if wanted <= trained else positions.", "min(1.0,": "("},
    "A short text comes back as int64. Its positions stay the same, but as float64.")
# fmt: on


@exercise.variant
def in_two_branches(positions, trained, wanted):
    exact = positions.to(torch.float64)
    if wanted > trained:
        return exact.mul(trained).div(wanted)
    return exact


@exercise.variant
def divided_by_how_much_longer(positions, trained, wanted):
    return torch.true_divide(positions.to(dtype=torch.double), max(wanted / trained, 1))


@exercise.variant
def limited_to_the_shorter(positions, trained, wanted):
    kept = torch.tensor(min(trained, wanted), dtype=torch.float64, device=positions.device)
    return positions * kept / wanted
