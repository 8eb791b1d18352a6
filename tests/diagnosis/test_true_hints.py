"""A hint says nothing that is false of the answer which gets it, whatever else would fit."""

import math

import pytest
import torch
from test_diagnosis import found

from autograder.exercise.case import Case
from autograder.exercise.spec import Exercise, Vocabulary
from autograder.exercise.stateful import Generator


def one_case(name, inputs, right, **wrong):
    """An exercise of one case; `wrong`: misconceptions by name."""
    exercise = Exercise("f", 1, 1, 1, ("output",))
    exercise.cases(lambda rng: iter([Case(name, inputs)]))
    exercise.oracle(right)
    for called, target in wrong.items():
        target.__name__ = called
        exercise.misconception(f"You {called}.")(target)
    return exercise


def test_a_right_dtype_is_not_called_another_where_only_the_known_mistake_has_that():
    x = torch.linspace(1, 2, 6, dtype=torch.float64)
    exercise = one_case(
        "float64", {"x": x}, lambda x: x / 3, stay_in_float32=lambda x: x.float() / 3
    )
    assert "another_dtype" not in found(exercise, lambda x: (x.float() / 3).double())[0]
    assert found(exercise, lambda x: x.float() / 3)[0] == "stay_in_float32"


def test_where_infinity_is_right_an_infinite_result_still_tells_one_mistake_from_another():
    hidden = torch.ones(2, 2).triu(1) == 1

    def times(first, second):
        return lambda x, one: (x * (first if one else second)).masked_fill(hidden, -math.inf)

    exercise = Exercise("f", 1, 1, 1, ("output",))

    @exercise.cases
    def cases(rng):
        yield Case("one", {"x": rng.normal(2, 2), "one": True})
        yield Case("another", {"x": rng.normal(2, 2), "one": False})

    exercise.oracle(times(1, 1))
    exercise.misconception("You halve.")(times(0.5, 0.5))
    assert found(exercise, times(0.5, 0.5))[1] == "You halve."
    assert found(exercise, times(0.5, 3))[1] != "You halve."


def test_a_factor_is_of_an_output_that_differs_by_more_than_rounding():
    exercise = one_case("one", {"x": torch.ones(2, 3)}, lambda x: (x / 3, x / 7))
    exercise.returns = ("one", "other")
    assert "times 2.5." in found(exercise, lambda x: (x / 3 * (1 + 1e-7), 2.5 * x / 7))[1]


def test_an_input_with_fewer_axes_gives_no_length_of_a_sequence():
    exercise = Exercise("f", 1, 1, 1, ("output",))

    @exercise.cases
    def cases(rng):
        for lengths in ((3, 3), (3, 4), (2, 5)):
            query, key = (rng.normal(2, length, 5) for length in lengths)
            inputs = {"query": query, "key": key, "sums": rng.normal(2, lengths[0])}
            yield Case(f"{lengths}", inputs)

    exercise.oracle(lambda query, key, sums: query @ key.mT)
    told = found(exercise, lambda query, key, sums: query @ key.mT * (query.size(1) == key.size(1)))
    assert "fails_for_different_lengths" in told[0]


def test_a_case_that_is_shown_for_its_numbers_is_not_said_to_be_on_the_cpu():
    exercise = Exercise("f", 1, 1, 1, ("output",))

    @exercise.cases
    def cases(rng):
        for name, size in (("on a GPU, too", 5), ("on the CPU alone", 4)):
            yield Case(name, {"x": rng.normal(2, size)})

    exercise.oracle(lambda x: x)
    wrong = lambda x: x.cpu() if x.size(-1) == 5 else x * 2.5  # noqa: E731
    assert "leaves_the_device" not in found(exercise, wrong)[0]


def test_keys_that_come_later_are_spoken_of_only_where_queries_and_keys_are_as_many():
    for keys, told in ((3, True), (4, False)):
        later = torch.ones(3, keys).triu(1)
        x = torch.arange(3.0 * keys).reshape(3, keys) ** 2
        exercise = one_case("one", {"x": x}, lambda x: x + 1)
        wrong = lambda x, later=later: x + 1 + later * x  # noqa: E731
        assert ("is_wrong_above_the_diagonal" in found(exercise, wrong)[0]) == told


