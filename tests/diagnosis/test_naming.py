"""What is True or False, or drawn at random, says little of the mistake behind it."""

import pytest
import torch
from diagnosed import diagnosed

from autograder.confined.failures import AN_INPUT, THE_CHECK
from autograder.confined.observe import observe
from autograder.diagnosis.patterns import exception_pattern
from autograder.exercise.case import Case
from autograder.exercise.observation import Failure, Observation
from autograder.exercise.properties import Drawn
from autograder.exercise.spec import Exercise
from autograder.judging import checks


def named(exercise, target):
    built = checks.build(exercise)
    return diagnosed(built, [observe(target, item.case) for item in built.cases]).misconception


@pytest.fixture(scope="module")
def is_sorted():
    exercise = Exercise("is_sorted", 1, 1, 1)

    @exercise.cases
    def cases(rng):
        for name, row in (("rising", [1, 2, 3]), ("falling", [3, 2, 1]), ("equal", [2, 2, 2]),
                          ("ends low", [1, 2, 0]), ("begins high", [4, 2, 3])):  # fmt: skip
            yield Case(name, {"row": row})

    @exercise.oracle
    def right(row):
        return row == sorted(row)

    @exercise.misconception("You look at the ends only. What lies between them?")
    def looks_at_the_ends(row):
        return row[0] <= row[-1]

    @exercise.misconception("You look at the first two only.")
    def looks_at_the_first_two(row):
        return row[0] <= row[1]

    @exercise.misconception("You look at the last two only.")
    def looks_at_the_last_two(row):
        return row[-2] <= row[-1]

    return exercise


@pytest.mark.parametrize("always", [True, False])
def test_an_answer_that_is_the_same_for_all_inputs_is_told_as_such(is_sorted, always):
    name = "says_yes_always" if always else "says_no_always"
    assert named(is_sorted, lambda row: always) == name


def test_a_mistake_of_the_exercise_that_says_the_same_for_all_inputs_keeps_its_name(is_sorted):
    exercise = Exercise("is_sorted", 1, 1, 1, _cases=is_sorted._cases)
    exercise.oracle(is_sorted.right.target)

    @exercise.misconception("Everything passes. If you sort the row itself: what is compared?")
    def sorts_first(row):
        row.sort()
        return row == sorted(row)

    assert named(exercise, lambda row: row.sort() or True) == "sorts_first"


def test_two_mistakes_are_not_put_together_from_truth_values_alone(is_sorted):
    assert named(is_sorted, lambda row: row[0] <= row[1]) == "looks_at_the_first_two"
    assert " + " not in named(is_sorted, lambda row: row != [3, 2, 1])


@pytest.fixture(scope="module")
def drop():
    exercise = Exercise("drop", 1, 1, 1, properties=(Drawn(0, "Each is drawn by itself."),))

    @exercise.cases
    def cases(rng):
        yield Case("few", {"share": 0.1})
        yield Case("half", {"share": 0.5})

    @exercise.oracle
    def right(share):
        return (torch.rand(60, 60) < share).float()

    @exercise.misconception("You keep what is to be dropped.")
    def takes_the_other_share(share):
        return right(1 - share)

    exercise.drawn = right
    return exercise


def test_of_what_is_drawn_a_name_explains_every_case_that_fails(drop):
    assert named(drop, lambda share: drop.drawn(0.9 if share == 0.1 else 0.5)) == (
        "takes_the_other_share"
    )
    assert named(drop, lambda share: drop.drawn(0.9)) != "takes_the_other_share"


@pytest.fixture(scope="module")
def bootstrap():
    properties = (Drawn(0, "Each mean is of a sample that was drawn with replacement."),)
    exercise = Exercise("means", 1, 1, 1, ("the means",), properties=properties)
    x = torch.tensor([0.1, 0.7, 0.4, 0.3])

    @exercise.cases
    def cases(rng):
        yield Case("four numbers", {"x": x, "n": 8000})
        yield Case("three numbers", {"x": x[:3], "n": 3000})

    def sampled(x, n):
        return x[torch.randint(len(x), (n, len(x)))]

    @exercise.oracle
    def right(x, n):
        return sampled(x, n).mean(dim=1)

    @exercise.misconception("You drew one number for each mean.")
    def one_number(x, n):
        return x[torch.randint(len(x), (n,))]

    @exercise.misconception("You drew one number too few for each mean.")
    def one_too_few(x, n):
        return sampled(x, n)[:, 1:].mean(dim=1)

    exercise.sampled = sampled
    return exercise


