"""Of a student's notebook the solutions count, wherever they are, and nothing else."""

import copy
import sys

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from splicing import cell, edited, spliced_sources

from autograder.common.cell import sent_elsewhere
from autograder.notebooks.splice import cells_to_run, missing, notes, splice
from autograder.notebooks.submission import Submission, SubmittedCell, read


def test_the_learners_solution_is_taken(released):
    sources, missing = spliced_sources(
        released, lambda nb: cell(nb, "normalise").update(source="mine = 1")
    )
    assert sources["normalise"] == "mine = 1" and not missing


def test_an_edited_check_points_or_setup_do_not_count(released):
    def cheat(notebook):
        cell(notebook, "check_normalise").source = "pass"
        cell(notebook, "check_normalise").metadata.nbgrader.points = 1000
        cell(notebook, "setup").source = "check = print"
        notebook.cells.insert(0, nbformat.v4.new_code_cell("import os; os._exit(0)"))

    assert splice(released, edited(released, cheat)) == released


def test_a_deleted_solution_is_missing_and_its_stub_stands_in(released):
    def delete(notebook):
        notebook.cells.remove(cell(notebook, "normalise"))

    sources, missing = spliced_sources(released, delete)
    assert missing == {"normalise"}
    assert "NotImplementedError" in sources["normalise"]


def test_of_two_cells_with_one_id_the_last_that_is_not_the_stub_counts(released):
    def duplicate(notebook):
        stub = copy.deepcopy(cell(notebook, "normalise"))
        cell(notebook, "normalise").source = "mine = 1"
        notebook.cells.append(stub)

    assert spliced_sources(released, duplicate)[0]["normalise"] == "mine = 1"


@pytest.mark.parametrize("change", [{"source": " \n"}, {"cell_type": "markdown", "source": "x"}])
def test_a_blank_copy_or_one_in_markdown_does_not_hide_the_solution(released, change):
    def duplicate(notebook):
        other = copy.deepcopy(cell(notebook, "normalise"))
        cell(notebook, "normalise").source = "mine = 1"
        other.update(change)
        notebook.cells.append(other)

    assert spliced_sources(released, duplicate)[0]["normalise"] == "mine = 1"


def test_a_flipped_grade_flag_or_foreign_metadata_changes_nothing(released):
    def flip(notebook):
        for item in notebook.cells:
            item.metadata.setdefault("nbgrader", {})["grade"] = True
            item.metadata["nbgrader"]["points"] = -1

    assert splice(released, edited(released, flip)) == released


def test_demonstrations_and_checks_are_not_run(released):
    assert [c.name for c in cells_to_run(released)] == [
        "setup setup",
        "normalise",
        "average",
        "Scale",
    ]


def test_ten_times_the_cells_take_no_more_than_twelve_times_the_work(released):
    def work(count):
        lacking = "def normalise(values):\n    return lost(values)"
        more = [SubmittedCell("code", "", f"x{number} = average") for number in range(count)]
        submission = Submission([SubmittedCell("code", "normalise", lacking), *more])
        return instructions(lambda: splice(released, submission))

    assert work(5_000) < 12 * work(500)


def instructions(work):
    """How many of Python's instructions some work takes: the same on every machine."""
    counted = 0

    def trace(frame, event, _):
        nonlocal counted
        frame.f_trace_opcodes = True
        counted += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return counted


def test_splicing_changes_nothing_in_the_released_notebook(released):
    before = copy.deepcopy(released)
    submitted = edited(released, lambda nb: nb.cells.remove(cell(nb, "average")))
    cell(submitted, "normalise").source = "mine = 1"
    result = splice(released, submitted)
    for item in result.cells:
        item.source, item.outputs, item.metadata["new"] = "changed", ["changed"], 1
    assert released == before


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({}, "The cell for normalise is not in the notebook any more."),
        (
            {"cell_type": "raw", "source": "?"},
            "The cell for normalise is not a code cell any more.",
        ),
        (
            {"source": "#" * 1_000_001},
            "The cell for normalise is longer than 1,000,000 characters.",
        ),
    ],
)
def test_a_student_is_told_why_a_solution_is_missing(released, change, sentence):
    submitted = edited(released, lambda nb: cell(nb, "normalise").update(change))
    if not change:
        submitted.cells.remove(cell(submitted, "normalise"))
    assert missing(splice(released, submitted)) == {"normalise": sentence}


