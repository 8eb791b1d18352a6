"""Marks that a person gives: they stay until the answer changes, and feedback says which do."""

import shutil

import nbformat
import pytest
from nbgrader.api import Gradebook
from test_nbgrader import marks, page

from autograder.authoring.simulate import make_class, write_class
from autograder.cli import main
from autograder.common.files import REPOSITORY
from autograder.course import assistants
from autograder.course.course import Course
from autograder.plugins.preprocessors import SCORES, SaveMarks

STUDENTS = 8


def mark_by_hand(root, student, points):
    """As formgrader does."""
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        grade = book.find_grade("why", "01_toy", "01_toy", student)
        grade.manual_score, grade.needs_manual_grade = points, False
        book.db.commit()


def by_hand(root, student):
    """The mark that was given for the answer, and whether it has to be looked at again."""
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        grade = book.find_grade("why", "01_toy", "01_toy", student)
        return grade.manual_score, grade.needs_manual_grade


def hand_in_again(root, student, name, text):
    path = root / "submitted" / student / "01_toy" / "01_toy.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == name:
            cell.source = text
    nbformat.write(notebook, path)


@pytest.fixture(scope="module")
def marked(toy, toy_root, sandbox, nbgrader, tmp_path_factory):
    """A course in which two answers were marked by hand; then both handed in again."""
    root = shutil.copytree(toy_root, tmp_path_factory.mktemp("marked") / "ours")
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    write_class(Course(root), toy, make_class(toy, STUDENTS, seed=4), seed=4)
    assert main(["grade", "01_toy", "--root", str(root)]) == 0
    for student in ("student1", "student2"):
        mark_by_hand(root, student, 1.5)
    hand_in_again(root, "student1", "average", "def average(*_):\n    return 1")
    hand_in_again(root, "student2", "why", "For another reason.")
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        book.update_or_create_student(waiting(root), first_name="<b>Zoë", last_name="O'Neil")
    assert main(["grade", "01_toy", "--root", str(root), "--force", "--yes"]) == 0
    assert main(["feedback", "01_toy", "--root", str(root)]) == 0
    return root


def waiting(root):
    """A student whose answer nobody has marked."""
    return next(student for (student, name), (_, waits) in marks(root).items()
                if name == "why" and waits and student != "student2")  # fmt: skip


def test_an_answer_stays_marked_until_it_changes_and_feedback_says_which_it_is(marked):
    assert by_hand(marked, "student1") == (1.5, False)
    assert by_hand(marked, "student2") == (1.5, True)
    told = "1.5 of 2 points, given before this answer changed: to be marked again"
    counted = "<p>1 answer changed after it was marked; the points from before count until"
    for said in (told, counted):
        assert [said in page(marked, f"student{n}") for n in (1, 2)] == [False, True]


def test_nbgrader_autograde_lets_an_answer_stay_marked_until_it_changes(marked, tmp_path):
    """By its last step, which is ours: to run all of it takes long."""
    root = shutil.copytree(marked, tmp_path / "theirs")
    mark_by_hand(root, "student2", 1.0)
    for student, text in (("student1", "So, too."), ("student2", "For another reason.")):
        path = root / "autograded" / student / "01_toy" / "01_toy.ipynb"
        graded = nbformat.read(path, as_version=4)
        (why,) = (cell for cell in graded.cells
                  if cell.metadata.get("nbgrader", {}).get("grade_id") == "why")  # fmt: skip
        why.source = text
        names = {"notebook": "01_toy", "assignment": "01_toy", "student": student}
        db = {"db_url": f"sqlite:///{root / 'gradebook.db'}"}
        given = {name: score for (who, name), (score, _) in marks(root).items() if who == student}
        SaveMarks().preprocess(graded, {"nbgrader": names | db, SCORES: given})
    assert by_hand(root, "student1") == (1.5, True)
    assert by_hand(root, "student2") == (1.0, False)


def test_feedback_names_the_student_and_leaves_out_of_the_total_what_is_not_marked(marked):
    student = waiting(marked)
    assert f"<p>&lt;b&gt;Zoë O&#39;Neil ({student})</p>" in page(marked, student)
    assert "of 6 points</strong> so far</p>" in page(marked, student)
    assert "<p>1 written answer is not marked yet (2 points).</p>" in page(marked, student)


def test_no_rubric_leaves_the_teachers_folders(marked):
    given = [path for step in ("exercises", "autograded", "feedback")
             for path in (marked / step).rglob("*")
             if path.is_file() and path.name not in assistants.FILES]  # fmt: skip
    assert len(given) > 2 * STUDENTS
    assert not [path for path in given if b"in one sentence" in path.read_bytes()]
    assert "in one sentence" in (marked / "solutions" / "01_toy" / "01_toy.md").read_text()
