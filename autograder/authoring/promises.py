"""Each sentence of a docstring that promises something, and the cases that hold a learner to it.

The file of an exercise says by which cases each sentence below the first paragraph is tried:
`exercise.promise("a part of the sentence", "name of a case", …)`.
"""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from autograder.common import source_location
from autograder.common.cell import EXERCISE
from autograder.notebooks.chapter import Chapter, location, reference

if TYPE_CHECKING:
    from autograder.exercise.spec import Exercise, Promise

SEED = 0
SOURCE = "Source"
HEADING = re.compile(r"^(Args|Returns|Raises):$")
ARGUMENT = re.compile(r"^\w+(, \w+)*: ")  # the names that an argument's text begins with
END = re.compile(r"(?<=[.?])\s+(?=[A-Z`(])")


def of_exercise(chapter: Chapter, exercise: "Exercise") -> Iterator[str]:
    """A sentence for each promise without a case, and for each that is of nothing.

    Nothing where no exercise of the chapter says by which cases its sentences are tried.
    """
    from autograder.exercise.spec import EVERY, UNTRIED  # and torch

    if not any(one.promises for one in chapter.exercises.values()):
        return
    sentences = promises(reference(chapter)[exercise.name], exercise.name)
    for sentence in sentences:
        if not any(promise.part in sentence for promise in exercise.promises):
            at = location(chapter, EXERCISE, exercise.name)
            yield f"{at}: no exercise.promise in {exercise.name}.py says what tries: {sentence}"
    cases = {case.name for case in exercise.generate(SEED, secret=True)} | {EVERY, UNTRIED}
    for promise in exercise.promises:
        at = source_location.of_text(chapter.folder / f"{exercise.name}.py", promise.part)
        for slip in _of_promise(promise, sentences, cases):
            yield f"{at}: {slip}"


def _of_promise(promise: "Promise", sentences: list[str], cases: set[str]) -> Iterator[str]:
    about = sum(promise.part in sentence for sentence in sentences)
    if about == 0:
        yield f"no sentence of the docstring contains {promise.part!r}. Copy a part of one."
    if about > 1:
        yield f"{about} sentences of the docstring contain {promise.part!r}. Give more of one."
    if not promise.cases:
        yield f"{promise.part!r} names no case. Name those that try it, EVERY or UNTRIED."
    for name in promise.cases:
        if name not in cases:
            yield f"there is no case {name!r}. Name one of the exercise."


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
