"""Sections: from the roster's file to a table beside the gradebook, and to what is asked of it."""

import csv

import pytest

from autograder.cli import main
from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.course.sections import sections, students_of

PLAIN = 'id,first_name,section\nada,Ada,Monday\nzoe,Zoë,\nli,Li,"Monday, Lab  2"\n'
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,04_masks (12)
    Points Possible,,,,,10
"Lovelace, Ada",1042,u1,ada,Monday,8
"Wu, Li",1043,u2,li,Lab 2 and Monday,7
"Brontë, Zoë",1044,u3,zoe,"Friday, Lab 2, and Monday",9
"""
MOODLE = "First name;Last name;Email address;Gruppen\nAda;Lovelace;ada@a.org;Monday, Lab 2\n"


@pytest.fixture
def course(tmp_path, nbgrader):
    (tmp_path / "solutions").mkdir()
    return Course(tmp_path)


def imports(course, text):
    path = course.root / "roster.csv"
    path.write_text(text, "utf-8")
    return main(["roster", str(path), "--root", str(course.root)])


@pytest.mark.parametrize(("text", "known"), [
    (PLAIN, {"Lab 2": {"li"}, "Monday": {"ada", "li"}}),
    (CANVAS, {"Friday": {"zoe"}, "Lab 2": {"li", "zoe"}, "Monday": {"ada", "li", "zoe"}}),
    (MOODLE, {"Lab 2": {"ada@a.org"}, "Monday": {"ada@a.org"}}),
    ("id,section\nada,Research and Reading\n", {"Research and Reading": {"ada"}}),
    ("id,section\nada,FALL26 | BIO 101 | 1\n", {"FALL26 | BIO 101 | 1": {"ada"}}),
    ("id,first_name\nada,Ada\n", {}),
])  # fmt: skip
def test_all_sections_of_each_student_are_kept(course, text, known):
    assert imports(course, text) == 0
    assert sections(course) == known


def test_a_person_can_read_the_table_and_is_told_how_many_are_in_each(course, capsys):
    imports(course, PLAIN)
    assert capsys.readouterr().out.endswith("Sections: Lab 2 (1), Monday (2); 1 in none.\n")
    with (course.root / "sections.csv").open(newline="", encoding="utf-8-sig") as file:
        assert [*csv.reader(file)] == [
            ["student", "section"], ["ada", "Monday"], ["li", "Lab 2"], ["li", "Monday"],
        ]  # fmt: skip


def test_a_later_file_moves_whom_it_names_and_one_without_the_column_nobody(course):
    imports(course, PLAIN)
    imports(course, "id,section\nada,Friday\n")
    assert sections(course) == {"Friday": {"ada"}, "Lab 2": {"li"}, "Monday": {"li"}}
    imports(course, "id,first_name\nada,Augusta\n")
    assert students_of(course, "friday ") == {"ada"}


def test_a_section_that_is_not_there_is_answered_with_those_that_are(course):
    with pytest.raises(CourseError, match=r"No sections are known. Import a roster with a column"):
        students_of(course, "Monday")
    imports(course, PLAIN)
    with pytest.raises(CourseError, match=r"no section 'Mon'. There are: Lab 2, Monday\."):
        students_of(course, "Mon")


def test_a_table_without_its_columns_is_named(course):
    (course.root / "sections.csv").write_text("student,room\nada,1\n")
    with pytest.raises(CourseError, match=r"sections.csv has no column section; its first line"):
        sections(course)


def test_a_line_that_is_too_long_is_named(course, capsys):
    assert imports(course, "id,section\nada," + "x" * 200_000 + "\n") == 2
    assert "line 2 is too long" in capsys.readouterr().err
