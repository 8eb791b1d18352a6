"""These functions read what nbgrader says of a cell of the release."""

from nbformat import NotebookNode


def grade_id(cell: NotebookNode) -> str:
    """The nbgrader id of a cell, "" if it has none."""
    metadata = cell.get("metadata", {}).get("nbgrader")
    name = metadata.get("grade_id") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""


def is_solution(cell: NotebookNode) -> bool:
    """Tell whether nbgrader leaves the cell to the learner."""
    return bool(cell["metadata"].get("nbgrader", {}).get("solution"))


def is_in_words(cell: NotebookNode) -> bool:
    """Tell whether the cell asks for an answer in words, which a person marks."""
    return is_solution(cell) and cell["cell_type"] != "code"
