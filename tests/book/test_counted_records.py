"""Records that count exercises, mutants, calls or minutes agree with what is in `solutions/`."""

import re

import book_site
import measurements
import pytest

from autograder.authoring.mutation import of_exercise
from autograder.chapters import solutions

CHAPTERS = solutions.chapter_names(book_site.ROOT)
MUTANTS = measurements.load("grading_mutants")["series"]["exercises"]
COSTS = measurements.load("check_cost")["numbers"]
KEEP = "make measure grading_mutants KEEP=1"
TIME = "make measure check_cost KEEP=1"
HOURS = re.compile(r"About \d+ minutes, and (\w+)( and a half)? hours?( and a half)? more")
NUMBERS = {"an": 1, "one": 1, "two": 2, "three": 3, "four": 4}


def chapter(name):
    return solutions.load(book_site.ROOT, name)


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_mutants_that_were_graded_are_those_of_todays_exercises(name):
    graded = {exercise: counts[0] for exercise, counts in MUTANTS.get(name, {}).items()}
    found = chapter(name)
    made = {one.name: len([*of_exercise(found, one)]) for one in found.exercises.values()}
    assert graded == made, f"Run: {KEEP}"


@pytest.mark.parametrize("name", [name for name in CHAPTERS if f"validate_{name}" in COSTS])
def test_the_check_of_each_exercise_of_part_one_was_timed(name):
    untimed = [exercise for exercise in chapter(name).exercises if f"warm_{exercise}" not in COSTS]
    assert untimed == [], f"Run: {TIME}"


@pytest.mark.whole_course
def test_no_exercise_was_counted_that_is_not_there_any_more():
    timed = {key.removeprefix("warm_") for key in COSTS if key.startswith("warm_")}
    exercises = {exercise for name in CHAPTERS for exercise in chapter(name).exercises}
    assert timed <= exercises and COSTS["exercises"]["value"] == len(timed), f"Run: {TIME}"
    assert {*MUTANTS} == {*CHAPTERS}


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_page_says_how_many_hours_its_exercises_take(name):
    minutes = sum(exercise.minutes for exercise in chapter(name).exercises.values())
    said = HOURS.search((book_site.ROOT / "book" / f"{name}.md").read_text())
    if said:
        hours = NUMBERS[said[1]] + 0.5 * bool(said[2] or said[3])
        assert abs(60 * hours - minutes) < 30, f"{minutes} minutes are not {said[0]}"
