"""A mark given by hand keeps the answer it was given for, so that it stays while that does.

nbgrader asks for every mark by hand again whenever a submission is graded. Its gradebook gets one
table more, which nbgrader passes over: the answer that formgrader shows, as a digest.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from nbgrader.api import Grade, Gradebook
from sqlalchemy import Column, MetaData, String, Table, delete, insert, select
from sqlalchemy.schema import CreateTable

from autograder.common.cell import CHECK, grade_id, is_solution

Key = tuple[str, str]  # the id of a student's notebook in the gradebook, and a cell's name
ANSWERS = Table(
    "attn_marked_answers",
    MetaData(),
    Column("notebook_id", String(32), primary_key=True),
    Column("cell", String(128), primary_key=True),
    Column("digest", String(64), nullable=False),
)


def prepare(book: Gradebook) -> None:
    """Make the table where there is none; call it before anything else is asked of it."""
    book.db.execute(CreateTable(ANSWERS, if_not_exists=True))
    book.db.commit()


def digests(notebook: Any, scores: Mapping[str, float | None]) -> dict[str, str]:
    """Return by cell that has points a digest of what a person looks at to mark it.

    That is the answer with its pictures, and the score that it gets by itself.
    """
    cells = notebook["cells"]
    answers = {grade_id(cell): cell for cell in cells if is_solution(cell)}
    return {
        name: _digest(answers.get(name.removeprefix(CHECK), {}), scores[name])
        for name in (grade_id(cell) for cell in cells if _has_points(cell))
        if name in scores
    }


def unchanged(book: Gradebook, known: Mapping[Key, str]) -> set[Key]:
    """Return those digests that are the same as when the answers were graded last."""
    notebooks = {notebook for notebook, _ in known}
    query = select(ANSWERS).where(ANSWERS.c.notebook_id.in_(notebooks))
    return {
        (notebook, cell)
        for notebook, cell, digest in book.db.execute(query)
        if known.get((notebook, cell)) == digest
    }


def unchanged_manual_marks(
    book: Gradebook, of_these: Iterable[Any], names: Mapping[str, str], known: Mapping[Key, str]
) -> list[str]:
    """Return the ids of the marks given by hand that nobody need look at again.

    of_these: conditions for the rows to look at. names: of the cells, by their ids.
    """
    query = select(Grade.id, Grade.notebook_id, Grade.cell_id).where(
        *of_these, Grade.manual_score.is_not(None), Grade.needs_manual_grade.is_(False)
    )
    same = unchanged(book, known)
    return [
        mark for mark, notebook, cell in book.db.execute(query) if (notebook, names[cell]) in same
    ]


def remember(book: Gradebook, known: Mapping[Key, str]) -> None:
    """Put these digests in the place of what was known of their notebooks; does not commit."""
    rows = [
        {"notebook_id": notebook, "cell": cell, "digest": digest}
        for (notebook, cell), digest in known.items()
    ]
    notebooks: Iterable[str] = {notebook for notebook, _ in known}
    book.db.execute(delete(ANSWERS).where(ANSWERS.c.notebook_id.in_(notebooks)))
    if rows:
        book.db.execute(insert(ANSWERS), rows)


def _has_points(cell: Any) -> bool:
    return bool(cell["metadata"].get("nbgrader", {}).get("grade"))


def _digest(answer: Any, score: float | None) -> str:
    seen = answer.get("source"), answer.get("attachments"), None if score is None else float(score)
    return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()
