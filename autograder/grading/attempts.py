"""Submissions handed out to worker processes, which may refuse, take long, or be killed."""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager

from autograder.calls.errors import SandboxUnavailable
from autograder.grading.outcome import Graded
from autograder.grading.session import grade_in_session
from autograder.notebooks.hand_in import HandIn

Executors = Callable[[], AbstractContextManager[Executor]]
Running = dict[Future[Graded], str]  # the student of each
# Submissions handed out at a time: enough that no core waits for the next.
AHEAD = max(8, 2 * (os.cpu_count() or 1))
ATTEMPTS = 5  # to start worker processes, when nothing is graded in between
PAUSE = 0.5  # seconds without a result, after which whoever waits is told that there is none
ALONE = 2  # attempts at a submission that was the only one when its worker process was killed


class Attempts:
    """Each submission is handed out until something has become of it.

    read: what a student has handed in by now. fault: of an error of ours, with no verdict.
    ahead: how many are handed out at a time.
    """

    def __init__(
        self, read: Callable[[str], HandIn], fault: Callable[[str, BaseException], Graded],
        ahead: int = AHEAD,
    ):  # fmt: skip
        self._read, self._fault, self._ahead = read, fault, ahead
        self._suspects: set[str] = set()  # each may be what its worker process was killed for
        self._alone: dict[str, int] = {}  # how often a process was killed that graded only this
        self._refused = 0  # submissions in a row for which no sandbox started

    def outcomes(
        self, executors: Executors, students: Iterable[str]
    ) -> Generator[Graded | None, None, None]:
        """Grade them; where worker processes are killed, with new ones. None where all is waiting.

        Raises SandboxUnavailable where no sandbox starts for many in a row.
        """
        left = dict.fromkeys(students)
        fruitless = 0
        while left:
            before = len(left)
            with executors() as executor:
                yield from self._round(executor, left)
            fruitless = fruitless + 1 if len(left) == before else 0
            if fruitless == ATTEMPTS:
                yield from self._give_up(left)

    def _give_up(self, left: dict[str, None]) -> Iterator[Graded]:
        for student in list(left):
            del left[student]
            yield self._fault(student, BrokenExecutor("its worker processes end as they start"))

    def _round(self, executor: Executor, left: dict[str, None]) -> Iterator[Graded | None]:
        """What becomes of the submissions in `left`, which are taken from it as they finish."""
        running: Running = {}
        waiting = self._queue(left)
        try:
            while waiting or running:
                self._hand_out(executor, waiting, running)
                finished = wait(running, PAUSE, FIRST_COMPLETED).done
                if not finished:
                    yield None
                for done in finished:
                    graded = self._outcome(running[done], done)
                    student = running.pop(done)
                    self._suspects.discard(student)
                    if graded.slow:
                        waiting.append((student, False))
                    else:
                        del left[student]
                        yield graded
        except BrokenExecutor as error:
            yield from self._killed(list(running.values()), left, error)

    def _queue(self, left: Iterable[str]) -> deque[tuple[str, bool]]:
        """Students, and whether to give them little time.

        At first each is given little; whoever needs more comes last. Before all others, and
        alone, comes whoever was being graded when a worker process was killed.
        """
        suspects = [(student, False) for student in left if student in self._suspects]
        others = [(student, True) for student in left if student not in self._suspects]
        return deque(suspects + others)

    def _hand_out(
        self, executor: Executor, waiting: deque[tuple[str, bool]], running: Running
    ) -> None:
        at_once = 1 if self._suspects else self._ahead
        while waiting and len(running) < at_once:
            student, hurry = waiting.popleft()
            work = executor.submit(grade_in_session, student, self._read(student), hurry)
            running[work] = student

    def _outcome(self, student: str, done: Future[Graded]) -> Graded:
        """The result; a fault of ours costs no other student anything."""
        try:
            graded = done.result()
        except BrokenExecutor:
            raise
        except Exception as error:
            if isinstance(error, SandboxUnavailable):
                self._refused += 1
            if self._refused == ATTEMPTS:
                raise
            return self._fault(student, error)
        self._refused = 0
        return graded

    def _killed(
        self, running: list[str], left: dict[str, None], error: BrokenExecutor
    ) -> Iterator[Graded]:
        """A worker process was killed. It may be one of these submissions that it dies of."""
        self._suspects.update(running)
        if len(running) != 1:
            return
        (student,) = running
        self._alone[student] = self._alone.get(student, 0) + 1
        if self._alone[student] == ALONE:
            self._suspects.discard(student)
            del left[student]
            yield self._fault(student, error)