def test_a_few_wrong_numbers_among_many_are_not_called_the_right_ones_in_other_places():
    """Each is near one of the others: in order of size the two lists are as good as the same."""
    x = torch.linspace(1, 2, 4000).half().view(40, 100)
    exercise = one_case("many", {"x": x}, lambda x: x * 1.0)

    def off_in_three(x):
        result = x.clone()
        result[20, :3] *= 1.2
        return result

    assert "places" not in found(exercise, off_in_three)[1]
    turned = found(exercise, lambda x: x.roll(7).view(100, 40).T.reshape(40, 100))[1]
    assert "in other places" in turned


def test_a_mistake_of_which_rounding_is_left_has_its_name_whatever_is_left_on_this_processor():
    """A multiple of one row has no distance from rank one: one processor finds 0, another 5e-9."""
    x = torch.tensor([[1.0, 2], [-1, -2]])
    exercise = one_case("rows", {"x": x}, lambda x: x.norm(), takes_another=lambda x: x.norm() * 0)
    assert found(exercise, lambda x: x.norm() * 0 + 5e-9)[0] == "takes_another"
    assert found(exercise, lambda x: x.norm() * 0 + 0.001)[0] != "takes_another"
    assert found(exercise, lambda x: x.zero_().sum() + 5e-9)[0] != "takes_another"


@pytest.mark.parametrize(("always", "kind"), [(True, "yes"), (False, "no")])
def test_a_mistake_that_answers_the_same_for_all_inputs_is_told_as_one_way_to_do_so(always, kind):
    exercise = Exercise("f", 1, 1, 1, ("answer",))
    exercise.cases(lambda rng: iter([Case("3", {"x": 3}), Case("-3", {"x": -3})]))
    exercise.oracle(lambda x: x > 0)
    name, hint = found(exercise, lambda x: always)
    assert name == f"says_{kind}_always"

    def compares_bits(x):
        return always

    exercise.misconception("You compare bits.")(compares_bits)
    name, told = found(exercise, lambda x: always)
    assert name == "compares_bits" and told.startswith(hint)
    assert told.endswith("One possible cause: You compare bits.")


def test_a_whole_number_is_not_said_to_be_a_float():
    exercise = one_case("one", {"x": 3}, lambda x: 2**60 + x, divides=lambda x: 2.0**60 + x)
    assert found(exercise, lambda x: 2.0**60 + x)[0] == "divides"
    assert found(exercise, lambda x: int(2.0**60 + x))[0] != "divides"


@pytest.mark.parametrize(
    ("selecting", "name", "told"),
    [("mask", "done", False), ("mask", "mask", True), ("", "done", True)],
)
def test_only_boolean_inputs_that_select_something_have_a_say(selecting, name, told):
    done = torch.tensor([[False, True]])
    exercise = one_case("one", {"x": torch.ones(1, 2), name: done}, lambda x, done: x + 1)
    exercise.vocabulary = Vocabulary(selecting=selecting)
    wrong = found(exercise, lambda x, done: x + 1 + (~done) * x)[0]
    assert ("is_wrong_where_false" in wrong) == told


def test_a_result_that_is_right_but_in_one_place_is_not_called_a_multiple_or_a_sum():
    exercise = one_case("one", {"x": torch.ones(1, 50)}, lambda x: x * 1.0)

    def off_in_one_place(x):
        factors = torch.ones_like(x) + 5e-6  # which is less than rounding may do
        factors[0, 7] += 5e-6
        return x * factors

    assert found(exercise, off_in_one_place)[0] == "is_too_large"


def test_the_same_number_everywhere_is_told_where_the_right_ones_differ():
    for x, told in ((torch.zeros(3), False), (torch.arange(3.0), True)):
        name = found(one_case("one", {"x": x}, lambda x: x * 1.0), lambda x: x * 0 + 7)[0]
        assert ("is_constant" in name) == told


def test_where_a_secret_case_is_shown_no_numbers_of_another_case_are_spoken_of():
    """The public case fails only because its result is on the CPU, which is reported last."""
    exercise = Exercise("f", 1, 1, 1, ("output",))
    exercise.cases(lambda rng: iter([Case("public", {"x": torch.ones(3)})]))
    exercise.secret_cases(lambda rng: iter([Case("secret", {"x": rng.normal(4)})]))
    exercise.oracle(lambda x: x * 1.0)
    negated = lambda x: -x if x.size(0) == 4 else x.cpu()  # noqa: E731
    assert found(exercise, negated, "a seed")[0] == ""


