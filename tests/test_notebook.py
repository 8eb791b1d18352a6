import copy
import json
import os
import subprocess
import sys
import time
import tracemalloc

import nbformat
import pytest

from autograder.course import Course
from autograder.handin import UnreadableError, content
from autograder.notebook import (
    NotebookError,
    cells_to_run,
    grade_id,
    missing,
    notes,
    read,
    splice,
)
from autograder.submission import Submission, SubmittedCell


@pytest.fixture
def released(toy_root):
    return Course(toy_root).released("01_toy")


def edited(released, change):
    notebook = copy.deepcopy(released)
    change(notebook)
    return notebook


def cell(notebook, name):
    return next(cell for cell in notebook.cells if grade_id(cell) == name)


def spliced_sources(released, change):
    notebook = splice(released, edited(released, change))
    return {c.name: c.source for c in cells_to_run(notebook)}, set(missing(notebook))


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


@pytest.mark.parametrize(
    "content", [b"\0" * 99, b"{", b"[]", b"null", b'{"cells": 3}', b"\xff\xfe\x00", b"PK\x03\x04"]
)
def test_what_is_no_notebook_gets_one_clear_sentence(tmp_path, content):
    path = tmp_path / "01_toy.ipynb"
    path.write_bytes(content)
    with pytest.raises(NotebookError, match="not a Jupyter notebook"):
        read(path)


def test_a_byte_order_mark_and_windows_line_ends_are_read(released, tmp_path):
    path = tmp_path / "01_toy.ipynb"
    text = nbformat.writes(released).replace("\n", "\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert len(read(path).cells) == len(released.cells)


def test_a_link_a_folder_or_a_pipe_is_no_notebook(tmp_path):
    (tmp_path / "link.ipynb").symlink_to("/etc/hostname")
    (tmp_path / "folder.ipynb").mkdir()
    os.mkfifo(tmp_path / "pipe.ipynb")
    for name in ("link", "folder", "pipe"):
        with pytest.raises(NotebookError, match=rf"{name}.ipynb (is not a file|is a link)"):
            read(tmp_path / f"{name}.ipynb")


def test_a_notebook_that_was_not_submitted_is_said_to_be_missing(tmp_path):
    with pytest.raises(NotebookError, match=r"No notebook named .* was submitted"):
        read(tmp_path / "x.ipynb")


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_a_file_that_this_machine_may_not_read_is_no_fault_of_the_students(tmp_path):
    (tmp_path / "x.ipynb").touch(mode=0o000)
    with pytest.raises(UnreadableError, match=r"x\.ipynb could not be read: Permission denied"):
        content(tmp_path / "x.ipynb")


def test_too_little_memory_is_no_fault_of_the_students(tmp_path, monkeypatch):
    def exhausted(*_, **__):
        raise MemoryError

    (tmp_path / "x.ipynb").write_text("{}")
    monkeypatch.setattr("json.loads", exhausted)
    with pytest.raises(UnreadableError, match=r"too little memory to read x\.ipynb"):
        read(tmp_path / "x.ipynb")


def test_a_notebook_of_90_mb_is_read_in_bounded_memory(released, tmp_path):
    image = {"output_type": "display_data", "data": {"image/png": "QUJD" * 22_500_000}}
    notebook = json.loads(nbformat.writes(released))
    notebook["cells"][1]["outputs"] = [image]
    (tmp_path / "01_toy.ipynb").write_text(json.dumps(notebook))
    tracemalloc.start()
    read(tmp_path / "01_toy.ipynb")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 90 * 2**20


def test_ten_times_the_cells_take_no_more_than_a_few_times_ten_times_as_long(released):
    def seconds(count):
        lacking = "def normalise(values):\n    return lost(values)"
        more = [SubmittedCell("code", "", f"x{number} = average") for number in range(count)]
        submission = Submission([SubmittedCell("code", "normalise", lacking), *more])
        start = time.process_time()
        splice(released, submission)
        return time.process_time() - start

    assert seconds(20_000) < 30 * max(seconds(2_000), 0.01)


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


def test_of_a_damaged_notebook_whole_cells_count_and_the_student_is_told(released, tmp_path):
    text = nbformat.writes(released)
    (tmp_path / "x.ipynb").write_text(text[: text.index("class Scale")])
    spliced = splice(released, read(tmp_path / "x.ipynb"))
    sentence = "The notebook is damaged: the cell for Scale could not be read from it."
    assert missing(spliced)["Scale"] == sentence
    assert missing(spliced).keys() == {"Scale", "why"}
    assert notes(spliced) == ["x.ipynb is damaged; 9 cells of it were read."]


def test_an_answer_in_words_is_found_by_its_question_when_its_mark_is_lost(released):
    def strip(notebook):
        cell(notebook, "why").source = "Because of this."
        for item in notebook.cells:
            item.metadata = {}

    spliced = splice(released, edited(released, strip))
    assert cell(spliced, "why").source == "Because of this."
    assert "The answer 'why' was found by the question above it." in notes(spliced)


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
        "normalise uses other cells of the notebook; what it needs of them was put above it.",
        "average was found in a cell that is not a code cell any more.",
        "Scale was found in a cell that is not marked as the one for it.",
    ]
    assert notes(splice(released, released)) == []
    assert (
        notes(splice(released, edited(released, lambda nb: nb.metadata.update(notes=["!"])))) == []
    )


