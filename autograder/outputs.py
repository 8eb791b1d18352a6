"""Verdicts as cell outputs, in the only form that nbgrader reads as failure: an error."""

from nbformat import NotebookNode, v4

from autograder.card import Card
from autograder.judge import INFRASTRUCTURE, PASSED, Verdict
from autograder.notebook import grade_id

PREFIX = "check_"


def write_outputs(notebook: NotebookNode, verdicts: dict[str, Verdict]) -> None:
    """Put each verdict's card below its check cell.

    The traceback stays empty: feedback shows tracebacks, and a traceback would show the checks.
    Raises ValueError for a verdict of infrastructure, since a cell without output earns full marks.
    """
    for cell in notebook.cells:
        verdict = verdicts.get(grade_id(cell).removeprefix(PREFIX))
        if verdict is None or not grade_id(cell).startswith(PREFIX):
            continue
        if verdict.kind == INFRASTRUCTURE:
            raise ValueError(f"{verdict.exercise} has no verdict: {verdict.sentence}")
        cell.outputs = [_card(verdict)] + ([] if verdict.kind == PASSED else [_error(verdict)])
        cell.execution_count = None


def _card(verdict: Verdict) -> NotebookNode:
    card = Card(verdict)
    data = {"text/html": card._repr_html_(), "text/plain": str(card)}
    return v4.new_output("display_data", data=data)


def _error(verdict: Verdict) -> NotebookNode:
    return v4.new_output("error", ename=verdict.kind, evalue=verdict.sentence, traceback=[])
