"""One odd thing to hand in: how it is written, and the verdicts and the sentence it must get."""

import json
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
    """What is written, the verdict of each exercise in order, a part of the sentence.

    note: a part of the note on where the notebook lies; "" if there is none.
    """

    write: Callable[[Path, Notebook], None]
    verdicts: tuple[str, ...]
    sentence: str = ""
    note: str = ""


CASES: dict[str, Odd] = {}


def odd(*verdicts, sentence="", note=""):
    """Register a case under its function's name; a function of one argument edits the notebook."""
    every = verdicts * (len(EXERCISES) // len(verdicts))

    def register(write):
        assert write.__name__ not in CASES, "of two cases of one name, one would not be tried"
        one = write.__code__.co_argcount == 1
        CASES[write.__name__] = Odd(_edited(write) if one else write, every, sentence, note)
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


def code(source):
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": [],
            "execution_count": None}  # fmt: skip


def source(item):
    return "".join(item["source"])
