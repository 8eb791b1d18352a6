"""No submission holds up a class: one budget, a limit for its readers, a process that dies."""

import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import nullcontext, suppress

import pytest

from autograder.common.cell import Cell
from autograder.common.errors import WireError
from autograder.course.course import Course
from autograder.grading.class_run import ClassRun
from autograder.grading.results import Graded
from autograder.grading.session import Session
from autograder.grading.writer import Writer
from autograder.judging import budget
from autograder.judging import grader as graders
from autograder.judging.budget import Limits
from autograder.judging.checks import build
from autograder.judging.grader import Grader, MarkerWithStandIns
from autograder.notebooks.chapter import reference_cells
from autograder.notebooks.hand_in import HandIn
from autograder.notebooks.watchdog import OutOfTime, processor_limit
from autograder.sandbox.steps import MAX_SMALL_CHUNKS, Run, Taken, frames


class Slow:
    """A sandbox in which every run takes 40 seconds and ends without a word."""

    device = "cpu"

    def __init__(self):
        self.longest = []

    def run(self, cells, calls, names, patience, longest):
        self.longest.append(longest)
        return Run(end="timeout", ready=True, seconds=40.0, cells=dict.fromkeys(range(len(cells))))


def test_once_its_time_is_over_each_answer_of_a_submission_is_tried_alone_and_no_more(toy):
    box = Slow()
    checks = {name: build(item, "s") for name, item in toy.exercises.items()}
    found = MarkerWithStandIns(toy, checks, box).grade(reference_cells(toy))
    assert [verdict.kind for verdict in found.values()] == ["timeout"] * 3
    together, alone = box.longest[:2], box.longest[2:]
    assert together == [60.0, 20.0] and alone == [10.0] * 2  # Scale, and average on the reference


def test_where_an_exercise_may_take_long_the_others_still_have_their_time(
    toy, sandbox, monkeypatch
):
    """As where the calls of one train models: then one that never ends takes a minute alone."""
    monkeypatch.setattr(budget, "LIMIT_FACTOR", 1e9)
    grader = Grader(toy, "s", sandbox)
    assert not grader.fault()
    grader.sandbox = Slow()
    found = grader.grade(reference_cells(toy))
    assert all("too slow, or endless" in verdict.sentence for verdict in found.values())


def slow(toy, **before):
    """The reference, where some cells first compute for so many seconds of processor time."""
    waits = (
        "import time\nbegan = time.process_time()\nwhile time.process_time() < began + {}: pass\n"
    )
    return [
        Cell(cell.name, waits.format(before.get(cell.name, 0)) + cell.source)
        for cell in reference_cells(toy)
    ]


@pytest.fixture
def strict(toy, sandbox):
    """Less time for all steps together than for each."""
    grader = Grader(toy, "s", sandbox)
    grader.hold_to(Limits(step=2.0, together=0.6))
    return grader


def test_right_answers_that_are_slow_together_pass(toy, strict):
    found = strict.grade(slow(toy, normalise=0.5, average=0.5, Scale=0.5))
    assert [verdict.kind for verdict in found.values()] == ["passed"] * 3


def test_an_endless_answer_among_slow_ones_is_refused_alone(toy, strict):
    found = strict.grade(slow(toy, normalise=0.5, average=1e9, Scale=0.5))
    kinds = {name: verdict.kind for name, verdict in found.items()}
    assert kinds == {"normalise": "passed", "average": "timeout", "Scale": "passed"}
    assert "2 seconds of processor time were not enough" in found["average"].sentence


def test_an_answer_that_is_tried_alone_is_tried_with_right_ones_that_it_builds_on(toy, strict):
    """They may give it more than the exercise asks for."""
    own = {
        "normalise": "\ntwice = 2\n",
        "average": "\nright = average\ndef average(*given):\n    return twice * right(*given) / 2",
    }
    cells = slow(toy, normalise=0.8)
    cells = [Cell(cell.name, cell.source + own.get(cell.name, "")) for cell in cells]
    assert {verdict.kind for verdict in strict.grade(cells).values()} == {"passed"}


