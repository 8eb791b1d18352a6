"""An oral exam on paper: `attn viva` on a class of the fourth chapter that was graded."""

import shutil
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from itertools import combinations

import gift_reading
import nbformat
import pytest
import standalone
from bs4 import BeautifulSoup

from autograder.chapters.solutions import load
from autograder.cli import main
from autograder.common.cell import grade_id
from autograder.common.files import REPOSITORY
from autograder.confined.namespace import fresh_namespace, run_cell
from autograder.confined.observe import observe
from autograder.course.course import Course
from autograder.notebooks.chapter import reference, reference_cells
from autograder.viva.outcomes import Outcome
from autograder.viva.questions import Kind
from autograder.viva.sitting import Sitting

CHAPTER = "04_masks"
MARKUP = "<script>alert(1)</script>"
HOSTILE = """def causal_mask(queries, keys):
    # </pre><script>alert(1)</script> = ~wrong {=right} \\n :: # %50%
    note = "</pre><img src=x onerror=alert(1)>~={}#:\\\\"
    rows = torch.arange(queries)[:, None] + (keys - queries)  # {~a =b}
    return torch.arange(keys)[None, :] <= rows if note else None
"""
LONG = "def combine_masks(padding, causal):\n" + "    padding = padding & True\n" * 80 + (
    "    return padding & causal\n"
)  # fmt: skip
WRONG = "def padding_mask(tokens, pad_id):\n    return tokens == pad_id"
STUDENTS = {
    "ada": {},
    "bob": {},
    MARKUP.replace("/", "_"): {"causal_mask": HOSTILE},
    "cleo": {"combine_masks": LONG, "padding_mask": WRONG},
    "dan": dict.fromkeys(("padding_mask", "causal_mask", "combine_masks", "decoder_mask",
                          "masked_attention", "to_multihead_mask", "leaks_future"), WRONG),
}  # fmt: skip


def attn(*words):
    out = StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        status = main([*map(str, words)])
    return status, " ".join(out.getvalue().split())


@pytest.fixture(scope="module")
def root(tmp_path_factory, sandbox, nbgrader):
    """A class whose answers are the reference's but for the ones that STUDENTS names."""
    root = tmp_path_factory.mktemp("class")
    for name in ("solutions", "exercises"):
        (root / name).symlink_to(REPOSITORY / name)
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    released, solved = Course(root).released(CHAPTER), reference(load(root, CHAPTER))
    for student, changed in STUDENTS.items():
        notebook = nbformat.from_dict(released)
        for cell in notebook.cells:
            cell.source = (solved | changed).get(grade_id(cell), cell.source)
        folder = root / "submitted" / student / CHAPTER
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{CHAPTER}.ipynb")
    assert attn("grade", CHAPTER, "--yes", "--root", root)[0] == 0
    return root


@pytest.fixture(scope="module")
def said(root):
    return attn("viva", CHAPTER, "--moodle", "--root", root)


@pytest.fixture(scope="module")
def folder(root, said):
    return root / "viva" / CHAPTER


@pytest.fixture(scope="module")
def exams(root, sandbox):
    """The exams of the command, as objects."""
    sitting = Sitting.of(Course(root), CHAPTER, None)
    return {exam.student: exam for exam in sitting.exams([*STUDENTS], 4, 0, sandbox)}


def by_hand(chapter, question, change):
    """What each case comes to in this process where a change is made, without the sandbox."""
    exercise, namespace = chapter.exercises[question.exercise], fresh_namespace()
    sources = {cell.name: cell.source for cell in reference_cells(chapter)}
    if change:
        sources[question.exercise] = change.source
    for name, source in sources.items():
        assert run_cell(name, source, namespace) is None
    subject = question.subject
    cases = {one.case.name: one for one in subject.outcomes}
    return {name: observe(namespace[exercise.name], one.case) for name, one in cases.items()}


def come_to(chapter, question, change):
    before, after = by_hand(chapter, question, None), by_hand(chapter, question, change)
    known = question.subject.outcomes
    return {
        one.case.name: Outcome(after[one.case.name], before[one.case.name], one.case, one.returns)
        for one in known
    }


def test_each_key_is_true_and_no_other_option_is(exams):
    chapter = load(REPOSITORY, CHAPTER)
    asked = [question for name in ("ada", "bob") for question in exams[name].questions]
    assert len(asked) == 8
    for question in asked:
        true = []
        for at, option in enumerate(question.options):
            if question.kind == Kind.OUTCOME:
                outcome = come_to(chapter, question, question.subject.change)[question.case.name]
                holds = outcome.text == option.outcome
            elif question.kind == Kind.CHANGE:
                outcome = come_to(chapter, question, option.change)[question.case.name]
                holds = outcome.told == question.after
            else:
                holds = not come_to(chapter, question, question.subject.change)[
                    option.case.name
                ].same
            true += [at] if holds else []
        assert true == [question.right]


