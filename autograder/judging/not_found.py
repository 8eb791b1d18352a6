"""A verdict on what a solution lacks here, though it has it in its student's notebook."""

import re
from dataclasses import replace

from autograder.exercise.observation import Failure, absent, clean
from autograder.judging.verdict import SENTENCE, Verdict
from autograder.notebooks.other_cells import SELF

QUOTED = re.compile(r"^(?:name|No module named) '([^'.]+)[^']*'")


def explained(verdict: Verdict, lacks: dict[str, str]) -> Verdict:
    """With the sentence on the name that was not found, instead of a general hint.

    lacks: a sentence by name, and by SELF where the solution's cell cannot be read.
    """
    failure = verdict.difference.failure if verdict.difference else None
    name = _not_found(failure, verdict.exercise) if failure else None
    if name is None or name not in lacks:
        return verdict
    told = f"{verdict.sentence.rstrip('.')}. {lacks[name]}"
    evidence = verdict.evidence and replace(verdict.evidence, explained=True)
    return replace(verdict, sentence=clean(told, SENTENCE), evidence=evidence)


def _not_found(failure: Failure, exercise: str) -> str | None:
    """The name that Python did not find; SELF for the exercise's own, or what is no Python."""
    if failure.type == "SyntaxError" or failure.message == absent(exercise):
        return SELF
    found = QUOTED.match(failure.message)
    return found[1] if found else None
