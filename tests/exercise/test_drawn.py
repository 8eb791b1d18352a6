"""What is drawn at random is judged by counting, and by the values that may be drawn."""

import pytest
import torch

from autograder.author import Case, Drawn, Exercise, Generator
from autograder.common.errors import CourseError
from autograder.exercise.observation import Observation
from autograder.exercise.rounding import Exactness
from autograder.judging import checks
from autograder.judging.compare import first_difference

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
    found = first_difference(DROPPED.aligned(expected, seen), seen, ("output",), Exactness(1))
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


@pytest.mark.parametrize("most", [50, 200, 230])
def test_rare_values_that_are_left_out_are_noticed_together(most):
    """Each of 256 is due 16 times; chance leaves one of them out now and then, but not many."""

    def among(values, seed):
        noise = torch.Generator().manual_seed(seed)
        return Observation(output=torch.randint(values, (4000, 1), generator=noise))

    drawn = Drawn(0, "Tokens are drawn.")
    assert "too often" in drawn.violation(among(256, 1), among(most, 2))
    assert drawn.violation(among(256, 1), among(256, most)) == ""


SHARES = torch.tensor([0.05, 0.4, 0.2, 0.35])
ROWS = 1500


def tokens(seed, rows=ROWS):
    generator = torch.Generator().manual_seed(seed)
    return torch.multinomial(SHARES, rows, replacement=True, generator=generator)


def by_even_numbers(u):
    return torch.searchsorted(SHARES.cumsum(0), u % 1).clamp(max=3)


EVEN = torch.arange(ROWS) / ROWS
NO_DRAWS = {
    "sorted": tokens(1).sort().values,
    "evenly spaced": by_even_numbers(EVEN),
    "by the golden ratio": by_even_numbers(torch.arange(ROWS) * 0.6180339887),
    "in turn": by_even_numbers(torch.arange(ROWS) * 0.35 + 0.01),
    "sorted in batches": tokens(1).view(-1, 50).sort(1).values.flatten(),
    "the same again": tokens(1, 100).repeat(15),
    "each twice": tokens(1, 750).repeat_interleave(2),
    "forth and back": torch.stack([tokens(1, 750), tokens(1, 750)]).flatten(),
}


@pytest.mark.parametrize("shape", [(ROWS,), (ROWS, 1), (1, ROWS)])
@pytest.mark.parametrize("draws", NO_DRAWS.values(), ids=NO_DRAWS)
def test_draws_along_one_axis_follow_each_other_by_chance(draws, shape):
    drawn = Drawn(0, "Tokens are drawn.")
    right, seen = (Observation(output=value.view(shape)) for value in (tokens(2), draws))
    assert " apart are alike too " in drawn.violation(right, seen)


@pytest.mark.parametrize("seed", range(3, 60))
def test_an_order_that_chance_gives_passes_with_every_seed(seed):
    right = Observation(output=tokens(2))
    assert Drawn(0, "").violation(right, Observation(output=tokens(seed))) == ""


def test_draws_of_one_distribution_after_the_other_may_stand_in_order():
    def rows(seed):
        noise = torch.Generator().manual_seed(seed)
        chance = torch.tensor([0.1, 0.9]).repeat_interleave(ROWS)
        return Observation(output=torch.bernoulli(chance, generator=noise).long())

    assert Drawn(0, "").violation(rows(1), rows(2)) == ""


def exercise_that_draws(oracle):
    exercise = Exercise("draw", 1, 1, 1, properties=(Drawn(0, "Each is drawn by itself."),))
    exercise.cases(lambda rng: [Case("some", {"generator": Generator(rng.integer(1, 9))})])
    exercise.returns = ("the draws", "the generator")
    exercise.oracle(oracle)
    return exercise


@pytest.mark.parametrize(
    ("oracle", "counts"),
    [(lambda generator: torch.randint(6, (500,), generator=generator), "500 entries with 6"),
     (lambda generator: torch.randperm(4000, generator=generator), "4,000 entries with 4,000")],
)  # fmt: skip
def test_draws_that_cannot_be_counted_are_refused_with_what_is_needed(oracle, counts):
    with pytest.raises(CourseError) as error:
        checks.build(exercise_that_draws(oracle))
    assert str(error.value).startswith(f"{__file__}, line ")
    assert str(error.value).endswith(
        f"{counts} different values are drawn on case 'some'. Drawn counts how often each occurs: "
        "let it be 1,000 entries at least, and 256 different values at most."
    )


def test_draws_of_which_some_are_rare_are_refused_since_right_answers_have_others():
    def means_of_five(generator):
        return torch.randint(5, (4000, 5), generator=generator).double().mean(1) ** 2

    with pytest.raises(CourseError, match="so that a right answer may draw others"):
        checks.build(exercise_that_draws(means_of_five))


@pytest.mark.parametrize(
    "oracle",
    [lambda generator: torch.randint(6, (1000,), generator=generator),
     lambda generator: 0 * torch.rand(5, generator=generator)],
)  # fmt: skip
def test_draws_that_can_be_counted_or_do_not_matter_may_be_asked_for(oracle):
    assert checks.build(exercise_that_draws(oracle)).cases


@pytest.mark.parametrize("seed", range(20))
def test_means_that_only_rounding_tells_apart_count_as_one_value(seed):
    """A sum in float32 has another last bit in another order; the oracle's is rounded once."""
    numbers, generator = torch.tensor([0.1, 0.7, 0.4, 0.3]), torch.Generator().manual_seed(seed)
    samples = numbers[torch.randint(4, (2, 8000, 4), generator=generator)]
    right, drawn = samples[0].double().mean(dim=-1).float(), samples[1].mean(dim=-1)
    assert DROPPED.violation(Observation(output=right), Observation(output=drawn)) == ""
