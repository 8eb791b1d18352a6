"""What lies where the notebook should, and what it is called."""

import os
import socket
from pathlib import Path

from .case import CASES, MISSING, NAME, PASSED, Odd, cell, code, odd, text

RENAMED = "was graded, since there is no 01_toy.ipynb."

# Not a notebook


@odd(MISSING, sentence="01_toy.ipynb is a web page, not the notebook. Hand in the notebook itself")
def not_json(folder, notebook):
    (folder / NAME).write_text("<html>my notebook</html>")


@odd(MISSING, sentence="01_toy.ipynb is empty: it was not saved whole. Save it in Jupyter and")
def empty(folder, notebook):
    (folder / NAME).write_text("\n")


@odd(
    MISSING,
    sentence="No notebook named 01_toy.ipynb was submitted, but my work.pdf and notes.txt. "
    "my work.pdf is a PDF, not the notebook. Hand in the notebook itself, the .ipynb file.",
)
def a_pdf(folder, notebook):
    (folder / "my work.pdf").write_bytes(b"%PDF-1.7")
    (folder / "notes.txt").write_text("See the PDF.")
    (folder / "timestamp.txt").write_text("2026-03-02 18:00:00 UTC")


@odd(MISSING, sentence="01_toy.ipynb has no cells. Hand in the notebook with your answers.")
def no_cells(notebook):
    notebook["cells"] = []


@odd(MISSING, note="No exercise of 01_toy is in the notebook, which begins with 'Exercises: more'.")
def another_chapters_notebook_under_this_ones_name(folder, notebook):
    other = {"nbformat": 4, "cells": [code("# Exercises: more\nx = 1")]}
    (folder / NAME).write_text(text(other))


@odd(MISSING, sentence="is not a Jupyter notebook")
def json_of_something_else(folder, notebook):
    (folder / NAME).write_text('{"cells": {"0": "x"}}')


@odd(MISSING, sentence="is not a Jupyter notebook")
def deeply_nested(folder, notebook):
    (folder / NAME).write_text('{"cells": ' + "[" * 100_000)


@odd(MISSING, sentence="01_toy.ipynb is larger than 100 MB. Clear its outputs and hand it in again")
def sparse_and_huge(folder, notebook):
    with (folder / NAME).open("wb") as file:
        file.truncate(200 * 2**30)


@odd(MISSING, sentence="01_toy.ipynb holds too much data. Clear its outputs")
def a_bomb_of_small_values(folder, notebook):
    (folder / NAME).write_text('{"cells": [' + "{}," * 1_100_000 + "{}]}")


# Not a file


def _outside(folder):
    """A folder of nobody's, beside the submissions."""
    place = folder.parents[2] / "outside"
    place.mkdir(exist_ok=True)
    return place


@odd(MISSING, sentence="No notebook named 01_toy.ipynb was submitted: the folder is empty.")
def nothing(folder, notebook):
    pass


@odd(MISSING, sentence="01_toy.ipynb is a link. Hand in the file itself.")
def link_to_a_notebook(folder, notebook):
    (_outside(folder) / NAME).write_text(text(notebook))
    (folder / NAME).symlink_to(_outside(folder) / NAME)


@odd(MISSING, sentence="01_toy is not a folder with a notebook in it.")
def link_to_a_folder(folder, notebook):
    (_outside(folder) / NAME).write_text(text(notebook))
    folder.rmdir()
    folder.symlink_to(_outside(folder))


@odd(MISSING, sentence="No notebook named 01_toy.ipynb was submitted.")
def link_to_a_folder_within_the_folder(folder, notebook):
    (_outside(folder) / NAME).write_text(text(notebook))
    (folder / "work").symlink_to(_outside(folder))


@odd(MISSING, sentence="01_toy is not a folder with a notebook in it.")
def file_in_place_of_the_folder(folder, notebook):
    folder.rmdir()
    folder.write_text("my notebook")


@odd(MISSING, sentence="01_toy.ipynb is not a file.")
def folder_in_place_of_the_file(folder, notebook):
    (folder / NAME).mkdir()


@odd(MISSING, sentence="01_toy.ipynb is not a file.")
def pipe(folder, notebook):
    os.mkfifo(folder / NAME)


@odd(MISSING, sentence="01_toy.ipynb is not a file.")
def a_socket(folder, notebook):
    here = Path.cwd()
    os.chdir(folder)  # a socket's path has at most 107 bytes
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(NAME)
    os.chdir(here)


# File names


def _named(name):
    def write(folder, notebook):
        (folder / name).write_text(text(notebook))

    return write


for title, filename in {
    "wrong_case": "01_TOY.IPYNB",
    "downloaded_twice": "01_toy (1).ipynb",
    "copied": "01_toy-Copy1.ipynb",
    "a_text_file": "01_toy.ipynb.txt",
    "no_extension": "01_toy",
    "json": "01_toy.json",
    "renamed": "homework.ipynb",
    "a_text_of_any_name": "homework.txt",
    "untitled": "Untitled",
    "a_dot_first": ".01_toy.ipynb",
    "a_dash": "-rf.ipynb",
    "terminal_codes_in_the_name": "\x1b[31mred\n.ipynb",
    "no_utf_8_in_the_name": os.fsdecode(b"caf\xe9.ipynb"),
}.items():
    CASES[title] = Odd(_named(filename), (PASSED,) * 3, note=RENAMED)


@odd(MISSING, sentence="No notebook named 01_toy.ipynb was submitted.")
def only_files_of_the_system(folder, notebook):
    (folder / f"._{NAME}").write_text(text(notebook))
    (folder / ".history").mkdir()
    (folder / ".history" / NAME).write_text(text(notebook))


@odd("wrong", PASSED, PASSED, note="1_toy.ipynb (3 answered) was graded, not good.ipynb (3 answ")
def two_notebooks_of_which_one_has_the_right_name(folder, notebook):
    (folder / "good.ipynb").write_text(text(notebook))
    cell(notebook, "normalise")["source"] = "def normalise(values):\n    return values"
    (folder / NAME).write_text(text(notebook))


@odd(PASSED, note=f"b.ipynb (3 answered) {RENAMED}")
def two_notebooks_of_which_one_has_answers(folder, notebook):
    (folder / "a.ipynb").write_text(text({"nbformat": 4, "cells": [code("hello = 1")]}))
    (folder / "b.ipynb").write_text(text(notebook))
    (folder / "c.ipynb").write_text("broken")


@odd(PASSED, note=f"01_toy (1).ipynb (3 answered) {RENAMED}")
def two_notebooks_with_the_same_answers(folder, notebook):
    for name in ("01_toy (1).ipynb", "01_toy (2).ipynb"):
        notebook["metadata"]["name"] = name
        (folder / name).write_text(text(notebook))


@odd(
    PASSED, note="2 notebooks hold different answers: a.ipynb (3 answered) was graded, not b.ipynb"
)
def two_notebooks_with_different_answers(folder, notebook):
    (folder / "a.ipynb").write_text(text(notebook))
    cell(notebook, "normalise")["source"] = "def normalise(values):\n    return values"
    (folder / "b.ipynb").write_text(text(notebook))


@odd(MISSING, sentence="but 02_other.ipynb. Give the right one that name and hand it in again.")
def a_notebook_of_another_chapter(folder, notebook):
    (folder / "02_other.ipynb").write_text(text({"nbformat": 4, "cells": [code("x = 1")]}))
