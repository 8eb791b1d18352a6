"""A class whose written answers are there to be marked, without the minutes that grading takes.

The graded notebooks and the gradebook are those that `attn grade` would leave of such hand-ins.
"""

import copy
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.utils import determine_grade, is_grade, is_solution

from autograder.common.cell import grade_id
from autograder.course.course import Course
from autograder.grading import hand_marks
from autograder.grading.gradebook import Marks, Submission

HANDED_IN = datetime(2026, 1, 10, 12, tzinfo=UTC).replace(tzinfo=None)
Answers = Mapping[str, str]  # texts by the name of their question


def write(root: Path, chapter: str, handed_in: Mapping[str, Answers]) -> Course:
    """Write graded notebooks, by student; of another answer the released text is left."""
    course = Course(root)
    released = course.released(chapter)
    entries = [_graded(course, chapter, who, released, own) for who, own in handed_in.items()]
    with Marks(course, chapter) as marks:
        marks.write(entries)
    return course


def _graded(
    course: Course, chapter: str, student: str, released: Any, answers: Answers
) -> Submission:
    notebook = copy.deepcopy(released)
    for cell in notebook.cells:
        cell.source = answers.get(grade_id(cell), cell.source)
    scores = {
        grade_id(cell): determine_grade(cell)[0] if is_solution(cell) else 0.0
        for cell in notebook.cells
        if is_grade(cell)
    }
    comments = {grade_id(cell): None for cell in notebook.cells if is_solution(cell)}
    path = course.folder("autograded", chapter, student) / f"{chapter}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)
    digests = hand_marks.digests(notebook, scores)
    return Submission(student, HANDED_IN, scores, comments, digests)
