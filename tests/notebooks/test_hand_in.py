"""What was handed in is read, or refused with one sentence; what is our fault is told apart."""

import gzip
import json
import os
import re
import tracemalloc

import nbformat
import pytest

from autograder.notebooks.hand_in import NotebookError, UnreadableError, content
from autograder.notebooks.kinds import UNPACKED
from autograder.notebooks.submission import read


@pytest.mark.parametrize(
    ("content", "said"),
    {
        b"{": "is not a Jupyter notebook: it cannot be read. Hand in the file that",
        b'{"cells": 3}': "is not a Jupyter notebook: it cannot be read. Open it in Jupyter",
        b"null": "is not a Jupyter notebook",
        b"[]": "is not a Jupyter notebook",
        b"\0" * 99: "is empty: it was not saved whole.",
        b"\xff\xfe\x00": "is empty",
        b"PK\3\4": "is an archive in which no notebook of the chapter was found.",
        b"%PDF-1.7": "is a PDF, not the notebook. Hand in the notebook itself, the .ipynb file.",
        b"\n<!DOCTYPE html>": "is a web page, not the notebook.",
        b"{\\rtf1": "is a document, not the notebook.",
        b"\x89PNG": "is a picture, not the notebook.",
        b"version https://git-lfs.github.com/spec/v1": "is a placeholder that Git LFS left.",
        b"https://example.org/a": "is only a link.",
        b"7z\xbc\xaf": "is compressed in a way that is not opened here. Hand in the .ipynb",
        b"# ---\n# jupyter:": "is a script or a text, not the notebook.",
    }.items(),
)
def test_what_is_no_notebook_gets_one_sentence_that_fits_what_it_is(tmp_path, content, said):
    path = tmp_path / "01_toy.ipynb"
    path.write_bytes(content)
    with pytest.raises(NotebookError, match=re.escape(f"01_toy.ipynb {said}")):
        read(path)


@pytest.mark.parametrize(
    ("name", "said"),
    {
        "a.docx": "is a document",
        "a.HTML": "is a web page",
        "a.tar.gz": "is compressed",
        "a.webloc": "is only a link",
        ".01_toy.ipynb.icloud": "is a placeholder: the notebook itself is in iCloud",
        "01_toy.py": "is a script",
    }.items(),
)
def test_what_is_there_instead_of_a_notebook_is_named_with_what_to_do(tmp_path, name, said):
    (tmp_path / name).write_bytes(b"PK\3\4" if name == "a.docx" else b"bplist00")
    expected = re.escape(f"submitted, but {name}. It {said}")
    with pytest.raises(NotebookError, match=expected):
        read(tmp_path / "01_toy.ipynb")


def test_only_what_may_be_a_notebook_is_to_be_renamed(tmp_path):
    (tmp_path / "a.txt").write_text("Nothing.")
    with pytest.raises(NotebookError, match=r"but a\.txt\. Hand in the notebook itself"):
        read(tmp_path / "x.ipynb")
    (tmp_path / "b.ipynb").write_text("{}")
    with pytest.raises(
        NotebookError, match=r"but b\.ipynb and a\.txt\. Give the right one that name"
    ):
        read(tmp_path / "x.ipynb")


@pytest.mark.parametrize("bomb", ["[" * 2**20, " " * (UNPACKED + 1)])
def test_a_compressed_notebook_is_bounded_as_others_are(tmp_path, bomb):
    (tmp_path / "x.ipynb").write_bytes(gzip.compress(bomb.encode()))
    with pytest.raises(NotebookError, match=r"(holds too much data|is compressed)"):
        read(tmp_path / "x.ipynb")


@pytest.mark.parametrize("bomb", [r'"{0}"', "&quot;cells&quot;: [{1}"])
def test_brackets_that_are_hidden_in_a_text_are_counted(tmp_path, bomb):
    hidden = bomb.format(r"\u005b" * 2**20, "&#91;" * 2**20)
    (tmp_path / "x.ipynb").write_text(hidden)
    with pytest.raises(NotebookError, match="holds too much data"):
        read(tmp_path / "x.ipynb")


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