def completed(released, solution, *others):
    """The source of `normalise` as it is run, with other cells in the student's notebook."""

    def change(notebook):
        cell(notebook, "normalise").source = solution
        notebook.cells[1:1] = [nbformat.v4.new_code_cell(other) for other in others]

    return spliced_sources(released, change)[0]["normalise"]


@pytest.mark.parametrize(
    "helper",
    ["EPS = 1e-9", "low = EPS = float('-inf')", "EPS: float = 2 * 3", "EPS = lambda x: x",
     "EPS = torch.float32", "import EPS", "from a import b as EPS", "class EPS:\n    pass",
     "@torch.no_grad()\ndef EPS():\n    pass"],
)  # fmt: skip
def test_a_constant_import_function_or_class_of_another_cell_is_put_above(released, helper):
    solution = "def normalise(values):\n    return values / EPS"
    found = completed(released, solution, f"print(1)\n{helper}\nprint(2)")
    assert found == f"# From your other cells:\n{helper}\n\n{solution}"


@pytest.mark.parametrize(
    ("solution", "other"),
    [
        ("def normalise(x):\n    return x * y", "y = torch.rand(3)"),  # a variable
        ("def normalise(x):\n    return x * y", "x = 1\ny = x + 1"),
        ("def normalise(x):\n    y = 1\n    return x * y", "y = 2"),  # a local name
        ("def normalise(x):\n    return average(x)", "average = 3"),  # another exercise
        ("def normalise(x):\n    return check(x)", "def check(x): pass"),  # given by the setup
        ("def normalise(x):\n    return sum(x)", "def sum(x): pass"),  # given by Python
        ("def normalise(x) return y", "y = 2"),  # not Python
        ("from __future__ import annotations\nx = y", "y = 2"),  # must stand first
        ("def normalise(x):\n    return y", "print(\n1); y = 2"),  # cannot be cut out by lines
    ],
)
def test_nothing_else_is_put_above_a_solution(released, solution, other):
    assert completed(released, solution, other) == solution


def test_of_two_helpers_with_one_name_the_nearest_above_counts(released):
    found = completed(released, "normalise = lambda x: f(x)", "def f(): 1", "def f(): 2")
    assert "def f(): 2" in found and "def f(): 1" not in found


def test_no_source_stops_or_delays_the_parser():
    """In a process of its own: a parser that crashes takes the process along."""
    deep = [
        "(" * 9_000 + ")" * 9_000, "f(a=[{" * 3_000, "a" + ".b" * 9_000, "1" + "+1" * 9_000,
        "not " * 4_900, "{1:" * 6_000, "lambda:" * 2_500, "[x for x in " * 1_500,
        "with " + "(" * 9_000 + "a b" + ")" * 9_000, "match a:\n case " + "A(x=" * 4_000 + "1 2",
        "x = '\0'", "y = 1", "'\\d' is 1",
    ]  # fmt: skip
    program = (
        "import json, sys; from autograder.helpers import Helpers, undefined;"
        "from autograder.submission import SubmittedCell; texts = json.load(sys.stdin);"
        "cells = [SubmittedCell('code', '', text) for text in texts];"
        "print(*map(undefined, texts)); Helpers(cells, [], frozenset()).above('lost', 1)"
    )
    command = [sys.executable, "-W", "error::SyntaxWarning", "-c", program]
    subprocess.run(command, input=json.dumps(deep), text=True, check=True, timeout=60)
