"""What dates of hand-in do to marks: the due date is told, and no penalty changes in silence."""

import os
import shutil
import sqlite3
from datetime import datetime

import pytest
from learners import RIGHT, notebook, save

from autograder.cli import main
from autograder.common.files import REPOSITORY
from autograder.course.course import Course
from autograder.grading.penalties import lateness
from autograder.plugins.nbgrader_dates import PercentPerDay

DUE = datetime(2026, 3, 2, 18)
ON_TIME, LATE = "2026-03-02 19:30 +0200", "2026-03-03 02:00:00 UTC"
STAMPS = {"ada": ON_TIME, "bob": LATE, "cleo": None}
PLUGIN = '\nc.AssignLatePenalties.plugin_class = "autograder.nbgrader_plugins.PercentPerDay"\n'
PENALTIES = """
    select student_id, coalesce(late_submission_penalty, 0), whole.timestamp
    from submitted_notebook book join submitted_assignment whole on whole.id = book.assignment_id
"""


def stamp(root, student, text):
    path = root / "submitted" / student / "01_toy" / "timestamp.txt"
    path.unlink(missing_ok=True)
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


@pytest.fixture(scope="module")
def graded(toy_root, tmp_path_factory, sandbox):
    """Three students with all six points; ada is on time, bob a day late, cleo without a date."""
    root = tmp_path_factory.mktemp("late")
    shutil.copytree(toy_root, root, dirs_exist_ok=True)
    (root / "nbgrader_config.py").write_text(
        (REPOSITORY / "nbgrader_config.py").read_text() + PLUGIN
    )
    with Course(root).gradebook() as book:
        book.add_assignment("01_toy", duedate=DUE)
    for student, text in STAMPS.items():
        folder = root / "submitted" / student / "01_toy"
        folder.mkdir(parents=True)
        save(notebook(Course(root).released("01_toy"), RIGHT), folder / "01_toy.ipynb")
        stamp(root, student, text)
    assert main(["grade", "01_toy", "--root", str(root)]) == 0
    return root


@pytest.fixture
def root(graded, tmp_path):
    return shutil.copytree(graded, tmp_path / "class")


@pytest.fixture
def grade(root, capsys):
    """Run the command; its exit status and all that it said, on one line."""

    def grade(*words):
        status = main(["grade", "01_toy", "--root", str(root), *words])
        said = capsys.readouterr()
        return status, " ".join((said.out + said.err).split())

    return grade


@pytest.fixture
def without_grading(monkeypatch):
    monkeypatch.setattr("autograder.grading.attempts.grade_in_session", None)  # cannot be called


@pytest.fixture
def at_a_terminal(monkeypatch):
    """Somebody who does not agree to anything."""
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("autograder.commands.class_marks.agreed", lambda question: False)


def known(root):
    """Penalty and date by student, as the gradebook has them."""
    with sqlite3.connect(root / "gradebook.db") as book:
        return {who: (round(penalty, 3), when and datetime.fromisoformat(when))
                for who, penalty, when in book.execute(PENALTIES)}  # fmt: skip


def give_by_hand(root, student, points):
    """As formgrader does."""
    with Course(root).gradebook() as book:
        grade = book.find_grade("why", "01_toy", "01_toy", student)
        grade.manual_score, grade.needs_manual_grade = points, False
        book.db.commit()


def test_a_date_with_another_offset_counts_as_the_moment_that_it_is(graded):
    assert known(graded) == {
        "ada": (0, datetime(2026, 3, 2, 17, 30)),
        "bob": (0.6, datetime(2026, 3, 3, 2)),
        "cleo": (0, None),
    }


def test_the_due_date_is_told_in_words_and_who_is_punctual_stays_so(root, grade, without_grading):
    status, said = grade()
    assert status == 0
    assert "01_toy is due on Monday, 2 March 2026, 18:00 UTC." in said
    assert "taken off" not in said and known(root)["ada"][0] == 0


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-03-02 19:00 CEST", "says '2026-03-02 19:00 CEST', which cannot be read as a date"),
        ("2026-03-02 24:00 UTC", "says '2026-03-02 24:00 UTC'"),
        (b"\xff\xfe2\x00", "is not a text file"),
    ],
)
def test_a_date_that_is_not_whole_takes_nothing_off_and_a_person_is_asked(
    root, grade, without_grading, text, shown
):
    stamp(root, "bob", text)
    status, said = grade()
    assert status == 1
    assert f"bob: submitted/bob/01_toy/timestamp.txt {shown}" in said
    assert "Write it like 2026-03-02 19:00 UTC or 2026-03-02 19:00 +0200." in said
    assert "│ bob │ 0.6 points │ 0 points │ not known" in said
    assert known(root)["bob"] == (0, None)
    stamp(root, "bob", "2026-03-02 23:00 +0200")
    status, said = grade()
    assert (status, "│ bob │ 0 points │ 0.6 points │ 3 hours late, on day 1" in said) == (0, True)
    assert known(root)["bob"] == (0.6, datetime(2026, 3, 2, 21))


