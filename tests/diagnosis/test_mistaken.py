"""What misconceptions do is observed when a name asks for it, and charged to no submission."""

import time

import pytest
from diagnosed import diagnosed

from autograder.confined.observe import observe
from autograder.judging import checks as checks_module
from autograder.judging.checks import build, own_work
from autograder.notebooks.watchdog import OutOfTime, processor_limit


@pytest.fixture
def asked(monkeypatch):
    """The name of each misconception that was observed, and the case; two may have one name."""
    names = []

    def noticing(target, case):
        names.append((target.__name__, id(case)))
        return observe(target, case)

    monkeypatch.setattr(checks_module, "observe", noticing)
    return names


@pytest.fixture
def exercise(toy):
    return toy.exercises["normalise"]


def verdict(checks, target):
    return diagnosed(checks, [observe(target, checked.case) for checked in checks.cases])


def test_a_right_answer_asks_for_none_of_them(exercise, asked):
    assert verdict(build(exercise, "secret"), exercise.variants[0].target).kind == "passed"
    assert asked == []


def test_a_wrong_answer_asks_for_each_at_most_once(exercise, asked):
    checks = build(exercise, "secret")
    for wrong in exercise.misconceptions * 2:
        assert verdict(checks, wrong.target).misconception == wrong.name
    assert asked and len(asked) == len(set(asked))


def test_all_of_them_are_there_for_who_writes_a_file(exercise):
    checks = build(exercise)
    for checked in checks.cases:
        assert {*checked.wrong} == {wrong.name for wrong in exercise.misconceptions}
        assert len(checked.wrong) == len([*checked.wrong.items()])


def burn(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def test_the_graders_own_work_takes_nothing_of_a_submissions_time():
    with processor_limit(0.3), own_work():
        burn(0.6)
    with pytest.raises(OutOfTime), processor_limit(0.3):
        burn(0.1)
        with own_work():
            burn(0.4)
        burn(5.0)
