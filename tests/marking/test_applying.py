"""`attn mark --apply`: saved marks come into the gradebook, or a sentence says why not."""

import json

import nbformat
import pytest
import saved_marks
import written_class
from nbgrader.api import Gradebook
from small_class import CHAPTER, QUESTION, TEXTS, formgrader_gives

from autograder.grading.lock import grading

PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
LATE = '\nc.AssignLatePenalties.plugin_class = "autograder.nbgrader_plugins.PercentPerDay"\n'


@pytest.fixture
def saved(page, tmp_path):
    """Write a file as the page saves it: points, and a comment if any, by student."""

    def write(name, given, earlier=(), **changes):
        path = tmp_path / name
        saved_marks.write(page, path, given, earlier)
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))
        return path

    return write


@pytest.fixture
def two(saved):
    """The files of two graders who gave bob different marks."""
    return (
        saved("one.json", {"ada": (2, ""), "bob": (1, "Good.")}),
        saved("two.json", {"bob": (0.5, ""), "ada": (2, "")}),
    )


def test_where_two_graders_differ_both_marks_are_named_and_the_rest_is_written(attn, two, marks):
    status, said = attn("--apply", *two)
    assert status == 1 and f"{CHAPTER}: 1 mark written, 0 as before." in said
    assert "why, bob: one.json has 1 point, “Good.”; two.json has 0.5 points." in said
    assert marks()["ada"][0] == 2 and marks()["bob"] == (None, True, None)


@pytest.mark.parametrize(("reply", "expected"), [("2", 0.5), ("", None)])
def test_at_a_terminal_it_asks_which_of_them_counts(attn, two, marks, monkeypatch, reply, expected):
    replies = iter(["3", reply])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda asked: next(replies))
    assert attn("--apply", *two)[0] == (1 if expected is None else 0)
    assert marks()["bob"][0] == expected


def test_what_one_page_saved_later_counts_without_a_question(attn, saved, marks):
    first = saved("first.json", {"ada": (2, "")}, work_id="alice")
    later = saved("later.json", {"ada": (1, "")}, earlier=[2], work_id="alice")
    assert attn("--apply", later, first)[0] == 0
    assert marks()["ada"][0] == 1
    back = saved("back.json", {"ada": (2, "")}, earlier=[2, 1])
    assert attn("--apply", back)[0] == 0
    assert marks()["ada"][0] == 2


def test_the_mark_of_another_grader_is_not_taken_for_an_earlier_one(attn, saved, marks):
    alice = saved("alice.json", {"ada": (1, "")}, earlier=[2], work_id="alice")
    bert = saved("bert.json", {"ada": (2, "")}, work_id="bert")
    status, said = attn("--apply", alice, bert)
    assert status == 1 and "alice.json has 1 point; bert.json has 2 points." in said
    assert marks()["ada"][0] is None


def test_files_of_one_name_are_told_apart_by_their_folders(attn, saved, tmp_path):
    for grader in ("alice", "bert"):
        (tmp_path / grader).mkdir()
    alice = saved("alice/marks.json", {"ada": (1, "")})
    bert = saved("bert/marks.json", {"ada": (2, "")})
    said = attn("--apply", alice, bert, alice)[1]
    assert "(ada): alice/marks.json has 1 point; bert/marks.json has 2 points." in said


def test_where_two_files_differ_a_newer_mark_of_formgrader_is_named_too(root, attn, two, marks):
    formgrader_gives(root, "bob", 1.5)
    status, said = attn("--apply", *two)
    assert status == 1 and "two.json has 0.5 points; the gradebook has 1.5 points." in said
    assert marks()["bob"][0] == 1.5