def test_a_link_in_the_place_of_the_date_is_not_followed(root, grade, without_grading, tmp_path):
    (tmp_path / "date").write_text(ON_TIME)
    stamp(root, "bob", None)
    (root / "submitted" / "bob" / "01_toy" / "timestamp.txt").symlink_to(tmp_path / "date")
    status, said = grade()
    assert (status, "timestamp.txt is not a text file" in said) == (1, True)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "pipe").replace(root / "submitted" / "bob" / "01_toy" / "timestamp.txt")
    assert grade()[0] == 1


@pytest.mark.parametrize(
    ("hours", "said"),
    [(0, "on time"), (0.01, "0.1 hours late, on day 1"), (1, "1 hour late, on day 1"),
     (48, "48 hours late, on day 2"), (48.01, "48.1 hours late, on day 3")],
)  # fmt: skip
def test_the_day_that_is_named_is_the_day_that_counts(hours, said):
    assert lateness(hours * 3600) == said
    days = int(said.rpartition(" ")[2]) if hours else 0
    penalty = PercentPerDay().late_submission_penalty("bob", 10.0, hours * 3600)
    assert penalty == pytest.approx(days)


@pytest.mark.parametrize("command", ["feedback", "report", "generate_feedback"])
def test_a_mark_given_by_hand_takes_its_share_off_wherever_marks_are_written(
    root, command, nbgrader, capsys
):
    give_by_hand(root, "bob", 2.0)
    if command == "generate_feedback":
        said = nbgrader(root, command, "01_toy", "--student=bob").stderr
        told = "bob lost 0.6 for being late, and now loses 0.8."
    else:
        assert main([command, "01_toy", "--root", str(root)]) == 0
        said, told = " ".join(capsys.readouterr().out.split()), "│ bob │ 0.6 points │ 0.8 points │"
    assert told in said and known(root)["bob"][0] == 0.8
    if command != "report":
        page = root / "feedback" / "bob" / "01_toy" / "01_toy.html"
        assert "<p>8 points, less 0.8 for handing in late.</p>" in page.read_text()
        assert main(["feedback", "01_toy", "--root", str(root)]) == 0
        assert "taken off" not in capsys.readouterr().out


def test_an_anonymous_report_names_nobody_whose_penalty_has_changed(root, capsys):
    give_by_hand(root, "bob", 2.0)
    assert main(["report", "01_toy", "--root", str(root), "--anonymous"]) == 0
    said = capsys.readouterr().out
    assert "The penalty for being late has changed for 1 student." in said
    assert "bob" not in said


def test_a_penalty_that_changed_with_a_mark_given_by_hand_is_announced_with_the_marks(root, grade):
    give_by_hand(root, "bob", 2.0)
    source = root / "solutions" / "01_toy" / "normalise.py"
    source.write_text(source.read_text() + "\n# another version\n")
    status, said = grade()
    assert (status, "│ bob │ 0.6 points │ 0.8 points │ 8 hours late, on day 1" in said) == (0, True)
    assert known(root)["bob"][0] == 0.8


def test_without_a_due_date_an_odd_date_is_told_and_nothing_was_left_undone(
    root, grade, without_grading
):
    with Course(root).gradebook() as book:
        book.find_assignment("01_toy").duedate = None
        book.db.commit()
    stamp(root, "bob", "tomorrow")
    status, said = grade()
    assert (status, "timestamp.txt says 'tomorrow'" in said) == (0, True)


@pytest.mark.parametrize("option", [[], ["--force"]])
def test_another_date_changes_a_penalty_only_when_it_was_announced_and_agreed_to(
    root, grade, at_a_terminal, option
):
    stamp(root, "ada", "2026-03-04 12:00 UTC")
    status, said = grade(*option)
    assert status == 1
    assert "│ ada │ 0 points │ 1.2 points │ 42 hours late, on day 2" in said
    assert "The earlier marks stay." in said and known(root)["ada"][0] == 0
    assert grade("--yes")[0] == 0
    assert known(root)["ada"] == (1.2, datetime(2026, 3, 4, 12))
    assert "taken off" not in grade("--force")[1]


@pytest.mark.parametrize(
    "answer", [RIGHT, RIGHT | {"normalise": "def normalise(x):\n    return x"}]
)
def test_who_hands_in_again_late_has_the_penalty_announced_with_the_marks(
    root, grade, at_a_terminal, answer
):
    again = notebook(Course(root).released("01_toy"), answer)
    again.cells[0].source += "\nagain"
    save(again, root / "submitted" / "ada" / "01_toy" / "01_toy.ipynb")
    stamp(root, "ada", LATE)
    status, said = grade()
    points = 0.6 if answer is RIGHT else 0.4
    assert (status, f"│ ada │ 0 points │ {points} points │ 8 hours late, on day 1" in said) == (
        1,
        True,
    )
    assert known(root)["ada"][0] == 0
    assert grade("--yes")[0] == 0
    assert known(root)["ada"] == (points, datetime(2026, 3, 3, 2))
    assert "taken off" not in grade()[1]


def test_a_date_that_is_gone_leaves_the_earlier_one_and_that_is_told(root, grade, without_grading):
    stamp(root, "bob", None)
    status, said = grade()
    assert status == 0
    assert ("The work of these students came without a date, so the date in the gradebook "
            "stays: bob, Tuesday, 3 March 2026, 02:00 UTC.") in said  # fmt: skip
    assert known(root)["bob"] == (0.6, datetime(2026, 3, 3, 2))
