"""Odd things that a student can hand in, each with the verdicts and the sentence it must get.

A case writes into the student's folder of the chapter, from a notebook in which every exercise is
solved. It expects one verdict for all exercises, or one for each, and a part of the sentence that
the student reads where there is no pass.
"""

import copy
import json
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAME = "01_toy.ipynb"
EXERCISES = ("normalise", "average", "Scale")
PASSED, MISSING = "passed", "missing"
STUB = '''def normalise(values: Tensor) -> Tensor:
    """values: "... keys", positive. Returns rows that sum to 1."""
    # YOUR CODE HERE
    raise NotImplementedError()
'''
Notebook = dict[str, Any]


@dataclass(frozen=True)
class Odd:
    """What is written, the verdict of each exercise in order, a part of the sentence."""

    write: Callable[[Path, Notebook], None]
    verdicts: tuple[str, ...]
    sentence: str = ""


CASES: dict[str, Odd] = {}


def odd(*verdicts, sentence=""):
    """Register a case under its function's name; a function of one argument edits the notebook."""
    every = verdicts * (len(EXERCISES) // len(verdicts))

    def register(write):
        one = write.__code__.co_argcount == 1
        CASES[write.__name__] = Odd(_edited(write) if one else write, every, sentence)
        return write

    return register


def _edited(edit):
    def write(folder, notebook):
        edit(notebook)
        (folder / NAME).write_text(text(notebook))

    return write


def text(notebook):
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True)


def cell(notebook, name):
    return next(item for item in notebook["cells"] if mark(item).get("grade_id") == name)


def mark(item):
    return item["metadata"].get("nbgrader", {})


def code(source, **metadata):
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": [],
            "execution_count": None}  # fmt: skip


def source(item):
    return "".join(item["source"])


# Not a notebook


@odd(MISSING, sentence="01_toy.ipynb is not a Jupyter notebook: it cannot be read.")
def not_json(folder, notebook):
    (folder / NAME).write_text("<html>my notebook</html>")


@odd(MISSING, sentence="01_toy.ipynb is empty. Open it in Jupyter, save it, and hand it in again.")
def empty(folder, notebook):
    (folder / NAME).write_text("\n")


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


@odd(MISSING, sentence="No notebook named 01_toy.ipynb was submitted.")
def nothing(folder, notebook):
    pass


@odd(MISSING, sentence="01_toy.ipynb is a link. Hand in the file itself.")
def link_to_a_notebook(folder, notebook):
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / NAME).write_text(text(notebook))
    (folder / NAME).symlink_to(folder / "elsewhere" / NAME)


@odd(MISSING, sentence="01_toy is not a folder with a notebook in it.")
def link_to_a_folder(folder, notebook):
    folder.rename(folder.parent / "other")
    (folder.parent / "other" / NAME).write_text(text(notebook))
    folder.symlink_to("other")


@odd(MISSING, sentence="01_toy is not a folder with a notebook in it.")
def file_in_place_of_the_folder(folder, notebook):
    folder.rmdir()
    folder.write_text(text(notebook))


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


# Encodings and damage


@odd(PASSED)
def byte_order_mark(folder, notebook):
    (folder / NAME).write_text(text(notebook), encoding="utf-8-sig")


@odd(PASSED)
def utf_16(folder, notebook):
    (folder / NAME).write_text(text(notebook), encoding="utf-16")


@odd(PASSED)
def utf_16_big_endian_without_a_mark(folder, notebook):
    (folder / NAME).write_text(text(notebook), encoding="utf-16-be")


@odd(PASSED)
def utf_16_little_endian_without_a_mark(folder, notebook):
    (folder / NAME).write_text(text(notebook), encoding="utf-16-le")


@odd(PASSED)
def latin_1(folder, notebook):
    notebook["cells"].insert(0, code("# Übung, gelöst"))
    (folder / NAME).write_text(text(notebook), encoding="latin-1", errors="replace")


@odd(PASSED)
def windows_line_ends_everywhere(folder, notebook):
    for item in notebook["cells"]:
        item["source"] = [line.replace("\n", "\r\n") for line in item["source"]]
    (folder / NAME).write_bytes(text(notebook).replace("\n", "\r\n").encode())


