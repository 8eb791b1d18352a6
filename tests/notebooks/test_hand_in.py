"""What was handed in is read, or refused with one sentence; what is our fault is told apart."""

import json
import os
import tracemalloc

import nbformat
import pytest

from autograder.notebooks.hand_in import NotebookError, UnreadableError, content
from autograder.notebooks.submission import read


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
