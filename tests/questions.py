"""A notebook with an exercise in code and two questions, and what is read of each of them."""

import json

from nbformat import v4

from autograder.notebooks.splice import splice
from autograder.notebooks.submission import Submission

STUB = "YOUR ANSWER HERE"
CODE, CHECK, FIRST_QUESTION, FIRST, SECOND_QUESTION, SECOND, PLOT = 3, 4, 5, 6, 7, 8, 10


def given(source, kind="markdown", **marks):
    cell = {"code": v4.new_code_cell, "markdown": v4.new_markdown_cell}[kind](source)
    if marks:
        cell.metadata["nbgrader"] = {"solution": False, "grade": False, **marks}
    return cell


def two_questions():
    """An exercise in code, then two questions, then something to look at."""
    return v4.new_notebook(cells=[
        given("# A chapter"),
        given("import torch", "code"),
        given("## 1. Double\n\nWrite it."),
        given("def double(x):\n    raise NotImplementedError()", "code", grade_id="double",
              solution=True),
        given("check(double)", "code", grade_id="check_double", grade=True),
        given("## 2. First\n\nWhy is it so?\nSay it in two sentences."),
        given(STUB, grade_id="first", solution=True, grade=True),
        given("## 3. Second\n\nAnd why else?"),
        given(STUB, grade_id="second", solution=True, grade=True),
        given("## See it"),
        given("plot(double)", "code"),
    ])  # fmt: skip


def words(released, edit):
    """What a person reads of each question once `edit` has changed the list of cells."""
    cells = json.loads(json.dumps(released["cells"]))
    edit(cells)
    spliced = splice(released, Submission.of({"cells": cells}))
    return spliced["cells"][FIRST]["source"], spliced["cells"][SECOND]["source"], spliced


def cell(source, kind="markdown", attached=None):
    return {"cell_type": kind, "metadata": {}, "source": source, "attachments": attached or {}}
