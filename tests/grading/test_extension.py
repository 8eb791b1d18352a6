"""`attn extend`: more time for one student, and what being late costs then. Nothing is graded."""

import shutil
from datetime import datetime, timedelta

import pytest
from nbgrader.preprocessors import AssignLatePenalties

from autograder.cli import main
from autograder.common.files import REPOSITORY
from autograder.course.course import Course
from autograder.grading.due_dates import make_whole
from autograder.grading.gradebook import Marks, Submission

DUE = datetime(2026, 3, 2, 12)
LATE = '\nc.AssignLatePenalties.plugin_class = "autograder.nbgrader_plugins.PercentPerDay"\n'
SCORES = {"check_normalise": 2.0, "check_average": 3.0, "check_Scale": 0.0, "why": None}


def marked(student, hours):
    """Five points, handed in so many hours after the due date."""
    return Submission(student, DUE + timedelta(hours=hours), SCORES, {}, {})


@pytest.fixture(scope="module")
def marks_given(toy_root, tmp_path_factory, nbgrader):
    """A roster of three; ada is 30 hours late, bob is on time, emmy has handed in nothing."""
    root = tmp_path_factory.mktemp("late")
    shutil.copytree(toy_root, root, dirs_exist_ok=True)
    (root / "nbgrader_config.py").write_text((REPOSITORY / "nbgrader_config.py").read_text() + LATE)
    course = Course(root)
    with course.gradebook() as book:
        for student, first in {"ada": "Ada", "bob": "Bob", "emmy": "Emmy"}.items():
            book.add_student(student, first_name=first, last_name="Lovelace")
        book.add_assignment("01_toy", duedate=DUE)
    with Marks(course, "01_toy") as marks:
        marks.write([marked("ada", 30), marked("bob", -1)])
    with course.gradebook() as book:
        book.find_grade("why", "01_toy", "01_toy", "ada").manual_score = 1.0
        book.db.commit()
    return course


@pytest.fixture
def course(marks_given, tmp_path):
    return Course(shutil.copytree(marks_given.root, tmp_path / "class"))


@pytest.fixture
def extend(course, capsys):
    """Run the command; its exit status and all that it said."""

    def extend(student, days, chapter="01_toy"):
        words = ["extend", student, chapter, "--days", str(days), "--root", str(course.root)]
        status, said = main(words), capsys.readouterr()
        return status, " ".join((said.out + said.err).split())

    return extend


def penalties(course):
    with Marks(course, "01_toy") as marks:
        return {penalty.student: penalty.before or 0 for penalty in marks.penalties()}


def test_an_extension_is_told_and_takes_off_less_at_once_with_marks_given_by_hand(course, extend):
    assert penalties(course)["ada"] == 1.0  # of five points: the answer was not marked yet
    status, said = extend("ada", 1)
    assert status == 0
    assert said == (
        "Ada Lovelace (ada) has until 03 March 2026, 12:00 UTC for 01_toy: 1 day after the due "
        "date. Handed in 6 hours late, on day 1, which costs 0.6 points; before it cost 1 point. "
        "That leaves 5.4 points. Feedback that was written before is out of date: "
        "attn feedback 01_toy"
    )
    assert penalties(course)["ada"] == pytest.approx(0.6)
    assert "on time, which costs nothing; before it cost 0.6 points" in extend("ada", 2)[1]


def test_none_takes_an_extension_back(course, extend):
    extend("ada", 5)
    assert "02 March 2026, 12:00 UTC for 01_toy: the due date" in extend("ada", 0)[1]
    assert penalties(course)["ada"] == pytest.approx(1.2)
    with course.gradebook() as book:
        assert book.find_submission("01_toy", "ada").extension is None


def test_a_due_date_at_the_end_of_all_years_is_refused_in_one_sentence(course, extend):
    with course.gradebook() as book:
        book.find_assignment("01_toy").duedate = datetime(9999, 12, 31, 23, 59)
        book.db.commit()
    status, said = extend("ada", 1)
    assert (status, "is due on Friday, 31 December 9999, 23:59 UTC" in said) == (2, True)


def test_it_is_what_nbgraders_own_step_takes_off(course, extend):
    extend("ada", 1)
    ours = penalties(course)["ada"]
    late = AssignLatePenalties(config=course.config)
    names = {"notebook": "01_toy", "assignment": "01_toy", "student": "ada"}
    resources = {"nbgrader": {**names, "db_url": course.directory.db_url}}
    late.preprocess(course.released("01_toy"), resources)
    assert penalties(course)["ada"] == ours > 0


def test_it_can_be_granted_before_anything_is_handed_in(course, extend):
    assert extend("emmy", 2)[1].endswith("None of their work has been graded yet.")
    with Marks(course, "01_toy") as marks:
        marks.write([marked("emmy", 47), marked("bob", 1)])
        marks.charge(["bob"])
    assert penalties(course)["emmy"] == 0 < penalties(course)["bob"]


def test_until_something_is_handed_in_nbgrader_counts_no_submission_and_then_it_can_mark_it(
    course, extend
):
    extend("emmy", 2)
    with course.gradebook() as book:
        assert "emmy" not in {row["student"] for row in book.submission_dicts("01_toy")}
    make_whole(course, "01_toy", "emmy")
    with course.gradebook() as book:
        assert book.find_submission("01_toy", "emmy").extension == timedelta(days=2)
        assert book.find_grade("why", "01_toy", "01_toy", "emmy").score == 0


@pytest.mark.parametrize(
    ("student", "chapter", "sentence"),
    [
        ("adda", "01_toy", "There is no student 'adda'; close to it: Ada Lovelace (ada)"),
        ("ada", "99_none", "There is no chapter '99_none'"),
        ("ada", "02_more", "02_more has no due date, so nobody is late."),
    ],
)
def test_what_is_not_known_gets_one_sentence_and_changes_nothing(
    course, extend, student, chapter, sentence
):
    before = (course.root / "gradebook.db").read_bytes()
    status, said = extend(student, 2, chapter)
    assert (status, sentence in said) == (2, True)
    assert (course.root / "gradebook.db").read_bytes() == before


@pytest.mark.parametrize("days", ["-1", "1.5", "two", "100000"])
def test_days_are_whole_and_not_too_many(days, capsys):
    with pytest.raises(SystemExit):
        main(["extend", "ada", "01_toy", "--days", days])
    assert "is not a whole number from 0 to 365" in capsys.readouterr().err
