"""A grader of some exercises of a chapter: the checks of the others need not be made."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from autograder.judging.grader import Grader
from autograder.notebooks.chapter import Chapter
from autograder.sandbox.sandbox import Sandbox


def grader_of(chapter: Chapter, seed: str, sandbox: Sandbox, names: Collection[str]) -> Grader:
    """Make a grader of these exercises and of what they build on; of all if none is named.

    As in a class, the time that the reference takes decides how long answers may take.
    """
    needed = {*_with_parts(chapter, names or chapter.exercises)}
    kept = {name: one for name, one in chapter.exercises.items() if name in needed}
    grader = Grader(replace(chapter, exercises=kept), seed, sandbox)
    grader.fault()  # sets the limits; callers report a reference that fails
    return grader


def _with_parts(chapter: Chapter, names: Iterable[str]) -> Iterator[str]:
    """The names, with those of all that these exercises build on."""
    for name in names:
        yield name
        yield from _with_parts(chapter, chapter.exercises[name].builds_on)
