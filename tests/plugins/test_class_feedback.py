"""`attn feedback`: the pages that nbgrader writes, by several processes, and only where needed."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import time

import book_site
import pytest
from learners import notebook, save
from nbgrader.api import Gradebook
from processes import alive, descendants

from autograder.authoring.simulate import make_class, write_class
from autograder.cli import main
from autograder.course.course import Course
from autograder.course.dates import Dates

CHAPTER = "01_toy"
STUDENTS = ["student1", "student2", "student3"]


@pytest.fixture(scope="module")
def graded(toy_root, toy, tmp_path_factory, sandbox):
    """A graded class of three."""
    root = shutil.copytree(toy_root, tmp_path_factory.mktemp("graded") / "course")
    shutil.copy(book_site.ROOT / "nbgrader_config.py", root)
    write_class(Course(root), toy, make_class(toy, len(STUDENTS), seed=3), seed=3)
    assert main(["grade", CHAPTER, "--root", str(root)]) == 0
    return root


@pytest.fixture
def root(graded, tmp_path):
    return shutil.copytree(graded, tmp_path / "course")


def feedback(root, *options):
    return main(["feedback", CHAPTER, "--root", str(root), *options])


def page(root, student):
    return root / "feedback" / student / CHAPTER / f"{CHAPTER}.html"


def written(root):
    """The students who get a page, where all pages are put back into the past before."""
    before = {student: page(root, student).stat().st_mtime_ns for student in STUDENTS}
    assert feedback(root) == 0
    return [one for one in STUDENTS if page(root, one).stat().st_mtime_ns > before[one]]


def test_the_pages_are_those_of_nbgrader_to_the_byte(root):
    assert feedback(root) == 0
    ours = {student: page(root, student).read_bytes() for student in STUDENTS}
    command = [sys.executable, "-m", "nbgrader", "generate_feedback", CHAPTER, "--force"]
    subprocess.run([*command, f"--course-dir={root}"], cwd=root, check=True, capture_output=True)
    assert ours == {student: page(root, student).read_bytes() for student in STUDENTS}


def test_what_is_there_is_written_again_only_if_it_is_asked_for(root, capsys):
    assert feedback(root) == 0
    assert written(root) == []
    assert "0 written, 3 up to date" in capsys.readouterr().out
    assert feedback(root, "--force") == 0
    assert "3 written, 0 up to date" in capsys.readouterr().out


def test_a_page_that_is_missing_or_half_written_or_older_than_its_notebook_is_written(root):
    assert feedback(root) == 0
    half = page(root, "student1")
    half.write_bytes(half.read_bytes()[:1000])
    os.utime(root / "autograded" / "student2" / CHAPTER / f"{CHAPTER}.ipynb")
    assert written(root) == ["student1", "student2"]
    shutil.rmtree(root / "feedback" / "student3")
    assert feedback(root) == 0
    assert page(root, "student3").read_text().rstrip().endswith("</html>")


def test_a_mark_given_by_hand_gets_into_the_page(root):
    assert feedback(root) == 0
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        (grade, *_) = book.find_submission_notebook(CHAPTER, CHAPTER, "student2").grades
        grade.manual_score = 0.25
        book.db.commit()
    assert feedback(root) == 0
    assert "0.25 of" in page(root, "student2").read_text()


def test_who_cannot_get_a_page_is_named_in_one_sentence_and_the_others_get_theirs(root, capsys):
    (root / "autograded" / "student2" / CHAPTER / f"{CHAPTER}.ipynb").write_text("{")
    assert feedback(root) == 1
    (sentence,) = (
        line for line in capsys.readouterr().err.splitlines() if line.startswith("No feedback")
    )
    assert sentence.startswith(f"No feedback on {CHAPTER} for student2: ") and "JSON" in sentence
    assert [page(root, one).exists() for one in STUDENTS] == [True, False, True]


def test_without_graded_work_the_command_says_what_to_do(toy_root, capsys):
    assert feedback(toy_root) == 2
    assert f"grade first: attn grade {CHAPTER}" in " ".join(capsys.readouterr().err.split())


def let_in(pipe):
    """Whoever waits for the pipe goes on, and finds nothing in it."""
    try:
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    except OSError as error:
        assert error.errno == errno.ENXIO  # nobody waits yet


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_however_it_is_stopped_it_leaves_no_process(root, sent):
    pipe = root / "autograded" / "zoe" / CHAPTER / f"{CHAPTER}.ipynb"
    pipe.parent.mkdir(parents=True)
    os.mkfifo(pipe)  # whoever reads it waits until somebody writes: the command cannot end before
    command = [sys.executable, "-m", "autograder.cli", "feedback", CHAPTER, "--root", root]
    # Whoever runs the tests in the background has the signal ignored, which a child takes over.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    signal.signal(signal.SIGINT, before)
    while not page(root, "student1").exists():
        assert process.poll() is None
        time.sleep(0.02)
    below = descendants(process.pid)
    process.send_signal(sent)
    while process.poll() is None:  # Ctrl-C waits for the pages that are being written
        let_in(pipe)
        time.sleep(0.02)
    assert process.returncode == (130 if sent == signal.SIGINT else -signal.SIGKILL)
    assert alive(below) == []


def test_a_made_up_class_has_its_dates_from_who_made_it(handed_in):
    submissions = Course(handed_in).submissions(CHAPTER)
    assert Dates(Course(handed_in), CHAPTER).warnings(submissions) == []


def test_a_number_of_a_card_takes_no_more_room_than_it_needs(root, released, browser):
    """A wide first column pushed the card's table out of a phone's screen."""
    wrong = "def normalise(values):\n    return values / values.sum()"
    handed_in = root / "submitted" / STUDENTS[0] / CHAPTER / f"{CHAPTER}.ipynb"
    save(notebook(released, {"normalise": wrong}), handed_in)
    assert main(["grade", CHAPTER, "--root", str(root), "--yes"]) == 0 and feedback(root) == 0
    opened = browser.new_page()
    opened.goto(page(root, STUDENTS[0]).as_uri())
    numbers = opened.locator(".result table td:first-child").all()
    widths = [number.bounding_box()["width"] for number in numbers]
    opened.close()
    assert widths and max(widths) < 100
