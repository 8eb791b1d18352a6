"""Grade what is right under many secret seeds: a case that is fair for one may not be for another.

A solution that fails for one seed in fifty would cost a whole class that exercise, and no test with
one seed shows it.
"""

from collections.abc import Collection, Iterator
from itertools import zip_longest

from autograder.authoring.narrowed import grader_of
from autograder.authoring.selftest import right_answers
from autograder.common.cell import Cell
from autograder.common.errors import CourseError
from autograder.exercise.spec import Exercise
from autograder.judging.grader import Grader
from autograder.judging.shortfall import reason
from autograder.judging.verdict import Kind
from autograder.notebooks.chapter import Chapter, reference, reference_cells
from autograder.sandbox.sandbox import Sandbox

Answer = tuple[str, str]  # what it is called, its source


def failures(
    chapter: Chapter, sandbox: Sandbox, seed: int, names: Collection[str] = ()
) -> Iterator[str]:
    """A sentence for each right answer that does not pass under a seed.

    names: of the exercises to try; by default all.
    """
    try:
        grader = grader_of(chapter, str(seed), sandbox, names)
        for answers in _rounds(chapter, names or chapter.exercises):
            yield from _failing(grader, answers, seed)
    except CourseError as error:
        yield f"seed {seed}: {error}"


def _rounds(chapter: Chapter, names: Collection[str]) -> Iterator[dict[str, Answer]]:
    """Notebooks with one right answer to each exercise, until every answer has had its turn."""
    solved = reference(chapter)
    columns = [_answers(chapter.exercises[name], solved[name]) for name in names]
    for row in zip_longest(*columns):
        answers = zip(names, row, strict=True)
        yield {name: answer or ("the solution", solved[name]) for name, answer in answers}


def _answers(exercise: Exercise, solution: str) -> list[Answer]:
    others = [(what, source) for _, what, source in right_answers(exercise)]
    return [("the solution", solution), *others]


def _failing(grader: Grader, answers: dict[str, Answer], seed: int) -> Iterator[str]:
    cells = [Cell(cell.name, answers[cell.name][1]) if cell.name in answers else cell
             for cell in reference_cells(grader.chapter)]  # fmt: skip
    for name, verdict in grader.grade(cells).items():
        if name in answers and verdict.kind != Kind.PASSED:
            said = reason(grader.checks[name], verdict)
            yield f"seed {seed}: {name}: {answers[name][0]} does not pass: {said}"
