"""Notebooks as the grader sees them: the pristine one, with only the learner's solutions put in."""

from collections import defaultdict

from nbformat import NotebookNode

from autograder.common.cell import SETUP, Cell, grade_id, is_solution
from autograder.notebooks.answers import Answers
from autograder.notebooks.code_answers import Answer
from autograder.notebooks.other_cells import OtherCells
from autograder.notebooks.pictures import Pictures, together
from autograder.notebooks.submission import Submission, SubmittedCell

MISSING, NOTES, LACKS = "missing", "notes", "lacks"


def splice(pristine: NotebookNode, submitted: Submission | NotebookNode) -> NotebookNode:
    """Return the released notebook with the learner's solutions.

    Where several cells of code have an id, the last one that is written counts; of an answer in
    words, all. Where none is found, the stub stays and is marked as missing. A solution gets what
    it uses of the learner's other cells, an answer in words the pictures that are attached to it;
    nothing else of the submission is taken: no metadata, no points, no further cell.
    The cells of the result are new but share their parts with `pristine`: assign, do not mutate.
    """
    submission = submitted if isinstance(submitted, Submission) else Submission.of(submitted)
    answers, result = Answers(pristine, submission), _copy(pristine)
    others, told = _others(pristine, submission), list(submission.notes)
    found = defaultdict[str, list[str]](list)
    for cell in filter(is_solution, result["cells"]):
        answer = answers.to(cell)
        if answer is None:
            cell["metadata"][MISSING] = answers.reason(cell)
        else:
            for note in _fill(cell, answer, others):
                found[note].append(grade_id(cell))
            told += _attach(cell, answer, submission.cells)
    told += [f"{note}: {', '.join(names)}." for note, names in found.items()]
    if told:
        result["metadata"][NOTES] = told
    return result


def missing(notebook: NotebookNode) -> dict[str, str]:
    """Say why of each solution cell that was not in the submission, by its id."""
    marked = [cell for cell in notebook.cells if MISSING in cell.metadata]
    return {grade_id(cell): cell.metadata[MISSING] for cell in marked}


def lacks(notebook: NotebookNode) -> dict[str, dict[str, str]]:
    """Say by exercise and name why a solution lacks here what it has in its student's notebook."""
    marked = [cell for cell in notebook.cells if LACKS in cell.metadata]
    return {grade_id(cell): dict(cell.metadata[LACKS]) for cell in marked}


def notes(notebook: NotebookNode) -> list[str]:
    """Tell the teacher how a spliced notebook was read, one sentence each."""
    return list(notebook.metadata.get(NOTES, []))


def cells_to_run(notebook: NotebookNode) -> list[Cell]:
    """Setup cells and solution cells, in order: what the calls need, without demonstrations."""
    chosen = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        if is_solution(cell):
            chosen.append(Cell(grade_id(cell), cell.source))
        elif cell.metadata.get("role") == SETUP:
            chosen.append(Cell(f"{SETUP} {cell.id}", cell.source))
    return chosen


def _fill(cell: NotebookNode, answer: Answer, others: OtherCells) -> list[str]:
    """Put an answer into its cell, below what it uses of other cells.

    Returns what is to be noted of that, without the name of the exercise.
    """
    told, stub = [answer.note] if answer.note else [], cell["source"]
    cell["source"] = answer.source
    if cell["cell_type"] != "code" or answer.source == stub:
        return told
    whole = others.whole(grade_id(cell), answer.source, answer.position)
    cell["source"] = whole.source
    if whole.lacks:
        cell["metadata"][LACKS] = whole.lacks
    return told + whole.notes


def _attach(cell: NotebookNode, answer: Answer, cells: list[SubmittedCell]) -> list[str]:
    """Put the pictures of a written answer beside it; returns the notes on those that are not."""
    if not answer.parts:
        return []
    parts = [(part.text, cells[part.position].attached) for part in answer.parts]
    pictures = Pictures(*together(parts))
    cell["source"] = pictures.text
    if pictures.kept:
        cell["attachments"] = NotebookNode(pictures.kept)
    return [f"{grade_id(cell)}: {sentence}." for sentence in pictures.told]


def _others(pristine: NotebookNode, submission: Submission) -> OtherCells:
    setup = [cell["source"] for cell in pristine["cells"] if cell["metadata"].get("role") == SETUP]
    exercises = frozenset(grade_id(cell) for cell in pristine["cells"] if is_solution(cell))
    return OtherCells(submission, setup, exercises)


def _copy(notebook: NotebookNode) -> NotebookNode:
    """Return a copy of a notebook, its cells and their metadata; what those hold is shared."""
    result = _shallow(notebook)
    result["cells"] = [_shallow(cell) for cell in notebook["cells"]]
    for part in (result, *result["cells"]):
        part["metadata"] = _shallow(part["metadata"])
    return result


def _shallow(node: NotebookNode) -> NotebookNode:
    copied = NotebookNode()
    dict.update(copied, node)  # NotebookNode's own looks at each value, and takes ten times as long
    return copied
