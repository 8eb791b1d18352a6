"""What is drawn at random is judged by counting, and by the values that may be drawn."""

import pytest
import torch

from autograder.judging.compare import first_difference
from autograder.observation import Observation
from autograder.properties import Drawn

SHAPE, RATE = (2, 64, 32), 0.25  # 4,096 draws
DROPPED = Drawn(0, "Each entry is dropped by itself.")


def dropped(rate, seed, shape=SHAPE):
    """A quarter is due; what is kept is always as large as if that had been dropped."""
    generator = torch.Generator().manual_seed(seed)
    kept = torch.rand(shape, generator=generator) >= rate
    return (kept / (1 - RATE)).expand(SHAPE).half()


RIGHT = ((torch.arange(64) >= 16)[:, None] / (1 - RATE)).expand(SHAPE).half()


def told(actual):
    """What the property says, else what the comparison says, "" if nothing."""
    expected, seen = Observation(output=RIGHT), Observation(output=actual)
    violation = DROPPED.violation(expected, seen)
    found = first_difference(DROPPED.aligned(expected, seen), seen, ("output",), 1)
    return violation or (found.sentence if found else "")


@pytest.mark.parametrize("seed", range(200))
def test_a_right_answer_passes_with_every_stream_of_random_numbers(seed):
    assert told(dropped(RATE, seed)) == ""


@pytest.mark.parametrize("rate", [0, 0.125, 0.15, 0.35, 0.5, 1])
def test_too_many_or_too_few_are_counted(rate):
    assert "too often" in told(dropped(rate, 3))


@pytest.mark.parametrize(("share", "says"), [(0.25, ""), (0.4, "too often")])
def test_whole_numbers_are_counted_like_any_others(share, says):
    right, drawn = ((torch.rand(2000, 1, generator=torch.Generator().manual_seed(seed)) < of).long()
                    for seed, of in enumerate((0.25, share)))  # fmt: skip
    expected, seen = Observation(output=right), Observation(output=drawn)
    assert says in DROPPED.violation(expected, seen)
    assert bool(says) == bool(DROPPED.violation(expected, seen))


def test_two_calls_that_raised_have_nothing_to_count():
    assert DROPPED.violation(Observation(output=None), Observation(output=None)) == ""


@pytest.mark.parametrize("shape", [(2, 1, 32), (2, 64, 1)])
def test_what_is_dropped_together_is_told(shape):
    assert "several together" in told(dropped(RATE, 3, shape))


@pytest.mark.parametrize(
    ("times", "where"),
    [((2, 1, 1), "[0] and at [1]"), ((1, 1, 16), "[:, :, 0] and at [:, :, 2]"),
     ((1, 1, 2), "[:, :, 0] and at [:, :, 16]")],
)  # fmt: skip
def test_what_repeats_is_told_and_where(times, where):
    part = dropped(RATE, 3)[tuple(slice(n // k) for n, k in zip(SHAPE, times, strict=True))]
    assert f"The same was drawn at {where}." in told(part.repeat(times))


def test_what_is_kept_must_have_its_value():
    assert "The shape is right" in told(dropped(RATE, 3) * (1 - RATE))
    assert "The shape is right" in told(torch.ones(SHAPE).half())


@pytest.mark.parametrize("actual", [None, "a thing", torch.zeros(3), torch.full(SHAPE, torch.nan)])
def test_anything_else_is_left_to_the_comparison(actual):
    assert told(actual) != ""


def test_an_output_of_few_entries_is_compared_entry_by_entry():
    expected, seen = (Observation(output=torch.tensor(part)) for part in ([1.0, 0], [0, 1.0]))
    assert DROPPED.aligned(expected, seen) is expected
    assert DROPPED.violation(expected, seen) == ""


def test_one_row_of_draws_is_counted_as_well():
    def row(*counts):
        return Observation(output=torch.arange(3).repeat_interleave(torch.tensor(counts)))

    drawn = Drawn(0, "Tokens are drawn.")
    assert drawn.violation(row(1000, 2000, 1000), row(1040, 1950, 1010)) == ""
    assert "too often" in drawn.violation(row(1000, 2000, 1000), row(0, 4000, 0))


def test_what_has_no_output_is_no_draw():
    nothing = Observation(output=[])
    assert DROPPED.aligned(nothing, nothing) is nothing
