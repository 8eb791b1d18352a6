"""A class is graded in worker processes of this computer, or on a Dask cluster."""

from dataclasses import dataclass
from functools import partial

from autograder.course.course import Course
from autograder.grading.attempts import AHEAD, Executors
from autograder.grading.session import local_executor
from autograder.sandbox.sandbox import Sandbox


@dataclass(frozen=True)
class Backend:
    """executors: what grades there. ahead: how many submissions are handed out at a time."""

    executors: Executors
    ahead: int


def choose_backend(
    course: Course,
    chapters: list[str],
    seed: str,
    *,
    confined: bool,
    device: str,
    scheduler: str | None,
    insecure: bool,
) -> Backend:
    """This computer, or the workers of the Dask scheduler at an address.

    device: "cuda" for the GPU too. insecure: without TLS, even where others may reach it. Raises
    SandboxUnavailable where a submission could not be run here, CourseError where the scheduler
    may not be used or Dask is missing.
    """
    given = course.root, seed, confined, device
    if scheduler is None:
        Sandbox(confined, device).check(course.root)
        return Backend(partial(local_executor, *given), AHEAD)
    from autograder.grading import cluster  # and Dask, which few have
    from autograder.grading.scheduler import Scheduler

    there = Scheduler(scheduler, insecure)
    there.check()
    return Backend(partial(cluster.cluster_executor, there, chapters, *given), cluster.AHEAD)