@pytest.mark.parametrize(
    ("first", "magic"),
    [("%%writefile mine.py", "%%writefile"), ("%%bash", "%%bash"), ("%%!ls", "%%!"),
     ("\n  %%script python", "%%script")],
)  # fmt: skip
def test_a_cell_that_another_program_gets_is_no_answer_and_the_student_is_told(
    released, first, magic
):
    written = f"{first}\ndef normalise(values):\n    return values"
    submitted = edited(released, lambda nb: cell(nb, "normalise").update(source=written))
    spliced = splice(released, submitted)
    assert missing(spliced)["normalise"] == (
        f"The cell for normalise begins with {magic}, so it is not run as Python here: "
        "take that line out and run the cell again."
    )
    assert cell(spliced, "normalise").source == cell(released, "normalise").source


def test_beside_a_cell_that_another_program_gets_an_answer_counts(released):
    def duplicate(notebook):
        other = copy.deepcopy(cell(notebook, "normalise"))
        other.source = "%%writefile x.py\ndef normalise(values): pass"
        cell(notebook, "normalise").source = "mine = 1"
        notebook.cells.append(other)

    assert spliced_sources(released, duplicate)[0]["normalise"] == "mine = 1"


@pytest.mark.parametrize("magic", ["%%time", "%%timeit -n 1", "%%capture", "%%prun", "%%memit"])
def test_a_cell_that_a_magic_runs_is_an_answer(released, magic):
    written = f"{magic}\ndef normalise(values):\n    return values"
    sources, missing = spliced_sources(
        released, lambda nb: cell(nb, "normalise").update(source=written)
    )
    assert sources["normalise"] == written and not missing


def test_of_ipythons_own_magics_those_that_run_a_cell_here_are_known():
    cell_magics = InteractiveShell().magics_manager.magics["cell"]
    here = {"time", "timeit", "capture", "prun", "debug", "code_wrap"}
    assert {name for name in cell_magics if not sent_elsewhere(f"%%{name}\nx")} <= here


def test_of_a_damaged_notebook_whole_cells_count_and_the_student_is_told(released, tmp_path):
    text = nbformat.writes(released)
    (tmp_path / "x.ipynb").write_text(text[: text.index("class Scale")])
    spliced = splice(released, read(tmp_path / "x.ipynb"))
    sentence = "The notebook is damaged: the cell for Scale could not be read from it."
    assert missing(spliced)["Scale"] == sentence
    assert missing(spliced).keys() == {"Scale", "why"}
    assert notes(spliced) == ["x.ipynb is damaged; 10 cells of it were read."]


def test_an_answer_in_words_is_found_by_its_question_when_its_mark_is_lost(released):
    def strip(notebook):
        cell(notebook, "why").source = "Because of this."
        for item in notebook.cells:
            item.metadata = {}

    spliced = splice(released, edited(released, strip))
    assert cell(spliced, "why").source == "Because of this."
    assert "Found by its question: why." in notes(spliced)


def test_the_teacher_is_told_once_of_what_befell_several_answers(released):
    stripped = edited(released, lambda nb: [cell.update(metadata={}) for cell in nb.cells])
    note = "Found in a cell that is not marked as the one for it: normalise, average, Scale."
    for item in stripped.cells:
        item.source += "\n# mine" if item.cell_type == "code" else ""
    assert notes(splice(released, stripped)) == [note]


def test_the_teacher_is_told_what_was_made_good(released, tmp_path):
    def change(notebook):
        cell(notebook, "normalise").source = "def normalise(x):\n    return half(x)"
        cell(notebook, "average").update(cell_type="raw", source="def average(a, b): pass")
        cell(notebook, "Scale").source = "class Scale: pass"
        cell(notebook, "Scale").metadata = {}
        notebook.cells.append(nbformat.v4.new_code_cell("def half(x):\n    return x / 2"))

    text = nbformat.writes(edited(released, change))
    (tmp_path / "x.ipynb").write_text(text, encoding="utf-16")
    spliced = splice(released, read(tmp_path / "x.ipynb"))
    assert notes(spliced) == [
        "x.ipynb is not in UTF-8; it was read as UTF-16.",
        "What it uses of other cells was put above it: normalise.",
        "Found in a cell that is not a code cell any more: average.",
        "Found in a cell that is not marked as the one for it: Scale.",
    ]
    assert notes(splice(released, released)) == []
    assert (
        notes(splice(released, edited(released, lambda nb: nb.metadata.update(notes=["!"])))) == []
    )