def test_of_what_is_drawn_a_mistake_is_known_by_how_often_values_occur(bootstrap):
    by_multinomial = lambda x, n: x[torch.multinomial(torch.ones(len(x)), n, True)]  # noqa: E731
    assert named(bootstrap, by_multinomial) == "one_number"

    def added_the_other_way(x, n):
        short = bootstrap.sampled(x, n)[:, 1:]
        return sum(reversed(short.unbind(1))) / short.size(1)

    assert named(bootstrap, added_the_other_way) == "one_too_few"
    assert named(bootstrap, lambda x, n: bootstrap.sampled(x, n).median(dim=1).values) == ""


def test_of_what_is_drawn_no_number_is_shown_as_the_expected_one(bootstrap):
    def told(target):
        built = checks.build(bootstrap)
        return diagnosed(built, [observe(target, item.case) for item in built.cases])

    too_large = told(lambda x, n: bootstrap.sampled(x, n).mean(dim=1) + 1)
    assert too_large.sentence == (
        "8000 of 8000 entries of the means are none of the values that can be drawn."
    )
    too_often = told(lambda x, n: x[torch.randint(len(x), (n,))])
    assert "too often" in too_often.sentence
    for verdict in (too_large, too_often):
        assert verdict.difference.expected is None and verdict.difference.actual is None


def test_what_is_drawn_is_found_in_a_pair_that_a_mistake_returns_in_its_place():
    exercise = Exercise("both", 1, 1, 1, returns=("all", "some"),
                        properties=(Drawn(1, "Each is drawn by itself."),))  # fmt: skip
    exercise.cases(lambda rng: [Case("half", {"share": 0.5})])

    @exercise.oracle
    def right(share):
        return torch.ones(60, 60), (torch.rand(60, 60) < share).float()

    def paired(drawn):
        return (torch.ones(60, 60), torch.eye(2)), (drawn.float(), torch.eye(2))

    @exercise.misconception("Each of the two is a pair. Which part of it is asked for?")
    def returns_pairs(share):
        return paired(torch.rand(60, 60) < share)

    assert named(exercise, lambda share: paired(torch.rand(60, 60) > 1 - share)) == "returns_pairs"


@pytest.mark.parametrize(
    ("within", "name", "said"),
    [
        ("", "counts_on_so_many_axes", "The call raised ValueError: not enough values to unpack"),
        (AN_INPUT, "raises_in_what_it_was_given", "within what it was given, which your cell"),
        (THE_CHECK, "returns_what_cannot_be_used", "The check, which calls your answer, raised"),
    ],
)
def test_a_hint_says_whose_code_raised(is_sorted, within, name, said):
    failure = Failure("ValueError", "not enough values to unpack", 1, "", within)
    built = checks.build(is_sorted)
    verdict = diagnosed(built, [Observation(failure=failure)] * len(built.cases))
    assert verdict.misconception == name and said in verdict.sentence


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("torch.ones(2).masked_fill(torch.ones(2).bool(), -1e39)", "overflows_a_dtype"),
        ("torch.linalg.inv(torch.eye(2).half())", "needs_another_dtype"),
        ("torch.ones(2).half() @ torch.ones(2)", "mixes_dtypes"),
        ("torch.ones(2).sum(dims=0)", "takes_other_arguments"),
        ("bool(torch.ones(2) > 0)", "asks_a_tensor_for_one_truth"),
        ("[].pop()", "reaches_beyond_an_axis"),
        ("torch.ones(2)[5]", "reaches_beyond_an_axis"),
        ("torch.stack([torch.ones(2), torch.ones(3)])", "shapes_do_not_fit"),
    ],
)
def test_an_exception_has_its_kind_by_what_torch_says(code, name):
    with pytest.raises(Exception) as raised:
        eval(code, {"torch": torch})
    assert exception_pattern(Failure(raised.typename, str(raised.value))) == name
