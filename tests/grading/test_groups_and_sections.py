"""A class with groups and sections, through the commands: grade, formgrader's marks, feedback."""

import shutil

import pytest
from nbgrader.api import Gradebook

from autograder.authoring.simulate import make_class, write_class
from autograder.cli import main
from autograder.common.files import REPOSITORY
from autograder.course.course import Course

TOY = "01_toy"
ROSTER = """id,first_name,section
student1,Ada,"Monday, Lab 2"
student2,Emmy,Monday
student3,Li,Friday
zoe,Zoë,Friday
"""
GROUPS = "student,group\nstudent1,A\nstudent2,A\nzoe,A\n"


@pytest.fixture(scope="module")
def course(toy, toy_root, tmp_path_factory, sandbox):
    """Two of a group of three handed in, and somebody who is alone; all is graded."""
    root = shutil.copytree(toy_root, tmp_path_factory.mktemp("groups") / "class")
    course = Course(root)
    write_class(course, toy, make_class(toy, 3, seed=3), seed=3)
    (root / "submitted" / "student1" / TOY / "timestamp.txt").write_text("2020-03-02 09:00 UTC")
    empty = root / "exercises" / TOY / f"{TOY}.ipynb"
    shutil.copy(empty, root / "submitted" / "student1" / TOY)
    for name, text in (("roster", ROSTER), ("groups", GROUPS)):
        (root / f"{name}.csv").write_text(text)
        assert main([name, str(root / f"{name}.csv"), "--root", str(root)]) == 0
    with Gradebook(course.directory.db_url, course.directory.course_id) as book:
        book.add_assignment(TOY, duedate="2030-03-01 10:00 UTC")
    return course


@pytest.fixture
def attn(course, capsys):
    """Run a command on the course; gives what it prints."""

    def run(*words, status=0):
        capsys.readouterr()
        assert main([*words, "--root", str(course.root)]) == status
        said = capsys.readouterr()
        return " ".join((said.out + said.err).split())

    return run


def marks(course):
    with Gradebook(course.directory.db_url, course.directory.course_id) as book:
        return {row.student.id: (row.score, row.timestamp, row.max_score)
                for row in book.assignment_submissions(TOY)}  # fmt: skip


def test_all_members_get_the_marks_and_the_date_of_the_newest_hand_in(course, attn):
    said = attn("grade", TOY, "--student", "zoe")  # who handed in nothing
    assert (
        "Groups of 01_toy: 1 hand-in counts for 3 students; new for Ada (student1), Zoë (zoe)"
        in said
    )
    assert "In no group of 01_toy, so their work is their own: Li (student3)." in said
    assert "new for" not in attn("grade", TOY)
    given = marks(course)
    assert given["student1"] == given["student2"] == given["zoe"]
    assert given["zoe"][0] > 0


def test_nbgraders_own_grading_gives_a_member_the_same_marks(course, nbgrader):
    shutil.copy(REPOSITORY / "nbgrader_config.py", course.root)
    before = marks(course)
    nbgrader(course.root, "autograde", TOY, "--student", "zoe", "--force")
    assert marks(course) == before


def test_a_group_is_compared_once_with_others(attn):
    assert "2 submissions were compared" in attn("similar", TOY)


def test_a_member_who_handed_in_nothing_gets_feedback_and_only_the_section_that_was_asked_for(
    course, attn
):
    attn("feedback", TOY, "--section", "friday")
    pages = {path.parts[-3] for path in course.root.glob(f"feedback/*/{TOY}/{TOY}.html")}
    assert pages == {"student3", "zoe"}


def test_a_report_on_a_section_speaks_of_its_students_alone(course, attn):
    said = attn("report", TOY, "--section", "Lab 2")
    assert "01_toy, section Lab 2: 1 submission, 1 with verdicts." in said
    page = (course.root / "reports" / f"{TOY}_Lab_2.html").read_text()
    assert "how section Lab 2 did" in page and "student1" in page and "student3" not in page
    assert "There are: Friday, Lab 2, Monday." in attn(
        "report", TOY, "--section", "Sunday", status=2
    )


def test_a_mark_given_by_hand_to_one_member_is_named(course, attn):
    with Gradebook(course.directory.db_url, course.directory.course_id) as book:
        book.find_submission(TOY, "zoe").notebooks[0].grades[0].manual_score = 1.5
        book.db.commit()
    told = (
        "the marks given by hand differ: Ada (student1) none, Emmy (student2) none, Zoë (zoe) 1.5."
    )
    assert told in attn("report", TOY)
    assert told not in attn("report", TOY, "--anonymous")


def test_who_leaves_the_group_gets_the_marks_of_the_own_work_once_that_is_announced(course, attn):
    (course.root / "groups.csv").write_text("student,group\nstudent2,A\n")
    said = attn("grade", TOY, "--section", "Monday")
    assert "01_toy: 2 submissions" in said
    assert "Their own earlier hand-in is back from own_hand_ins/: Ada (student1)." in said
    assert "they have no other: Zoë (zoe). Their marks stay in the gradebook." in said
    assert "01_toy: marks that differ from earlier ones" in said
    assert "1 of 2 students: 1 loses." in said
    assert marks(course)["student1"][0] == 0 < marks(course)["student2"][0]
    assert "zoe" in marks(course)