def test_where_it_is_graded_the_limits_that_were_measured_elsewhere_count(handed_in):
    graded_by = Session(handed_in, "s", confined=True)
    (first, path), (second, other), *_ = Course(handed_in).submissions("01_toy").items()
    told = graded_by.grade("01_toy", first, HandIn.at(path), limits={"step": 7.0}).limits
    again = graded_by.grade("01_toy", second, HandIn.at(other), limits={"step": 8.0}).limits
    graded_by.stop()
    assert (told["step"], again["step"]) == (7.0, 8.0)


def test_an_endless_reader_is_a_fault_for_its_submission_alone(handed_in, monkeypatch):
    splice = graders.splice
    graded_by = Session(handed_in, "s", confined=True)
    submissions = Course(handed_in).submissions("01_toy")
    first, second, *_ = submissions

    def endless(released, submission):
        while True:
            with suppress(Exception):
                time.time()

    monkeypatch.setattr("autograder.grading.session.processor_limit", lambda: processor_limit(0.3))
    monkeypatch.setattr(graders, "splice", endless)
    unjudged = graded_by.grade("01_toy", first, HandIn.at(submissions[first]))
    assert {row["points"] for row in unjudged.rows} == {None} and "in endless" in unjudged.fault
    monkeypatch.setattr(graders, "splice", splice)
    monkeypatch.setattr("autograder.grading.session.processor_limit", nullcontext)
    assert graded_by.grade("01_toy", second, HandIn.at(submissions[second])).notebook
    graded_by.stop()


def test_what_interrupts_us_while_one_is_heard_costs_the_next_nothing(toy, sandbox, monkeypatch):
    grader = Grader(toy, "secret", sandbox)

    def interrupts(*_):
        raise MemoryError

    for _ in range(3):
        with monkeypatch.context() as patch:
            patch.setattr("autograder.sandbox.sandbox.take", interrupts)
            with pytest.raises(MemoryError):
                grader.grade(reference_cells(toy))
        found = grader.grade(reference_cells(toy))
        assert {verdict.kind for verdict in found.values()} == {"passed"}


def test_who_drips_is_not_listened_to_byte_by_byte(monkeypatch):
    data, waits = bytearray(1000), []
    monkeypatch.setattr("select.select", lambda *_: ([0], [], []))
    monkeypatch.setattr("os.read", lambda *_: bytes([data.pop()]) if data else b"")
    monkeypatch.setattr("time.sleep", waits.append)
    with suppress(WireError):
        list(frames(0, 60.0, 60.0, lambda: Taken(0.0, 0.0)))
    assert data or len(waits) == 1000 - MAX_SMALL_CHUNKS


def test_who_finishes_within_the_limit_is_left_alone():
    with processor_limit(60):
        pass
    with pytest.raises(OutOfTime), processor_limit(0.1):
        while True:
            time.time()


def test_a_call_that_never_looks_up_ends_its_process():
    deaf = """
import hashlib
from autograder.notebooks.watchdog import processor_limit
with processor_limit(0.1):
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)
"""
    assert subprocess.run([sys.executable, "-c", deaf], check=False).returncode < 0


class Fragile(Executor):
    """It breaks, with all that it was given, as soon as it is given the work of one student."""

    def __init__(self, fatal, given):
        self.fatal, self.given, self.running = fatal, given, []

    def submit(self, work, chapter, student, handed_in, hurry, limits):
        self.given.append(student)
        future = Future()
        self.running.append((future, student))
        if student == self.fatal:
            for other, _ in self.running:
                other.set_exception(BrokenExecutor("its process was killed"))
        elif self.fatal in self.given and self.given.index(self.fatal) < len(self.given) - 1:
            self.running.pop()
            future.set_result(Graded(student, [], "{}"))
        return future


def test_of_those_graded_when_a_process_was_killed_only_the_one_that_did_it_has_no_verdict(
    handed_in, monkeypatch
):
    run, given, written = ClassRun(Course(handed_in), "01_toy", "s"), [], []
    fatal = sorted(run.submissions)[-1]
    monkeypatch.setattr(Writer, "take", lambda _, graded, entry: written.append(graded.student))
    list(run.grade(lambda: nullcontext(Fragile(fatal, given))))
    assert set(run.unjudged) == {fatal}
    assert sorted(written) == sorted(run.submissions.keys() - {fatal})
    assert given.count(fatal) == 3  # once with others, then twice alone
