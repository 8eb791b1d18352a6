"""Which notebook of a student counts for a chapter, and what the teacher should know of that."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from autograder.notebooks.candidates import CANDIDATES, Candidates, is_alone, unnamed
from autograder.notebooks.listing import listing, shown_text
from autograder.notebooks.weighing import Candidate, Weight, best

NAMED = 3  # others that a sentence names, and sentences on what was not looked at
Released = Callable[[], NotebookNode]


@dataclass(frozen=True)
class Found:
    """The notebook that counts, which need not exist, and notes on where it was found.

    path: leads into an archive where the notebook lies in one. weight: what is written, if known.
    """

    path: Path
    notes: tuple[str, ...] = ()
    weight: Weight | None = None


def notebook_of(folder: Path, chapter: str, released: Released) -> Found:
    """The notebook of a student's folder with most answers, wherever it lies in it.

    Without any answers it is the one with the chapter's name.
    """
    named = folder / f"{chapter}.ipynb"
    if folder.is_symlink() or not folder.is_dir():
        return Found(named)
    there = listing(folder, chapter)
    if is_alone(named, there):
        return Found(named)
    search = Candidates(chapter, released)
    read = search.among(there)
    if not any(one.weight.done for one in read):
        read += search.read([*there.checkpoints[:CANDIDATES], *unnamed(there)])
    ranked = best(read, named)
    left_out = tuple(f"Not looked at: {sentence}" for sentence in search.left_out[:NAMED])
    if not ranked or named in search.unread:
        return Found(named, left_out)
    told = (*notes(ranked, named, folder), *left_out)
    return Found(ranked[0].path, told, ranked[0].weight)


def outweighs(here: Found, there: Found, chapter: str, released: Released) -> bool:
    """Tell whether a notebook in the chapter's folder counts, though another one is elsewhere."""
    search = Candidates(chapter, released)
    own = here.weight or next((one.weight for one in search.read([here.path])), None)
    if own is None or there.weight is None:
        return bool(search.unread)
    return bool(own.done) or own.amount >= there.weight.amount


def notes(ranked: list[Candidate], named: Path, base: Path) -> list[str]:
    """Which of several notebooks was graded, or where the only one lies: seen from `base`.

    named: where it should lie.
    """
    chosen, *others = [
        f"{shown_text(str(one.path.relative_to(base)))} ({one.weight.done} answered)"
        for one in ranked
    ]
    if others:
        rest = ", ".join(others[:NAMED]) + (" and more" if len(others) > NAMED else "")
        return [f"{len(ranked)} notebooks hold different answers: {chosen} was graded, not {rest}."]
    if ranked[0].path == named:
        return []
    usual = named.relative_to(base)
    reason = f"{usual} holds no answers" if os.path.lexists(named) else f"there is no {usual}"
    return [f"{chosen} was graded, since {reason}."]
