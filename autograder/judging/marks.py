"""The scores that nbgrader keeps for a notebook's cells. They come from the verdicts alone."""

from nbformat import NotebookNode
from nbgrader.utils import determine_grade, is_grade

from autograder.common.cell import CHECK, grade_id, is_solution
from autograder.judging.verdict import Kind, Verdict


def scores(notebook: NotebookNode, verdicts: dict[str, Verdict]) -> dict[str, float | None]:
    """Return the score of each graded cell by its grade_id; None where a person gives it.

    What the notebook shows below a check is for readers and decides nothing. An answer that was
    left as it was released scores 0, as nbgrader has it.
    Raises ValueError for an exercise without a verdict: such a submission gets no mark.
    """
    return {grade_id(cell): _score(cell, verdicts) for cell in notebook.cells if is_grade(cell)}


def _score(cell: NotebookNode, verdicts: dict[str, Verdict]) -> float | None:
    if is_solution(cell) or cell.cell_type != "code":
        given: float | None = determine_grade(cell)[0]
        return given
    verdict = verdicts.get(grade_id(cell).removeprefix(CHECK))
    if verdict is None or verdict.kind == Kind.INFRASTRUCTURE:
        raise ValueError(f"{grade_id(cell)} has no verdict.")
    return verdict.points
