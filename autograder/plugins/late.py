"""The cost of being late, for nbgrader's `AssignLatePenalties`."""

import math

from nbgrader.plugins import LateSubmissionPlugin
from traitlets import Float

from autograder.grading.penalties import DAY_SECONDS


class PercentPerDay(LateSubmissionPlugin):  # type: ignore[misc]  # nbgrader is untyped
    """A share of the score for each day that has begun since the due date and any extension."""

    percent = Float(10.0, min=0.0, max=100.0, help="Percent of the score that a day costs.").tag(
        config=True
    )

    def late_submission_penalty(
        self, student_id: str, score: float, total_seconds_late: float
    ) -> float:
        """Points to take off, at most the score."""
        return min(score, score * self.percent / 100 * math.ceil(total_seconds_late / DAY_SECONDS))
