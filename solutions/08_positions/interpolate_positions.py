"""Cases, oracle and known mistakes of `interpolate_positions`."""

from fractions import Fraction

import torch

from autograder.spec import EVERY, Case, Exercise

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


@exercise.misconception(
    "You give whole numbers, as integer division does. Then neighbours share a position: which of "
    "them came first?"
)
def rounds_down(positions, trained, wanted):
    return (positions * min(trained, wanted) // wanted).double()


@exercise.misconception("You round to whole numbers. Then several tokens share one position.")
def rounds_to_whole_numbers(positions, trained, wanted):
    return (positions.double() * min(1.0, trained / wanted)).round()


@exercise.misconception(
    "Positions of a long text become larger in yours. Your factor is upside down: what is it for 4 "
    "and 8?"
)
def turns_the_factor_upside_down(positions, trained, wanted):
    return positions.double() * max(1.0, wanted / trained)


@exercise.misconception(
    "A long text is right. A short one is stretched over all positions of training; it should stay "
    "as it is."
)
def stretches_short_texts(positions, trained, wanted):
    return positions.double() * trained / wanted


@exercise.misconception(
    "All positions behind the training length get the last one of training, so that they cannot be "
    "told apart. Multiply all of them instead."
)
def holds_at_the_last_position(positions, trained, wanted):
    return positions.double().clamp(max=trained - 1)


@exercise.misconception(
    "Positions behind the training length begin at 0 again. Then two tokens share each position."
)
def begins_again(positions, trained, wanted):
    return positions.double() % trained


@exercise.misconception(
    "You map the last position of the text to the last one of training. The factor of the text is "
    "trained / wanted: what does it make of wanted - 1?"
)
def aligns_the_ends(positions, trained, wanted):
    return positions.double() * min(1.0, (trained - 1) / max(wanted - 1, 1))


@exercise.misconception(
    "Only the positions behind the training length are squeezed. Then some come before others that "
    "they follow: all of a long text have the same factor."
)
def squeezes_the_far_ones_only(positions, trained, wanted):
    exact = positions.double()
    return torch.where(positions < trained, exact, exact * min(1.0, trained / wanted))


@exercise.misconception(
    "Your factor depends on the positions that you are given. These may be a part of the text: "
    "its length is an argument."
)
def measures_the_text_itself(positions, trained, wanted):
    return positions.double() * min(1.0, trained / float(positions.max() + 1))


@exercise.misconception(
    "A part of a long text stays as it is in yours where it lies below the training length. The "
    "factor is that of the whole text, also for its beginning."
)
def leaves_what_fits(positions, trained, wanted):
    fits = bool((positions < trained).all())
    return positions.double() * (1.0 if fits else min(1.0, trained / wanted))


@exercise.misconception(
    "The result is float64, but its digits are those of float32: an int64 tensor times a Python "
    "number is float32, and what was rounded stays rounded. What do you convert first?"
)
def widens_the_product_too_late(positions, trained, wanted):
    return (positions * min(1.0, trained / wanted)).double()


@exercise.misconception(
    "The result is float64, but its digits are those of float32: whole numbers of a tensor are "
    "divided in float32, and what was rounded stays rounded. What do you convert first?"
)
def widens_the_quotient_too_late(positions, trained, wanted):
    return (positions * trained / wanted).double() if trained < wanted else positions.double()


@exercise.misconception(
    "The factor has the digits of float32, which `torch.tensor` makes of a Python number. It is "
    "exact enough as that number: a tensor can be multiplied by it."
)
def makes_a_tensor_of_the_factor(positions, trained, wanted):
    factor = torch.tensor(min(1.0, trained / wanted), device=positions.device)
    return positions.double() * factor.double()


@exercise.misconception(
    "You divide by a whole number, wanted // trained. If the text is one and a half times as long, "
    "what is it?"
)
def divides_by_a_whole_number(positions, trained, wanted):
    return positions.double() / max(wanted // trained, 1)


@exercise.misconception(
    "You take the number of positions that you are given for the length of the text. They may be a "
    "part of it: its length is an argument."
)
def counts_the_given_positions(positions, trained, wanted):
    return positions.double() * min(1.0, trained / positions.numel())


@exercise.misconception(
    "You return all positions of the text. Asked for are those that are given, which may be a part "
    "of it, in any order and shape."
)
def gives_all_positions(positions, trained, wanted):
    every = torch.arange(wanted, dtype=torch.float64, device=positions.device)
    return every * min(1.0, trained / wanted)


@exercise.misconception(
    "You give float32. Angles are computed in float64, and so are the positions: what dtype does "
    "an int64 tensor times a Python number have?"
)
def gives_float32(positions, trained, wanted):
    return positions * min(1.0, trained / wanted)


@exercise.misconception(
    "A short text comes back as whole numbers of int64. Its positions stay the same, but as "
    "float64."
)
def leaves_short_texts_as_integers(positions, trained, wanted):
    return positions if wanted <= trained else positions.double() * (trained / wanted)


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
