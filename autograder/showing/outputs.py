"""Verdicts as cell outputs. For nbgrader an error is no points, a number that many, else all."""

from nbformat import NotebookNode

from autograder.common.cell import CHECK, grade_id, is_solution
from autograder.judging.verdict import Kind, Verdict
from autograder.showing.card import Card
from autograder.showing.wording import sentence

# Characters of a cell that are shown. Nobody reads more.
MAX_SHOWN_CHARACTERS = 20_000


def write_outputs(notebook: NotebookNode, verdicts: dict[str, Verdict]) -> None:
    """Put each verdict's card below its check cell, and cut answers that are too long to show.

    The traceback stays empty: feedback shows tracebacks, and a traceback would show the checks.
    Raises ValueError for a verdict of infrastructure, since a cell without output earns full marks.
    """
    for cell in notebook.cells:
        if is_solution(cell) and len(cell.source) > MAX_SHOWN_CHARACTERS:
            cell.source = _cut(cell)
        verdict = verdicts.get(grade_id(cell).removeprefix(CHECK))
        if verdict is None or not grade_id(cell).startswith(CHECK):
            continue
        if verdict.kind == Kind.INFRASTRUCTURE:
            raise ValueError(f"{verdict.exercise} has no verdict: {verdict.sentence}")
        cell.outputs = [_card(verdict)]
        if verdict.kind != Kind.PASSED:
            cell.outputs.append(_result(verdict) if verdict.points else _error(verdict))
        cell.execution_count = None


def _cut(cell: NotebookNode) -> str:
    """The beginning of an answer. All of it was run, and all of it stays in the submission."""
    limit = MAX_SHOWN_CHARACTERS
    notice = f"Only the first {limit:,} of {len(cell.source):,} characters are shown here."
    if cell.cell_type == "code":  # at the end, so that line numbers stay as they are
        return f"{cell.source[:limit]}\n# {notice}"
    return f"**{notice}**\n\n{cell.source[:limit]}"


def _card(verdict: Verdict) -> NotebookNode:
    card = Card(verdict)
    data = {"text/html": card._repr_html_(), "text/plain": str(card)}
    return NotebookNode(output_type="display_data", metadata=NotebookNode(), data=data)


def _result(verdict: Verdict) -> NotebookNode:
    data = {"text/plain": f"{verdict.points:g}"}
    return NotebookNode(output_type="execute_result", metadata=NotebookNode(), data=data,
                        execution_count=None)  # fmt: skip


def _error(verdict: Verdict) -> NotebookNode:
    return NotebookNode(
        output_type="error", ename=verdict.kind, evalue=sentence(verdict.sentence), traceback=[]
    )