@odd(MISSING, PASSED, PASSED)
def a_stub_with_windows_line_ends(notebook):
    cell(notebook, "normalise")["source"] = STUB.replace("\n", "\r\n")


@odd(PASSED, PASSED, MISSING, sentence="cell for Scale")
def cut_off_in_the_last_exercise(folder, notebook):
    whole = text(notebook)
    (folder / NAME).write_text(whole[: whole.index("class Scale")])


@odd(PASSED)
def a_second_notebook_behind_the_first(folder, notebook):
    (folder / NAME).write_text(text(notebook) + text(notebook)[:1000])


@odd(PASSED)
def merge_conflict_in_the_metadata(folder, notebook):
    ours = text(notebook).replace('"execution_count": null', '"execution_count": 1', 1)
    _conflict(folder, ours, text(notebook))


@odd(PASSED)
def merge_conflict_between_two_answers(folder, notebook):
    """Of two answers the last counts, as anywhere."""
    wrong = copy.deepcopy(notebook)
    cell(wrong, "normalise")["source"] = ["def normalise(values):\n", "    return values"]
    _conflict(folder, text(wrong), text(notebook))


def _conflict(folder, ours, theirs):
    """The file as git leaves it: the lines that differ, between marks."""
    one, two = ours.splitlines(), theirs.splitlines()
    start = next(i for i, lines in enumerate(zip(one, two, strict=False)) if len(set(lines)) == 2)
    end = next(i for i in range(1, len(one)) if one[-i] != two[-i]) - 1
    ours, theirs, rest = one[start : len(one) - end], two[start : len(two) - end], one[-end:]
    marked = ["<<<<<<< HEAD", *ours, "=======", *theirs, ">>>>>>> main"]
    (folder / NAME).write_text("\n".join([*one[:start], *marked, *rest]))


# Formats


@odd(PASSED)
def nbformat_3(folder, notebook):
    cells = [_third(item) for item in notebook["cells"]]
    sheets = [{"cells": cells[:4]}, {"cells": cells[4:]}]
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": sheets}
    (folder / NAME).write_text(text(old))


@odd(PASSED)
def nbformat_2_without_metadata(folder, notebook):
    cells = [_third(item) | {"metadata": None} for item in notebook["cells"]]
    old = {"nbformat": 2, "metadata": {"name": ""}, "worksheets": [{"cells": cells}]}
    (folder / NAME).write_text(text(old))


def _third(item):
    """A cell as nbformat 3 has it: code is called input, its lines have no ends."""
    kind, metadata = item["cell_type"], item["metadata"]
    name, lines = "input" if kind == "code" else "source", source(item).split("\n")
    return {"cell_type": kind, "metadata": metadata, name: lines, "language": "python"}


@odd(PASSED)
def nbformat_from_the_future(notebook):
    notebook |= {"nbformat": 5, "nbformat_minor": 99, "new": {}}


@odd(PASSED)
def nbformat_without_a_number(notebook):
    del notebook["nbformat"], notebook["nbformat_minor"], notebook["metadata"]


@odd(PASSED)
def numbers_that_are_none(folder, notebook):
    changed = text(notebook).replace('"execution_count": null', f'"execution_count": {"9" * 5000}')
    changed = changed.replace('"nbformat": 4', '"nbformat": NaN, "nbformat": -Infinity')
    (folder / NAME).write_text(changed)


@odd(PASSED)
def keys_that_occur_twice(folder, notebook):
    (folder / NAME).write_text(text(notebook).replace('"source": [', '"source": 0, "source": ['))


# Cells


@odd(PASSED)
def cell_ids_missing_twice_or_no_text(notebook):
    for item, given in zip(notebook["cells"], ["a", "a", None, 5, [], {}], strict=False):
        item["id"] = given
    for item in notebook["cells"][6:]:
        item.pop("id", None)


@odd(PASSED)
def cells_that_are_no_cells(notebook):
    notebook["cells"] = [None, 5, "x", [], {}, {"cell_type": []}, *notebook["cells"]]
    notebook["cells"] += [code(5), code({"a": 1}), code([1, None]), {"metadata": "x"}]


