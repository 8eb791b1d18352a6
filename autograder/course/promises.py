"""What the docstring of an exercise promises, and which cases hold a learner to it.

A chapter's file PROMISES says for each sentence below the first paragraph of a docstring by which
cases it is tried: {"exercise": {"sentence": ["name of a case", …]}}. EVERY stands for all cases,
FREE for what a sentence leaves to the learner.
"""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from autograder.calls.cell import EXERCISE
from autograder.course.remarks import remarks
from autograder.notebooks.chapter import Chapter, place, reference

if TYPE_CHECKING:
    from autograder.calls.spec import Exercise

PROMISES = "promises.json"
EVERY, FREE = "every case", "nothing to try"
SEED = 0
SOURCE = "Source"
HEADING = re.compile(r"^(Args|Returns|Raises):$")
ARGUMENT = re.compile(r"^\w+(, \w+)*: ")  # the names that an argument's text begins with
END = re.compile(r"(?<=[.?])\s+(?=[A-Z`(])")


def of_exercise(chapter: Chapter, exercise: "Exercise") -> Iterator[str]:
    """A sentence for each promise without a case, and each entry that is about nothing.

    Nothing where the chapter keeps no such file.
    """
    known = remarks(chapter.folder / PROMISES)
    if known is None:
        return
    at, told = place(chapter, EXERCISE, exercise.name), known.get(exercise.name, {})
    promised = promises(reference(chapter)[exercise.name], exercise.name)
    cases = {case.name for case in exercise.generate(SEED, secret=True)} | {EVERY, FREE}
    for sentence in promised:
        if not told.get(sentence):
            yield f"{at}: {PROMISES} names no case of {exercise.name} for: {sentence}"
    for sentence, names in told.items():
        if sentence not in promised:
            yield f"{at}: {PROMISES} has what {exercise.name} does not say: {sentence}"
        for name in names:
            if name not in cases:
                yield f"{at}: {PROMISES} names a case that {exercise.name} does not have: {name}"


def promises(source: str, name: str) -> list[str]:
    """The sentences of all docstrings of a definition, but their first paragraphs and sources."""
    own = next(node for node in ast.parse(source).body if getattr(node, "name", "") == name)
    definitions = (ast.FunctionDef, ast.ClassDef)
    texts = [ast.get_docstring(node) for node in ast.walk(own) if isinstance(node, definitions)]
    found = [sentence for text in texts if text for sentence in _sentences(text)]
    return list(dict.fromkeys(found))


def _sentences(text: str) -> Iterator[str]:
    for paragraph in _paragraphs(text.partition("\n\n")[2]):
        for sentence in END.split(ARGUMENT.sub("", paragraph, count=1)):
            if sentence.startswith(SOURCE):
                break
            yield sentence


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs and arguments, each on one line; headings are left out."""
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        begins = not line.strip() or HEADING.match(line.strip()) or ARGUMENT.match(line.strip())
        if begins and lines:
            yield " ".join(lines)
            lines = []
        if line.strip() and not HEADING.match(line.strip()):
            lines.append(line.strip())
