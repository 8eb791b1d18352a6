"""What the grader lets through: right code with one mistake in it, made by machine and graded.

    python book/experiments/grading_mutants.py [CHAPTER…]

Every solution and every correct variant is changed in one place at a time and graded as a
submission, as `attn selftest --mutants` does. What passes is explained, or is listed. Chapters are
graded side by side, one on each core; what the last self-test found stands while nothing that
decides it changes. Where chapters are named, the others are those of the record that pages quote.
"""

import sys
from concurrent.futures import ProcessPoolExecutor

import measurements
from measurements import Claim, Numbers, Series, number, run_and_save

from autograder.authoring.last_run import LastRun
from autograder.authoring.mutation import scores
from autograder.chapters.solutions import chapter_names, load
from autograder.common.files import REPOSITORY
from autograder.sandbox.sandbox import Sandbox

CLAIMS: list[Claim] = []
Counts = dict[str, list[int]]  # by exercise: mutants, rejected, explained


def of_chapter(name: str) -> Counts:
    """What became of the mutants of each of its exercises."""
    chapter, found = load(REPOSITORY, name), {}
    with Sandbox() as sandbox:
        for score in scores(chapter, sandbox, last_run=LastRun(chapter, confined=True)):
            exercise, mutants = score.outcome.exercise, score.outcome.mutants
            found[exercise] = [mutants, score.rejected, score.explained]
            print(f"{name} {exercise}: {mutants} mutants", flush=True)
    return found


def measure() -> tuple[Numbers, Series]:
    """Sums over all exercises, and three numbers for each: mutants, rejected, explained."""
    names = chapter_names(REPOSITORY)
    again = sys.argv[1:] or names
    table: dict[str, Counts] = measurements.load("grading_mutants")["series"]["exercises"]
    with ProcessPoolExecutor() as pool:
        table.update(zip(again, pool.map(of_chapter, again), strict=True))
    every = [counts for name in names for counts in table[name].values()]
    mutants, rejected, explained = (sum(column) for column in zip(*every, strict=True))
    numbers = {
        "exercises": number(len(every), "d"),
        "mutants": number(mutants, ",d"),
        "rejected": number(rejected, ",d"),
        "explained": number(explained, ",d"),
        "unexplained": number(mutants - rejected - explained, "d"),
        "score": number(rejected / (mutants - explained), ".1%"),
    }
    return numbers, {"exercises": {name: table[name] for name in names}}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, [0])