@odd(PASSED)
def sources_as_one_text(notebook):
    for item in notebook["cells"]:
        item["source"] = source(item)


@odd(MISSING, PASSED, PASSED)
def a_source_that_is_no_text(notebook):
    cell(notebook, "normalise")["source"] = {"text": "def normalise(values): ..."}


@odd(PASSED)
def thousands_of_cells(notebook):
    notebook["cells"] += [code(f"x{number} = {number}") for number in range(10_000)]


@odd(PASSED)
def all_metadata_stripped(notebook):
    for item in notebook["cells"]:
        item["metadata"] = {}


@odd(PASSED)
def cells_without_a_metadata_entry(notebook):
    for item in notebook["cells"]:
        del item["metadata"]


@odd(PASSED)
def metadata_stripped_and_tried_more_than_once(notebook):
    stub = code("def normalise(values):\n    pass")
    all_metadata_stripped(notebook)
    notebook["cells"] = [stub, *notebook["cells"], code("normalise(torch.ones(2))")]


@odd(PASSED)
def schema_from_the_past(notebook):
    _mark_all(notebook, schema_version=1)


@odd(PASSED)
def schema_from_the_future(notebook):
    _mark_all(notebook, schema_version=99, new={})


@odd(PASSED)
def points_edited(notebook):
    _mark_all(notebook, points=1000)


@odd(PASSED)
def marks_that_are_no_marks(notebook):
    for item in notebook["cells"]:
        if not mark(item).get("solution"):
            item["metadata"]["nbgrader"] = 5


def _mark_all(notebook, **changed):
    for item in notebook["cells"]:
        item["metadata"].setdefault("nbgrader", {}).update(changed)


@odd(PASSED)
def checks_deleted(notebook):
    notebook["cells"] = [c for c in notebook["cells"] if "check(" not in source(c)]


@odd("wrong", PASSED, PASSED)
def a_check_edited_to_pass(notebook):
    cell(notebook, "check_normalise")["source"] = "pass"
    cell(notebook, "normalise")["source"] = "def normalise(values):\n    return values"


@odd(PASSED)
def checks_turned_into_markdown(notebook):
    for item in notebook["cells"]:
        if "check(" in source(item):
            item["cell_type"] = "markdown"


@odd(PASSED)
def solutions_turned_into_markdown_and_raw(notebook):
    cell(notebook, "normalise")["cell_type"] = "markdown"
    cell(notebook, "average")["cell_type"] = "raw"


@odd(MISSING, PASSED, PASSED, sentence="The cell for normalise is not")
def prose_in_place_of_a_solution(notebook):
    cell(notebook, "normalise").update(cell_type="markdown", source="I do not know.")


@odd(MISSING, PASSED, PASSED, sentence="The cell for normalise is not in the notebook any more.")
def a_solution_deleted(notebook):
    notebook["cells"].remove(cell(notebook, "normalise"))


@odd("wrong", PASSED, PASSED)
def a_solution_copied_and_the_copy_changed(notebook):
    changed = copy.deepcopy(cell(notebook, "normalise"))
    changed["source"] = "def normalise(values):\n    return values"
    notebook["cells"].append(changed)


@odd(PASSED)
def a_stub_left_and_the_solution_below_it(notebook):
    solution = cell(notebook, "normalise")
    place = notebook["cells"].index(solution)
    notebook["cells"].insert(place + 1, code(source(solution)))
    solution["source"] = STUB


# Solutions over several cells


HALVES = "def normalise(values):\n    return values * _inverse(values, EPSILON)\n"
HELPERS = """import math as m
EPSILON = 0.0

def _inverse(values, epsilon):
    return _reciprocal(values.sum(-1, keepdim=True) + epsilon)

@torch.no_grad()
def unused(): return m.pi
"""


@odd(PASSED)
def helpers_in_cells_above_and_below(notebook):
    solution = cell(notebook, "normalise")
    solution["source"] = HALVES
    notebook["cells"].insert(1, code(HELPERS))
    notebook["cells"].append(code("%matplotlib inline\n_reciprocal = lambda x: 1 / x"))


