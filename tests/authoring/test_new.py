"""`attn new`: a skeleton that can be loaded, and names what is left to write."""

import shutil
from pathlib import Path

import pytest

from autograder.authoring import rules
from autograder.chapters import source_notebook
from autograder.chapters.solutions import load
from autograder.cli import main


def new(root, *what):
    return main(["new", *what, "--root", str(root)])


def files(root):
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture
def course(tmp_path, capsys):
    (tmp_path / "solutions").mkdir()
    assert new(tmp_path, "chapter", "01_sums") == new(tmp_path, "exercise", "01_sums", "total") == 0
    capsys.readouterr()
    return tmp_path


def test_a_skeleton_loads_without_a_slip_and_says_line_by_line_what_to_write(course, capsys):
    chapter = load(course, "01_sums")
    assert list(chapter.exercises) == ["total"]
    assert main(["selftest", "--root", str(course)]) == 1
    *told, last = capsys.readouterr().out.splitlines()
    assert (
        told == source_notebook.unfinished(chapter)
        and last == f"01_sums: {len(told)} still to write"
    )
    for line in told:
        place, _, what = line.partition(": ")
        path, _, number = place.partition(", line ")
        assert what in Path(path).read_text().splitlines()[int(number) - 1]


def test_a_skeleton_breaks_only_the_rules_about_numbers(course):
    chapter = load(course, "01_sums")
    broken = rules.of_exercise(chapter, chapter.exercises["total"])
    assert [sentence.split(": ")[1] for sentence in broken] == [
        "it has 3 misconceptions. Write 5 at least.",
        "it has 1 variant. Write 3 at least.",
    ]


def test_a_skeleton_is_given_to_nobody(course, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    assert main(["release", "--root", str(course)]) == 2
    first, *_ = source_notebook.unfinished(load(course, "01_sums"))
    assert f"{first} Learners would get it: finish the chapter." in capsys.readouterr().err


def test_a_skeleton_without_its_todos_works(course, sandbox, nbgrader, capsys):
    for path in course.glob("solutions/*/*"):
        path.write_text(path.read_text().replace("TODO", "DONE"))
    main(["selftest", "--root", str(course)])
    said = capsys.readouterr().out
    assert "3 of 3 │            3 of 3 │            1 of 1 │    passes" in said
    assert main(["release", "--root", str(course)]) == 0


def test_no_seed_makes_the_mean_of_a_skeletons_single_row_rounding_alone(course):
    exercise = load(course, "01_sums").exercises["total"]
    for seed in range(50):
        *_, single = exercise.generate(seed, secret=True)
        values = single.inputs["values"]
        assert values.size(0) == 1 and values.sum().abs() >= 0.5 * values.abs().sum()


def test_an_exercise_comes_below_the_last_one_and_has_the_next_number(toy_root, tmp_path):
    shutil.copytree(toy_root / "solutions", tmp_path / "solutions")
    path = tmp_path / "solutions" / "01_toy" / "01_toy.md"
    before = path.read_text()
    assert new(tmp_path, "exercise", "01_toy", "Shift") == 0
    after = path.read_text()
    start = after.index('+++ {"about": "Shift"}')
    end = after.index("```{code-cell} ipython3\nraise")
    assert before.startswith(after[:start].rstrip()) and before.endswith(after[end:])
    assert "\n## 4. TODO: a title\n" in after[start:end]
    assert list(load(tmp_path, "01_toy").exercises) == ["normalise", "average", "Scale", "Shift"]


@pytest.mark.parametrize(
    ("what", "said"),
    [
        (("chapter", "01_sums"), "is there already"),
        (("chapter", "sums"), "is no name of a chapter"),
        (("chapter", "01_../sums"), "is no name of a chapter"),
        (("exercise", "01_sums", "total"), "is there already"),
        (("exercise", "01_sums", "to-tal"), "cannot be the name of an exercise"),
        (("exercise", "01_sums", "print"), "cannot be the name of an exercise"),
        (("exercise", "01_sums", "sum_misconceptions"), "cannot be the name of an exercise"),
        (("exercise", "01_sums", "class"), "cannot be the name of an exercise"),
        (("exercise", "02_sums", "total"), "There is no chapter '02_sums'"),
    ],
)
def test_what_cannot_be_made_leaves_everything_as_it_was(course, capsys, what, said):
    before = files(course)
    assert new(course, *what) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert files(course) == before


@pytest.mark.parametrize("end", ["```{code-cell} ipython3\nx = 1\n", "+++ {]\n"])
def test_nothing_is_added_to_a_notebook_that_cannot_take_it(course, capsys, end):
    assert new(course, "chapter", "02_means") == 0
    path = course / "solutions" / "02_means" / "02_means.md"
    path.write_text(path.read_text() + end)
    before = files(course)
    assert new(course, "exercise", "02_means", "mean") == 2
    assert "Traceback" not in capsys.readouterr().err
    assert files(course) == before


def test_where_there_is_a_book_a_new_chapter_is_told_what_its_page_needs(tmp_path, capsys):
    (tmp_path / "book").mkdir()
    (tmp_path / "solutions").mkdir()
    assert new(tmp_path, "chapter", "07_sums") == 0
    told = capsys.readouterr().out
    assert "book/07_sums.md needs the line: (chapter-7-exercises)=" in told
    assert "_toc.yml needs the line: - file: 07_sums" in told