def test_numbers_that_cannot_be_told_apart_are_no_mistake_that_has_other_things_wrong():
    """The answer returns NaN. The known mistake returns the right number without a gradient."""
    exercise = Exercise("f", 1, 1, 1, ("output",))

    @exercise.cases
    def cases(rng):
        yield Case("ones", {"x": torch.ones(3)}, gradient=True)
        yield Case("zeros", {"x": torch.zeros(3)}, gradient=True)

    exercise.oracle(lambda x: x.sum() * 0)

    @exercise.misconception("You return a new 0.")
    def returns_a_new_zero(x):
        return torch.zeros(())

    assert found(exercise, returns_a_new_zero)[0] == "returns_a_new_zero"
    assert "new_zero" not in found(exercise, lambda x: x.sum() * 0 + math.nan)[0]


@pytest.mark.parametrize("size", [2, 4])
def test_the_first_row_of_a_matrix_that_is_wrong_below_the_diagonal_says_nothing(size):
    exercise = Exercise("f", 1, 1, 1, ("output",))
    exercise.cases(lambda rng: (Case(name, {"x": rng.normal(size, size)}) for name in "ab"))
    exercise.oracle(lambda x: x * 1.0)
    assert found(exercise, lambda x: x.triu())[0] == "is_wrong_below_the_diagonal"
    other = found(exercise, lambda x: torch.cat([x[:1], x[1:].exp() + 2]))[0]
    assert other == "is_right_for_the_first_only"


def test_truth_values_are_spoken_of_where_some_are_given_or_returned():
    x, flag = torch.tensor([1.0, 2, -4]), torch.tensor([True, False, True])
    numbers = one_case("numbers", {"x": x}, lambda x: x * 3)
    flagged = one_case(
        "flagged", {"x": x, "flag": flag}, lambda x, flag: x * torch.where(flag, 1, -1)
    )
    drawing = one_case("drawing", {"x": x, "g": Generator(1, draws=False)}, lambda x, g: x * 3)
    drawing.returns = ("output", "the generator")
    truths = one_case("truths", {"x": x}, lambda x: x > 0)
    assert found(numbers, lambda x: x * -3) == ("negates", "What differs has the opposite sign.")
    assert found(drawing, lambda x, g: x * -3) == found(numbers, lambda x: x * -3)
    either = "What differs has the opposite sign, or True and False are exchanged."
    assert found(flagged, lambda x, flag: x * torch.where(flag, -1, 1)) == ("negates", either)
    assert found(truths, lambda x: x <= 0) == ("negates", either)


def test_nothing_is_said_of_all_numbers_that_differ_where_another_output_differs_otherwise():
    exercise = one_case("one", {"x": torch.tensor([3, 5, 9])}, lambda x: (x + 0, 20, 1.5))
    exercise.returns = ("the counts", "the others", "the mean")
    for others, name in ((17, ""), (23, "is_too_large"), (20, "is_too_large")):
        assert found(exercise, lambda x, others=others: (x + 3, others, 1.5 + 1e-9))[0] == name


def test_nothing_is_said_of_all_numbers_that_differ_where_another_tensor_differs_otherwise():
    exercise = one_case("one", {"x": torch.ones(3, 3)}, lambda x: (x * 1.0, x * 2))
    exercise.returns = ("one", "other")
    above = torch.ones(3, 3).triu(1)
    assert "above" in found(exercise, lambda x: (x + above, x * 2))[0]
    assert "above" not in found(exercise, lambda x: (x + above, x * 2 - 1 + x.cumsum(0)))[0]


def test_three_axes_that_change_places_in_a_ring_are_not_called_two_that_are_exchanged():
    exercise = one_case("one", {"x": torch.rand(2, 3, 4)}, lambda x: x * 1.0)
    name, hint = found(exercise, lambda x: x.permute(1, 2, 0))
    assert (name, hint) == ("transposes", "The axes of the right result are in another order.")