@odd(PASSED)
def a_solution_cell_split_in_two(notebook):
    solution = cell(notebook, "normalise")
    first = copy.deepcopy(solution) | {"source": HELPERS.replace("_reciprocal", "1 / ")}
    solution["source"] = HALVES
    notebook["cells"].insert(notebook["cells"].index(solution), first)


@odd(PASSED)
def an_import_added_to_the_setup_cell(notebook):
    cell(notebook, "setup")["source"] += ["\nimport operator as op"]
    body = "    return op.truediv(values, values.sum(-1, keepdim=True))"
    cell(notebook, "normalise")["source"] = f"def normalise(values):\n{body}"


@odd("wrong", PASSED, PASSED)
def a_helper_beside_a_solution_that_does_not_pass(notebook):
    """The stand-in for the first exercise must not take the second one's helper away."""
    helper = "def _times(a, b):\n    return a @ b\n\ndef normalise(values):\n    return values"
    cell(notebook, "normalise")["source"] = helper
    body = "    return _times(normalise(weights), values)"
    cell(notebook, "average")["source"] = f"def average(weights, values):\n{body}"


@odd("raised", PASSED, PASSED, sentence="total")
def a_variable_of_another_cell(notebook):
    cell(notebook, "normalise")["source"] = "def normalise(values):\n    return values / total"
    notebook["cells"].insert(1, code("values = torch.ones(3)\ntotal = values.sum()"))


@odd("timeout", PASSED, PASSED)
def a_helper_that_never_ends(notebook):
    cell(notebook, "normalise")["source"] = "def normalise(values):\n    return _forever(values)"
    notebook["cells"].insert(1, code("def _forever(x):\n    while True:\n        pass"))


@odd(PASSED)
def a_cell_without_end_that_nothing_needs(notebook):
    notebook["cells"].insert(1, code("while True:\n    pass"))
    notebook["cells"].insert(1, code("import os\nos._exit(0)"))


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
    "a_dash": "-rf.ipynb",
    "terminal_codes_in_the_name": "\x1b[31mred\n.ipynb",
    "no_utf_8_in_the_name": os.fsdecode(b"caf\xe9.ipynb"),
}.items():
    CASES[title] = Odd(_named(filename), (PASSED,) * 3)


@odd(MISSING, sentence="No notebook named 01_toy.ipynb was submitted.")
def only_files_of_the_system(folder, notebook):
    (folder / f"._{NAME}").write_text(text(notebook))
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / "01_toy-checkpoint.ipynb").write_text(text(notebook))


@odd("wrong", PASSED, PASSED)
def two_notebooks_of_which_one_has_the_right_name(folder, notebook):
    (folder / "good.ipynb").write_text(text(notebook))
    cell(notebook, "normalise")["source"] = "def normalise(values):\n    return values"
    (folder / NAME).write_text(text(notebook))


@odd(PASSED)
def two_notebooks_of_which_one_has_answers(folder, notebook):
    (folder / "a.ipynb").write_text(text({"nbformat": 4, "cells": [code("hello = 1")]}))
    (folder / "b.ipynb").write_text(text(notebook))
    (folder / "c.ipynb").write_text("broken")


@odd(PASSED)
def two_notebooks_with_the_same_answers(folder, notebook):
    for name in ("01_toy (1).ipynb", "01_toy (2).ipynb"):
        notebook["metadata"]["name"] = name
        (folder / name).write_text(text(notebook))


@odd(MISSING, sentence="but a.ipynb, b.ipynb. Give the right one that name and hand it in again.")
def two_notebooks_with_different_answers(folder, notebook):
    (folder / "a.ipynb").write_text(text(notebook))
    cell(notebook, "normalise")["source"] = "def normalise(values):\n    return values"
    (folder / "b.ipynb").write_text(text(notebook))


@odd(MISSING, sentence="but 02_other.ipynb. Give the right one that name and hand it in again.")
def a_notebook_of_another_chapter(folder, notebook):
    (folder / "02_other.ipynb").write_text(text({"nbformat": 4, "cells": [code("x = 1")]}))