def test_no_question_gives_another_one_away(exams):
    for exam in exams.values():
        for one, other in combinations(exam.questions, 2):
            assert one.agrees(other)
            if one.exercise == other.exercise:
                shown = {tried.change for tried in one.executed}
                assert not shown & {tried.change for tried in other.executed}


def test_students_with_the_same_code_get_different_questions(exams):
    ada, bob = (
        {
            (q.exercise, q.kind, q.subject.change, q.case and q.case.name)
            for q in exams[name].questions
        }
        for name in ("ada", "bob")
    )
    assert len(ada) == len(bob) == 4 and not ada & bob


def test_the_same_seed_gives_the_same_sheets_and_another_one_gives_others(root, folder):
    written = {path.name: path.read_bytes() for path in folder.glob("*.*")}
    assert attn("viva", CHAPTER, "--moodle", "--root", root)[0] == 0
    assert {path.name: path.read_bytes() for path in folder.glob("*.*")} == written
    attn("viva", CHAPTER, "--seed", 1, "--student", "ada", "--root", root)
    other = papers((folder / "ada" / "sheets.html").read_text())["ada"]
    attn("viva", CHAPTER, "--student", "ada", "--root", root)
    alone, among_all = (
        papers(path.read_text())["ada"]
        for path in (folder / "ada" / "sheets.html", folder / "sheets.html")
    )
    assert alone == among_all != other


def papers(page):
    """The text of each student's sheet in a file."""
    sections = BeautifulSoup(page, "html.parser").select("section.paper")
    return {section.h1.get_text(): section.get_text() for section in sections}


def test_it_says_who_has_fewer_questions_than_were_asked_for_and_why(said):
    status, told = said
    assert status == 0
    assert "dan has 0. No answer passes." in told


@pytest.fixture(scope="module")
def of_cleo(root, folder):
    """What the command prints for a student who gets every question, and her sheet as text."""
    _, told = attn("viva", CHAPTER, "--student", "cleo", "--questions", 40, "--root", root)
    return told, papers((folder / "cleo" / "sheets.html").read_text())["cleo"]


def test_an_answer_that_gives_no_question_is_named(of_cleo):
    told, _ = of_cleo
    assert "combine_masks does not fit on a sheet." in told
    assert "padding_mask" not in told  # which does not pass, so it is not asked about


def test_the_course_s_own_answer_is_on_no_sheet(of_cleo):
    _, sheet = of_cleo
    own = reference(load(REPOSITORY, CHAPTER))["padding_mask"].strip().split("\n")[-1].strip()
    assert own.startswith("return ") and own not in sheet
    assert "padding_mask is the course's own here" in sheet
    assert "combine_masks is yours, and too long to be shown." in sheet


def test_code_and_names_of_a_student_are_shown_as_text(folder):
    for name in ("sheets.html", "key.html"):
        page = BeautifulSoup((folder / name).read_text(), "html.parser")
        assert not page.find_all(["script", "img"])
    assert "<script>alert(1)<_script>" in page.get_text()


def test_the_sheet_has_the_questions_and_only_the_key_says_what_is_right(folder):
    sheets, key = (
        BeautifulSoup((folder / name).read_text(), "html.parser")
        for name in ("sheets.html", "key.html")
    )
    assert len(sheets.select("section.paper")) == 4 and len(key.select("section.paper")) == 5
    assert len(sheets.select(".question")) == len(key.select(".question")) == 16
    assert len(key.select("li.right")) == 16 and not sheets.select(".right")
    for question in key.select(".question"):
        (right,) = question.select("li.right")
        assert len(question.select("li")) == 4 and right


def test_moodle_reads_the_questions_of_each_student(folder, exams):
    found = gift_reading.read((folder / "quiz.gift.txt").read_text())
    assert len(found) == 16 and all(len(one.options) == 4 for one in found)
    assert all(len(one.right) == 1 for one in found)
    for student, exam in exams.items():
        own = [one for one in found if one.category.endswith(f"/{CHAPTER}/{student}")]
        rights = {(q.exercise, q.right) for q in exam.questions}
        assert {(one.name.split()[1], one.right[0]) for one in own} == rights


def test_what_is_not_graded_as_it_is_is_left_out(root, tmp_path):
    copy = shutil.copytree(root, tmp_path / "class", symlinks=True)
    path = copy / "submitted" / "ada" / CHAPTER / f"{CHAPTER}.ipynb"
    path.write_text(path.read_text() + "\n")
    status, told = attn("viva", CHAPTER, "--root", copy)
    assert status == 1
    assert "Left out: ada has handed in something that is not graded yet: attn grade" in told
    assert attn("viva", CHAPTER, "--student", "nobody", "--root", copy)[0] == 2


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 320)])
def test_sheet_and_key_can_be_read_by_everybody(browser, folder, scheme, width):
    for name in ("sheets.html", "key.html"):
        assert standalone.faults(browser, folder / name, scheme, width) == []
