"""The rules of a finished chapter, each broken once; every chapter of this course keeps them."""

import json
import shutil

import pytest

from autograder.authoring import rules
from autograder.chapters import source_notebook
from autograder.chapters.solutions import chapter_names, load
from autograder.cli import main
from autograder.common.files import REPOSITORY

CHAPTER = "01_bottleneck"
EXERCISE = "fixed_window_context"
BOOK = ("_toc.yml", "book/exercises.md", "book/claims.md", f"book/{CHAPTER}.md")


@pytest.mark.parametrize("name", chapter_names(REPOSITORY))
def test_a_chapter_of_this_course_keeps_every_rule(name):
    chapter = load(REPOSITORY, name)
    for exercise in chapter.exercises.values():
        assert list(rules.of_exercise(chapter, exercise)) == [], exercise.name
    assert source_notebook.unfinished(chapter) == []
    assert [*rules.of_answers(chapter), *rules.of_book(chapter)] == []


@pytest.fixture
def root(tmp_path):
    """One chapter of this course with its page, and the measurements of that."""
    shutil.copytree(REPOSITORY / "solutions" / CHAPTER, tmp_path / "solutions" / CHAPTER)
    shutil.copytree(REPOSITORY / "book" / "measured", tmp_path / "book" / "measured")
    for name in BOOK:
        shutil.copy(REPOSITORY / name, tmp_path / name)
    return tmp_path


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def broken(root):
    chapter = load(root, CHAPTER)
    of_exercise = rules.of_exercise(chapter, chapter.exercises[EXERCISE])
    return [*of_exercise, *rules.of_answers(chapter), *rules.of_book(chapter)]


FIRST = "@exercise.misconception("
TEXT = f"solutions/{CHAPTER}/{CHAPTER}.md"
CODE = f"solutions/{CHAPTER}/{EXERCISE}.py"


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (TEXT, "<summary>Hint 2", "<summary>Tip 2", "needs three folded hints:"),
        (
            TEXT,
            '+++ {"about": "fixed_window_context"}',
            "+++",
            "0 cells are about fixed_window_context.",
        ),
        (
            TEXT,
            '+++ {"rubric": "explain_soft_lookup"}',
            "+++",
            "the answer explain_soft_lookup has no rubric. Add a cell of text: `rubric:",
        ),
        (BOOK[0], f"- file: {CHAPTER}", "", f"_toc.yml needs the line: - file: {CHAPTER}"),
        (BOOK[1], f"{{exercise-table}} {CHAPTER}", "{exercise-table} 01", "book/exercises.md"),
        (BOOK[2], "\n2: 0\n", "\n", "book/claims.md needs a line for claim 2, such as: 2: 0"),
        (BOOK[3], "(chapter-1-exercises)=", "", "needs the line: (chapter-1-exercises)="),
    ],
)
def test_a_broken_rule_is_told(root, file, old, new, said):
    edit(root / file, old, new)
    (sentence,) = broken(root)
    assert said in sentence


def test_an_exercise_with_few_wrong_answers_and_variants_is_told(root):
    path = root / CODE
    text = path.read_text()
    path.write_text(f"{text}\n\ndel exercise.misconceptions[1:], exercise.variants[1:]\n")
    line = text.partition("exercise = ")[0].count("\n") + 1
    assert broken(root) == [
        f"{path}, line {line}: it has 1 misconception. Write 5 at least.",
        f"{path}, line {line}: it has 1 variant. Write 3 at least.",
    ]


@pytest.mark.parametrize(
    ("hint", "said"),
    [("Look " * 70 + ".", "characters. Keep to 299."), ("Look", "is no sentence.")],
)
def test_a_hint_that_nobody_can_read_is_told(root, hint, said):
    added = f"\n\n{FIRST}{hint!r})\ndef another(states, window):\n    return states[:, 0]\n"
    (root / CODE).write_text((root / CODE).read_text() + added)
    (sentence,) = broken(root)
    line = (root / CODE).read_text().partition(hint)[0].count("\n") + 1
    assert sentence.startswith(f"{root / CODE}, line {line}: the hint of another ")
    assert said in sentence


def test_two_wrong_answers_with_one_hint_are_told(root):
    added = f"\n\n{FIRST}'Look.')\ndef {{}}(states, window):\n    return states[:, 0]\n"
    with (root / CODE).open("a") as file:
        file.write(added.format("one") + added.format("two"))
    assert [sentence.split(": the hint of ")[1].split()[0] for sentence in broken(root)] == [
        "one",
        "two",
    ]


def test_a_line_that_says_todo_is_told_with_its_place(root):
    path = root / CODE
    path.write_text(path.read_text() + "# TODO: more\n")
    last = len(path.read_text().splitlines())
    assert source_notebook.unfinished(load(root, CHAPTER)) == [f"{path}, line {last}: TODO: more"]


def test_a_course_without_a_book_is_held_to_no_rule_of_a_book(root):
    (root / "book" / f"{CHAPTER}.md").unlink()
    (root / "_toc.yml").unlink()
    assert broken(root) == []


def test_a_claim_is_looked_for_in_the_records_that_the_page_shows(root):
    record = next((root / "book" / "measured").glob("bottleneck_recall.json"))
    content = json.loads(record.read_text())
    content["claims"][0]["claim"] = 99
    record.write_text(json.dumps(content))
    assert any("claim 99" in sentence for sentence in broken(root))


def test_the_self_test_tells_which_rule_is_broken_and_ends_with_1(toy_root, sandbox, capsys):
    assert main(["selftest", "01_toy", "--root", str(toy_root)]) == 1
    told = capsys.readouterr().out
    assert "average.py, line 3: it has 1 variant. Write 3 at least.\n" in told
    assert "the text about Scale needs three folded hints:" in told
