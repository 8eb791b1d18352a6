"""Who is in the class, by name, and who is not."""

import pytest
from nbgrader.api import Gradebook

from autograder.course.course import Course
from autograder.course.roster import Roster, difference, roster

CLASS = Roster(
    {"ada": "Ada Lovelace", "emmy": "Emmy Noether", "x17": ""}, frozenset({"ada", "emmy"})
)


def test_a_student_is_called_by_name_and_id_and_by_the_id_where_no_name_is_known():
    assert [CLASS.named(who) for who in ("ada", "x17", "new")] == [
        "Ada Lovelace (ada)",
        "x17",
        "new",
    ]


def test_who_is_in_the_gradebook_by_nothing_but_an_id_is_a_stranger():
    assert CLASS.strangers(["x17", "ada", "new"]) == ["new", "x17"]
    assert CLASS.absent(["x17", "ada", "new"]) == ["emmy"]


def test_without_a_roster_nobody_is_a_stranger_and_nobody_is_missing():
    grown = Roster({"ada": "", "bob": ""})
    assert (grown.strangers(["eve"]), grown.absent(["eve"])) == ([], [])


@pytest.mark.parametrize(("folder", "enrolled", "other"), [
    ("ada", "Ada", "capitals"),
    ("Zoe\u0308", "Zo\u00eb", "characters for ë"),
    ("Zo\u00eb", "zoe\u0308", "characters for ë and capitals"),
    ("ada\u200b", "ada", "characters"),
    ("mary  ann", "mary ann", "blanks"),
    ("42", "0042", "zeros in front"),
    ("1042.0", "1042", "decimals"),
])  # fmt: skip
def test_a_stranger_whose_id_is_nearly_one_of_the_roster_may_be_meant(folder, enrolled, other):
    known = Roster({}, frozenset({enrolled, "emmy"}))
    assert known.meant(["eve", folder]) == [(folder, enrolled)]
    assert difference(folder, enrolled) == other


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("adda", ["ada"]), ("ADA", ["ada"]), ("emmy noeter", ["emmy"]), ("zz", []), ("bbo", ["bob"])],
)
def test_a_mistyped_id_or_name_is_recognised(typed, offered):
    assert CLASS.close(typed, ["bob"]) == offered


def test_it_is_read_from_the_gradebook_and_none_is_made_to_read_it(tmp_path, nbgrader):
    course = Course(tmp_path)
    assert roster(course) == Roster() and list(tmp_path.iterdir()) == []
    with Gradebook(course.directory.db_url, course.directory.course_id) as book:
        book.add_student("ada", first_name=" Ada ", last_name="Lovelace")
        book.add_student("emmy", email="emmy@example.org")
        book.add_student("x17")
    assert roster(course) == Roster({"ada": "Ada Lovelace", "emmy": "", "x17": ""},
                                    frozenset({"ada", "emmy"}))  # fmt: skip
