import copy
import os

import nbformat
import pytest

from autograder.course import Course
from autograder.notebook import NotebookError, cells_to_run, grade_id, missing_cells, read, splice


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
    return {c.name: c.source for c in cells_to_run(notebook)}, missing_cells(notebook)


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
    "content", [b"", b"{", b"[]", b"null", b'{"cells": 3}', b"\xff\xfe\x00", b"PK\x03\x04"]
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
        with pytest.raises(NotebookError, match=rf"{name}.ipynb (is not a file|could not be)"):
            read(tmp_path / f"{name}.ipynb")


def test_a_notebook_that_was_not_submitted_is_said_to_be_missing(tmp_path):
    with pytest.raises(NotebookError, match=r"No notebook named .* was submitted"):
        read(tmp_path / "x.ipynb")
