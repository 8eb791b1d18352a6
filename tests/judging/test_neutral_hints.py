"""A course on statistics is told about its own mistakes in words of its own."""

import pytest
import torch
from test_diagnosis import found

from autograder.exercise.case import Case
from autograder.exercise.spec import Exercise, Vocabulary, Word


def exercise(cases, right):
    made = Exercise("f", 1, 1, 1, ("the result",))
    made.cases(lambda rng: iter([Case(str(at), one(rng)) for at, one in enumerate(cases)]))
    made.oracle(right)
    return made


@pytest.fixture(scope="module")
def covariance():
    tables = [lambda rng, size=size: {"x": rng.normal(*size)} for size in ((7, 3), (9, 4), (5, 6))]
    return exercise(tables, lambda x: torch.cov(x.T))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda right: right.clone().fill_diagonal_(1), "Only the diagonal is wrong."),
        (lambda right: right.tril(), "Numbers are wrong only above the diagonal; those on it and "
         "below it are right."),
        (lambda right: right.triu(), "Numbers are wrong only below the diagonal; those on it and "
         "above it are right."),
        (lambda right: -right, "What differs has the opposite sign."),
        (lambda right: right * torch.nan, "Numbers are NaN or infinite. 0/0, infinity minus "
         "infinity and the root of a negative number give NaN; 1/0, the logarithm of 0 and the "
         "exponential of a large number are infinite."),
    ],
)  # fmt: skip
def test_a_covariance_that_is_wrong_in_part(covariance, change, said):
    assert found(covariance, lambda x: change(torch.cov(x.T)))[1] == said


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda x: x / x.sum(0), "The rows should sum to 1. Here the sums over another axis are "
         "1."),
        (lambda x: x / x.sum(), "Along the last axis, numbers should sum to 1, but do not."),
        (lambda x: (x / x.sum(-1, keepdim=True)).softmax(-1), "The output that differs is the "
         "softmax of the right one along its last axis."),
    ],
)  # fmt: skip
def test_shares_of_rows(wrong, said):
    tables = [lambda rng, size=size: {"x": rng.normal(*size).abs()} for size in ((3, 4), (4, 3))]
    assert found(exercise(tables, lambda x: x / x.sum(-1, keepdim=True)), wrong)[1] == said


def mean(x, present):
    kept = torch.where(present, x, 0.0).sum(-1, keepdim=True)
    return kept / present.sum(-1, keepdim=True).clamp(min=1)


def of_missing_values(right):
    some = torch.tensor([[True, False, True], [True, True, False]])
    none = torch.tensor([[False, False, False], [True, True, False]])
    cases = [lambda rng, known=known: {"x": rng.normal(2, 3), "present": known}
             for known in (some, none, some.flip(0))]  # fmt: skip
    return exercise(cases, right)


def test_deviations_that_are_wrong_where_a_value_is_missing():
    def deviations(x, present):
        return torch.where(present, x - mean(x, present), 0.0)

    assert found(of_missing_values(deviations), lambda x, present: x - mean(x, present))[1] == (
        "Entries are wrong only where a boolean input is False."
    )


def test_means_of_rows_without_a_value():
    def means(x, present):
        return mean(x, present).expand(2, 2)

    def wrong(x, present):
        return means(x, present) + ~present.any(-1, keepdim=True) * x[:, :2]

    assert found(of_missing_values(means), wrong)[1].splitlines() == [
        "Only rows in which a boolean input holds no True are wrong.",
        "Of the cases tried, only those where a row of a boolean input holds no True fail.",
    ]


def distances(*sizes):
    cases = [lambda rng, size=size: {"x": rng.normal(size[0], 2), "y": rng.normal(size[1], 2)}
             for size in sizes]  # fmt: skip
    return exercise(cases, torch.cdist)


@pytest.mark.parametrize(("more", "told"), [([], False), ([(3, 3)], True)])
def test_lengths_are_blamed_where_several_cases_show_it(more, told):
    def wrong(x, y):
        return torch.cdist(x, y) + (len(x) == len(y)) * x.sum() ** 2 * torch.cdist(y, x).T

    name = found(distances((3, 5), (4, 4), *more), wrong)[0]
    assert ("fails_for_equal_lengths" in name) == told


def test_a_device_is_not_blamed_on_the_case_that_is_tried_on_another_one():
    """It is the largest, and the only one with large numbers."""
    cases = [lambda rng, rows=rows: {"x": rng.normal(rows, 2) * rows**4} for rows in (1, 2, 9)]
    centred = exercise(cases, lambda x: x - x.mean())
    centred.device = True
    assert found(centred, lambda x: torch.empty(x.shape).copy_(x - x.mean()))[0] == (
        "leaves_the_device"
    )


def test_a_course_says_the_same_in_its_own_words(covariance):
    word = Word("forgets_the_variances", "A covariance has the variances on its diagonal.")
    covariance.vocabulary = Vocabulary({"is_wrong_on_the_diagonal": word})
    told = found(covariance, lambda x: torch.cov(x.T).fill_diagonal_(1))
    assert told == (word.name, word.hint)
