"""A notebook that lies where nobody looks for it, or beside another one."""

import copy
import io
import json
import zipfile
from pathlib import Path

from .case import EXERCISES, MISSING, NAME, PASSED, cell, odd, text

RELEASE = Path(__file__).parents[1] / "toy_course" / "exercises" / "01_toy" / NAME
RELEASED = json.loads(RELEASE.read_text())
ABSENT = "was graded, since there is no 01_toy.ipynb."
BLANK = "was graded, since 01_toy.ipynb holds no answers."
ASTRAY = "was graded, since there is no 01_toy/01_toy.ipynb."


def put(folder, name, notebook):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text(notebook))


def blank(notebook, *names):
    """The notebook with some exercises as they were released, by default all."""
    original = copy.deepcopy(notebook)
    for name in names or EXERCISES:
        cell(original, name)["source"] = cell(RELEASED, name)["source"]
    return original


def zipped(files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


# Deeper


@odd(PASSED, note=f"01_toy/01_toy.ipynb (3 answered) {ABSENT}")
def a_folder_of_the_same_name(folder, notebook):
    put(folder, f"01_toy/{NAME}", notebook)


@odd(PASSED, note=f"course/exercises/01_toy/01_toy.ipynb (3 answered) {ABSENT}")
def a_checkout_of_the_course(folder, notebook):
    put(folder, f"course/exercises/01_toy/{NAME}", notebook)
    put(folder, "course/exercises/02_more/02_more.ipynb", {"nbformat": 4, "cells": []})
    put(folder, f"course/.git/{NAME}", notebook)


@odd(MISSING, sentence="No notebook named 01_toy.ipynb was submitted.", note="Not looked at: what")
def deeper_than_anybody_works(folder, notebook):
    put(folder, "a/" * 30 + NAME, notebook)


@odd(PASSED, note=f".ipynb_checkpoints/01_toy-checkpoint.ipynb (3 answered) {ABSENT}")
def only_the_copy_that_jupyter_keeps(folder, notebook):
    put(folder, ".ipynb_checkpoints/01_toy-checkpoint.ipynb", notebook)


@odd("wrong", PASSED, PASSED)
def an_older_copy_that_jupyter_keeps(folder, notebook):
    put(folder, ".ipynb_checkpoints/01_toy-checkpoint.ipynb", notebook)
    cell(notebook, "normalise")["source"] = "def normalise(values):\n    return values"
    put(folder, NAME, notebook)


# Archives


@odd(PASSED, note=f"homework.zip/work/01_toy.ipynb (3 answered) {ABSENT}")
def a_zip_left_as_it_was(folder, notebook):
    work = {f"work/{NAME}": text(notebook), "work/plot.png": "x"}
    of_a_mac = {f"__MACOSX/work/._{NAME}": "\0\5\x16\7"}
    (folder / "homework.zip").write_bytes(zipped(work | of_a_mac))


@odd(PASSED, note=f"all.ZIP/inner.zip/final.ipynb (3 answered) {ABSENT}")
def a_zip_in_a_zip(folder, notebook):
    inner = zipped({"final.ipynb": text(notebook)})
    (folder / "all.ZIP").write_bytes(zipped({"inner.zip": inner}))


@odd(PASSED, note=f"01_toy.ipynb/01_toy.ipynb (3 answered) {BLANK}")
def a_zip_that_is_called_a_notebook(folder, notebook):
    (folder / NAME).write_bytes(zipped({NAME: text(notebook)}))


@odd(PASSED, note="Not looked at: old.zip is damaged, or no zip archive.")
def a_damaged_zip_beside_the_notebook(folder, notebook):
    put(folder, NAME, notebook)
    (folder / "old.zip").write_bytes(zipped({NAME: "x"})[:-9])


@odd(
    MISSING,
    sentence="No notebook named 01_toy.ipynb was submitted, but bomb.zip.",
    note="bomb.zip unpacks",
)
def a_bomb(folder, notebook):
    (folder / "bomb.zip").write_bytes(zipped({NAME: bytes(300 * 2**20)}))


# Beside another one


@odd(PASSED, note=f"01_toy-Copy1.ipynb (3 answered) {BLANK}")
def a_blank_original_and_the_finished_copy(folder, notebook):
    put(folder, NAME, blank(notebook))
    put(folder, "01_toy-Copy1.ipynb", notebook)


@odd(PASSED, note=f"homework.txt (3 answered) {BLANK}")
def a_blank_original_and_the_finished_work_under_any_name(folder, notebook):
    put(folder, NAME, blank(notebook))
    put(folder, "homework.txt", notebook)
    (folder / "data.json").write_text('{"cells": 3}')


@odd(PASSED, note="final/01_toy.ipynb (3 answered) was graded, not 01_toy.ipynb (1 answered).")
def a_half_written_original_and_a_fuller_copy(folder, notebook):
    put(folder, NAME, blank(notebook, "average", "Scale"))
    put(folder, f"final/{NAME}", notebook)


@odd(PASSED, note=f"final.ipynb (3 answered) {BLANK}")
def an_original_whose_stubs_have_remarks(folder, notebook):
    original = blank(notebook)
    for name in EXERCISES:
        cell(original, name)["source"] += "    # to do\n"
    put(folder, NAME, original)
    put(folder, "final.ipynb", notebook)


@odd(PASSED)
def a_finished_original_and_a_blank_copy(folder, notebook):
    put(folder, NAME, notebook)
    put(folder, f"original/{NAME}", blank(notebook))
    (folder / "01_toy.zip").write_bytes(zipped({f"01_toy/{NAME}": text(blank(notebook))}))


@odd(PASSED, note=f"copy.ipynb (3 answered) {BLANK}")
def a_broken_original_and_a_whole_copy(folder, notebook):
    (folder / NAME).write_text("broken")
    put(folder, "copy.ipynb", notebook)


# Not in the chapter's folder


@odd(PASSED, note=f"Toy (1)/01_toy.ipynb (3 answered) {ASTRAY}")
def a_misnamed_folder(folder, notebook):
    put(folder.rename(folder.parent / "Toy (1)"), NAME, notebook)


@odd(PASSED, note=f"homework/final.ipynb (3 answered) {ASTRAY}")
def a_folder_of_any_name_with_the_chapters_cells(folder, notebook):
    put(folder.rename(folder.parent / "homework"), "final.ipynb", notebook)


@odd(PASSED, note=f"01_toy.ipynb (3 answered) {ASTRAY}")
def beside_the_chapters_folder(folder, notebook):
    put(folder.parent, NAME, notebook)
    folder.rmdir()


@odd(PASSED, note=f"01_toy (3 answered) {ASTRAY}")
def a_notebook_in_place_of_the_folder(folder, notebook):
    folder.rmdir()
    folder.write_text(text(notebook))


@odd(PASSED, note="final/x.ipynb (3 answered) was graded, since 01_toy/01_toy.ipynb holds no answ")
def a_misnamed_folder_and_a_blank_original(folder, notebook):
    put(folder, NAME, blank(notebook))
    put(folder.parent, "final/x.ipynb", notebook)
