"""In which order submissions are handed out, where some need more time than others."""

from concurrent.futures import Executor, Future
from contextlib import nullcontext

from autograder.grading.attempts import Attempts, Waiting
from autograder.grading.results import Graded

A, B, C, D = (("01_toy", student) for student in "abcd")


def test_each_is_given_little_time_at_first_in_the_order_that_they_came_in():
    waiting = Waiting([A, B], suspects=(), beside=1)
    assert [waiting.take(), waiting.take(), waiting.take()] == [(A, True), (B, True), None]


def test_one_that_needs_more_is_graded_beside_the_others():
    waiting = Waiting([B, C], suspects=(), beside=1)
    waiting.slow.append(A)
    assert [waiting.take() for _ in range(3)] == [(A, False), (B, True), (C, True)]


def test_no_more_of_them_are_at_work_than_leave_others_their_processes():
    waiting = Waiting([C], suspects=(), beside=1)
    waiting.slow.extend([A, B])
    assert [waiting.take(), waiting.take()] == [(A, False), (C, True)]
    waiting.quick.append(D)
    waiting.patient.discard(A)  # it is done
    assert [waiting.take(), waiting.take()] == [(B, False), (D, True)]


def test_once_no_others_are_left_all_of_them_are_graded():
    waiting = Waiting([], suspects=(), beside=1)
    waiting.slow.extend([A, B])
    assert [waiting.take(), waiting.take(), waiting.take()] == [(A, False), (B, False), None]


def test_on_one_core_they_come_last():
    waiting = Waiting([B], suspects=(), beside=0)
    waiting.slow.append(A)
    assert [waiting.take(), waiting.take()] == [(B, True), (A, False)]


def test_who_was_at_work_when_a_process_was_killed_comes_first_with_all_the_time():
    waiting = Waiting([A, B], suspects={B}, beside=0)
    assert [waiting.take(), waiting.take()] == [(B, False), (A, True)]
    assert not waiting


class Measuring(Executor):
    """Its workers measure different limits, one after the other. told: which each was handed."""

    def __init__(self):
        self.told = []

    def submit(self, work, chapter, student, handed_in, hurry, limits):
        self.told.append((chapter, limits and limits["step"]))
        future = Future()
        future.set_result(Graded(student, limits={"step": float(len(self.told))}))
        return future


def test_what_was_measured_first_limits_the_whole_class_wherever_it_is_graded():
    executor = Measuring()
    todo = [A, B, ("02_more", "a"), C, ("02_more", "b")]
    attempts = Attempts(read=lambda _: None, fault=lambda *_: None, ahead=1)
    list(attempts.outcomes(lambda: nullcontext(executor), todo))
    assert executor.told == [
        ("01_toy", None), ("01_toy", 1.0), ("02_more", None), ("01_toy", 1.0), ("02_more", 3.0),
    ]  # fmt: skip
