"""What being late costs; tests/test_teaching.py has it written into a gradebook."""

import pytest

from autograder.late import DAY, PercentPerDay


@pytest.mark.parametrize(("days", "penalty"), [(0.01, 2), (1, 2), (1.25, 4), (4.5, 10), (400, 20)])
def test_each_day_that_has_begun_costs_a_tenth_of_the_score_and_never_more_than_all(days, penalty):
    assert PercentPerDay().late_submission_penalty("ada", 20.0, days * DAY) == penalty
