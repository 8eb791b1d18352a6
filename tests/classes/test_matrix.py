"""The report's table of students by exercises, and how a long list in it stays readable."""

import pytest
from bs4 import BeautifulSoup
from made_up import ALL, SLIP, made_up

from autograder.classes import advice
from autograder.classes import statistics as numbers
from autograder.classes.matrix import lines
from autograder.classes.page import report_page
from autograder.diagnosis.catalogue import PATTERNS


def of_all(results):
    """The cells of the table of students by exercises, by student."""
    return {line.student: [(cell.sign, cell.points, cell.why) for cell in line.cells]
            for line in lines(results)}  # fmt: skip


def test_the_table_says_in_signs_and_words_what_became_of_each_exercise(toy):
    results = made_up(
        toy, ("ada", ALL), ("bob", {**ALL, "normalise": "sums_columns + DropsTheLastRow"}),
        ("cleo", {"average": "timeout", "normalise": "passed"}),
    )  # fmt: skip
    results.members[2].rows[2] |= {"verdict": "missing", "message": "Not written yet."}
    assert of_all(results) == {
        "ada": [("✓", "2", ""), ("✓", "3", ""), ("✓", "1", "")],
        "bob": [("✗", "0", "sums columns; drops the last row"), ("✓", "3", ""), ("✓", "1", "")],
        "cleo": [("✓", "2", ""), ("✗", "0", "timeout"), ("○", "0", "not written")],
    }


def test_part_of_the_points_is_told_with_the_group_that_is_lost(toy):
    results = made_up(toy, ("ada", ALL), ("bob", {"average": "unnormalised"}), ("cleo", ALL))
    marks = {"ada": [1, 1], "bob": [0, 1], "cleo": [0, 1]}
    for member in results.members:
        member.rows[1]["groups"] = {"cost": marks[member.student]}
    results.members[2].rows[1] |= {"verdict": "wrong", "points": 2}
    cells = of_all(results)
    assert (cells["bob"][1], cells["cleo"][1]) == (
        ("✗", "0", "unnormalised"), ("◐", "2 of 3", "cost")
    )  # fmt: skip
    exercise = numbers.exercises(results)[1]
    assert advice.lost(exercise) == ["1 of the 2 who got the core right lose cost."]
    assert exercise.mean == pytest.approx(5 / 3)
    page = BeautifulSoup(report_page(results), "html.parser")
    assert page.find(class_="partly").get_text(" ") == "◐ 2 of 3 cost"


def test_rare_misconceptions_are_folded_and_none_of_a_short_list(toy):
    slips = [wrong.name for wrong in toy.exercises["normalise"].misconceptions]
    few = made_up(toy, *((f"s{at}", {**ALL, "normalise": name}) for at, name in enumerate(slips)))
    assert advice.rare_mistakes(few) == []
    common = [(f"c{at}", SLIP) for at in range(20)]
    many = made_up(toy, *common, *((f"r{at}", {**ALL, "normalise": name})
                                   for at, name in enumerate(list(PATTERNS)[:14])))  # fmt: skip
    assert [mistake.students for mistake in advice.rare_mistakes(many)] == [1] * 5
    page = BeautifulSoup(report_page(many), "html.parser")
    (folded,) = page.find_all("details")
    assert folded.summary.get_text() == advice.rare_ones(many)
    assert advice.rare_ones(many) == "5 rarer ones, each shown to one student"
    assert len(folded.find_all("tr")) == 6 and SLIP["average"] not in folded.get_text()
