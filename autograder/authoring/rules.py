"""What a chapter has when it is finished, beyond what grading needs. `attn selftest` tells it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.authoring import promises
from autograder.chapters import slips
from autograder.chapters.cell_slips import ABOUT, ANSWER, named
from autograder.chapters.rubric import RUBRIC
from autograder.common.cell import EXERCISE
from autograder.notebooks.chapter import Chapter, location

if TYPE_CHECKING:
    from autograder.exercise.spec import Exercise

VARIANTS, MISCONCEPTIONS = 3, 5  # at least
HINTS = ["1", "2", "3"]  # above an exercise: a question, an observation, nearly the line
LONGEST = 300  # characters of a misconception's hint, which a card shows whole
ENDS = (".", "?", ".)")
FOLDED = re.compile(r"<summary>Hint (\w+)")
MEASURED = re.compile(r"^```\{measured-table\} (.*)$", re.MULTILINE)


def of_exercise(chapter: Chapter, exercise: "Exercise") -> Iterator[str]:
    """A sentence, with its file and line, for each rule that an exercise breaks."""
    at = slips.field_location(chapter.folder / f"{exercise.name}.py")
    counts = {
        "misconception": (len(exercise.misconceptions), MISCONCEPTIONS),
        "variant": (len(exercise.variants), VARIANTS),
    }
    for what, (count, least) in counts.items():
        if count < least:
            plural = what if count == 1 else f"{what}s"
            yield f"{at}: it has {count} {plural}. Write {least} at least."
    yield from _of_hints(exercise)
    yield from _of_text(chapter, exercise.name)
    yield from promises.of_exercise(chapter, exercise)


def _of_hints(exercise: "Exercise") -> Iterator[str]:
    hints = [wrong.hint for wrong in exercise.misconceptions]
    for wrong in exercise.misconceptions:
        hint = f"{wrong.place}: the hint of {wrong.name}"
        if len(wrong.hint) >= LONGEST:
            yield f"{hint} has {len(wrong.hint)} characters. Keep to {LONGEST - 1}."
        if not wrong.hint.endswith(ENDS):
            yield f"{hint} is no sentence. End it with a full stop or a question mark."
        if hints.count(wrong.hint) > 1:
            yield f"{hint} is also another's. Say what is special about this one."


def _of_text(chapter: Chapter, name: str) -> Iterator[str]:
    """An exercise is introduced once, with its hints folded, so that nobody sees them too early."""
    about = [cell.source for cell in chapter.text.cells if cell.metadata.get(ABOUT) == name]
    if len(about) != 1:
        at = location(chapter, EXERCISE, name)
        yield f"{at}: {len(about)} cells are about {name}. Mark one, its heading: `about: {name}`."
    elif FOLDED.findall(about[0]) != HINTS:
        yield (
            f"{location(chapter, ABOUT, name)}: the text about {name} needs three folded hints: "
            "<details><summary>Hint 1: a question</summary>, Hint 2: an observation, Hint 3: "
            "nearly the line."
        )


def of_answers(chapter: Chapter) -> Iterator[str]:
    """A sentence for each written answer that whoever marks it has to judge without a rubric."""
    rubrics = named(RUBRIC, chapter.text.cells)
    for name in named(ANSWER, chapter.text.cells):
        if name not in rubrics:
            at = location(chapter, ANSWER, name)
            yield f"{at}: the answer {name} has no rubric. Add a cell of text: `rubric: {name}`."


def of_book(chapter: Chapter) -> Iterator[str]:
    """Yield what is missing around the page of a chapter, if the course has a book with that page.

    The course is the folder above `solutions/`.
    """
    root = chapter.folder.parents[1]
    if (root / "book" / f"{chapter.name}.md").is_file():
        yield from missing_in_book(root, chapter.name)


def missing_in_book(root: Path, name: str) -> Iterator[str]:
    """Yield what a book still needs for a chapter: a page, and the entries that lead to it."""
    book = root / "book"
    page = _read(book / f"{name}.md")
    if not page:
        yield f"book/{name}.md is missing: the page that the exercises belong to."
    needed = {
        f"book/{name}.md": (page, f"(chapter-{name[:2].lstrip('0')}-exercises)="),
        "_toc.yml": (_read(root / "_toc.yml"), f"- file: {name}"),
        "book/exercises.md": (_read(book / "exercises.md"), f"```{{exercise-table}} {name}"),
    }
    for path, (text, line) in needed.items():
        if line not in map(str.strip, text.splitlines()):
            yield f"{path} needs the line: {line}"
    claims = _read(book / "claims.md")
    for number in sorted(_claims(book, page)):
        if not re.search(rf"^{number}: \w", claims, re.MULTILINE):
            yield f"book/claims.md needs a line for claim {number}, such as: {number}: 0"


def _claims(book: Path, page: str) -> set[int]:
    """The numbers of the claims that the page's measurements decide."""
    names = " ".join(MEASURED.findall(page)).split()
    records = [_read(book / "measured" / f"{name}.json") for name in names]
    entries = [entry for text in records if text for entry in json.loads(text)["claims"]]
    return {entry["claim"] for entry in entries}


def _read(path: Path) -> str:
    """Nothing where there is no such file."""
    return path.read_text("utf-8") if path.is_file() else ""