def test_what_changes_while_a_person_is_asked_is_asked_for_too(root, attn, two, marks, monkeypatch):
    def reply(asked):
        with grading(written_class.Course(root)):  # others may grade meanwhile
            formgrader_gives(root, "ada", 0.5)
        return next(replies)

    replies = iter(["1", "2"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", reply)
    status, said = attn("--apply", *two)
    assert status == 0 and "the gradebook have changed since you were asked." in said
    assert marks()["bob"][0] == 1 and marks()["ada"][0] == 0.5


def test_what_belongs_to_a_page_is_refused_with_apply(attn, saved):
    status, said = attn("--apply", saved("marks.json", {"bob": (1, "")}), "--for", "1/2")
    assert status == 2 and "are for a page, so not for --apply." in said


def test_an_answer_that_has_changed_waits(root, attn, saved, marks):
    path = saved("marks.json", {"ada": (2, ""), "bob": (2, "")})
    texts = {student: {QUESTION: text} for student, text in TEXTS.items()}
    written_class.write(root, CHAPTER, texts | {"ada": {QUESTION: "Another reason."}})
    status, said = attn("--apply", path)
    assert status == 1
    assert "Ada Lovelace (ada): the answer has changed since the page was written" in said
    assert marks()["ada"] == (None, True, None) and marks()["bob"][0] == 2


def test_a_mark_that_formgrader_gave_since_then_is_not_replaced_unasked(root, attn, saved, marks):
    path = saved("marks.json", {"ada": (2, ""), "bob": (1, "")})
    formgrader_gives(root, "ada", 0.5)
    status, said = attn("--apply", path)
    assert status == 1 and "marks.json has 2 points; the gradebook has 0.5 points" in said
    assert marks()["ada"][0] == 0.5 and marks()["bob"][0] == 1


def test_nothing_but_these_marks_and_comments_changes(root, attn, saved):
    def everything():
        with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
            return {
                (one.student.id, kind, row.name): row.to_dict()
                for one in book.assignment_submissions(CHAPTER)
                for notebook in one.notebooks
                for kind, rows in (("grade", notebook.grades), ("comment", notebook.comments))
                for row in rows
            }

    formgrader_gives(root, "cleo", 1.0)
    before = everything()
    assert attn("--apply", saved("marks.json", {"bob": (1, "Good.")}))[0] == 0
    changed = {key for key, row in everything().items() if row != before[key]}
    assert changed == {("bob", "grade", QUESTION), ("bob", "comment", QUESTION)}


def test_what_being_late_costs_follows_the_mark(root, attn, saved):
    with (root / "nbgrader_config.py").open("a") as config:
        config.write(LATE)
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        day = written_class.HANDED_IN.replace(day=9)
        book.update_or_create_assignment(CHAPTER, duedate=day)
    status, said = attn("--apply", saved("marks.json", {"bob": (2, "")}))
    assert status == 0 and "penalties for being late that change" in said
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        (notebook,) = book.find_submission(CHAPTER, "bob").notebooks
        assert notebook.late_submission_penalty == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("student", "points", "why"),
    [
        ("zoe", 1, "There is no student 'zoe'"),
        ("ada", 2.5, "2.5 is not from 0 to 2 points"),
        pytest.param("ada", int("9" * 400), "inf is not from 0 to 2 points", id="digits"),
        ("ada", -1, "-1 is not from 0 to 2 points"),
    ],
)
def test_a_mark_that_cannot_be_is_refused_and_the_others_are_written(
    attn, saved, marks, student, points, why
):
    status, said = attn("--apply", saved("marks.json", {student: (points, ""), "bob": (1, "")}))
    assert status == 1 and why in said
    assert marks()["bob"][0] == 1 and marks()["ada"][0] is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"made_by": "attn mark", "for', "is damaged, or no file of the mark page"),
        ("[]", "is not as the mark page saves it"),
        ('{"points": NaN}', "is damaged, or no file of the mark page"),
        ("\udcff", "is damaged, or no file of the mark page"),
    ],
)
def test_a_file_that_the_page_has_not_saved_is_refused_whole(attn, saved, tmp_path, text, why):
    path = tmp_path / "foreign.json"
    path.write_text(text, errors="surrogateescape")
    status, said = attn("--apply", saved("marks.json", {"bob": (1, "")}), path)
    assert status == 2 and f"{path} {why}" in said


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"format": 2}, "format: 1 was expected"),
        ({"chapter": "99_none"}, "There is no chapter '99_none'"),
    ],
)
def test_a_file_of_another_version_or_chapter_is_refused(attn, saved, marks, changes, why):
    before = marks()
    status, said = attn("--apply", saved("marks.json", {"bob": (1, "")}, **changes))
    assert status == 2 and why in said
    assert marks() == before


def test_without_a_graded_class_it_says_what_to_do_first(attn, root):
    (root / "gradebook.db").unlink()
    status, said = attn(CHAPTER)
    assert status == 2 and said.endswith("grade first: attn grade 01_toy")


def test_graders_share_a_class_without_a_remainder(attn, root):
    found = []
    for number in (1, 2, 3):
        assert attn(CHAPTER, "--for", f"{number}/3")[0] == 0
        page = root / "marking" / f"{CHAPTER}.{number}-of-3.html"
        found += [answer["student"] for _, answer in saved_marks.answers(page)]
        assert saved_marks.known_to(page)["file"] == f"{CHAPTER}.{number}-of-3.marks.json"
    assert sorted(found) == sorted([*TEXTS, "gus"])


def test_the_page_of_a_section_has_its_students_and_says_so(attn, root):
    (root / "sections.csv").write_text("student,section\nbob,Monday lab\ngus,Friday\n")
    assert attn(CHAPTER, "--section", "monday lab")[0] == 0
    page = root / "marking" / f"{CHAPTER}.monday_lab.html"
    assert [answer["student"] for _, answer in saved_marks.answers(page)] == ["bob"]
    assert "written answers, section monday lab" in page.read_text()
    status, said = attn(CHAPTER, "--section", "Sunday")
    assert status == 2 and "There is no section 'Sunday'. There are: Friday, Monday lab." in said


def test_a_mark_from_before_is_on_the_page(root, attn, page):
    formgrader_gives(root, "emil", 1.5)
    assert attn(CHAPTER)[0] == 0
    (emil,) = (one for _, one in saved_marks.answers(page) if one["student"] == "emil")
    assert (emil["points"], emil["waiting"]) == (1.5, False)


def test_a_picture_is_shown_as_in_feedback(root, attn):
    path = root / "autograded" / "emil" / CHAPTER / f"{CHAPTER}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    (cell,) = (c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == "why")
    cell.source, cell.attachments = "![](attachment:p.png)", {"p.png": {"image/png": PICTURE}}
    nbformat.write(notebook, path)
    assert attn(CHAPTER)[0] == 0
    text = (root / "marking" / f"{CHAPTER}.html").read_text()
    assert f'<img src="data:image/png;base64,{PICTURE}"' in text
