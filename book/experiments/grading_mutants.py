"""What the grader lets through: right code with one mistake in it, made by machine and graded.

    python book/experiments/grading_mutants.py [CHAPTER…]

Every solution and every correct variant is changed in one place at a time and graded as a
submission, as `attn selftest --mutants` does. What passes changes nothing, or is explained, or is
listed. Chapters are graded side by side, one on each core; what the last self-test found stands
while nothing that decides it changes. Without a name those exercises are graded that the record
lacks or that changed since, and where there are none, all. The others are those of the record.
"""

import sys
from collections.abc import Collection
from concurrent.futures import ProcessPoolExecutor

import measurements
from measurements import Numbers, Series, number, run_and_save
from outdated import MADE_OF, Names, count_as_whole, files_of, made_of, outdated
from verdicts import Claim

from autograder.authoring.last_run import LastRun
from autograder.authoring.mutation import of_exercise, scores
from autograder.chapters.solutions import chapter_names, load
from autograder.common.files import REPOSITORY
from autograder.notebooks.chapter import Chapter
from autograder.sandbox.sandbox import Sandbox

CLAIMS: list[Claim] = []
Counts = dict[str, list[int]]  # by exercise: mutants, rejected, explained


def of_chapter(name: str, exercises: Collection[str]) -> Counts:
    """What became of the mutants of some of its exercises."""
    chapter, found = load(REPOSITORY, name), {}
    with Sandbox() as sandbox:
        for score in scores(chapter, sandbox, exercises, LastRun(chapter, confined=True)):
            exercise, mutants = score.outcome.exercise, score.outcome.mutants
            found[exercise] = [mutants, score.rejected, score.explained]
            print(f"{name} {exercise}: {mutants} mutants", flush=True)
    return found


def measure() -> tuple[Numbers, Series]:
    """Sums over all exercises, and three numbers for each: mutants, rejected, explained."""
    chapters = {name: load(REPOSITORY, name) for name in chapter_names(REPOSITORY)}
    record = measurements.load("grading_mutants")
    table: dict[str, Counts] = record["series"]["exercises"]
    today = files_of(chapters.values())
    again: Names = {name: today[name] for name in sys.argv[1:]}
    again = again or outdated(today, record, lambda name, exercise: _lacks(
        table.get(name, {}).get(exercise), chapters[name], exercise))  # fmt: skip
    with ProcessPoolExecutor() as pool:
        for name, found in zip(again, pool.map(of_chapter, again, again.values()), strict=True):
            known = table.get(name, {}) | found
            table[name] = {exercise: known[exercise] for exercise in today[name]}
    if again != today:
        count_as_whole(record)
    every = [counts for name in chapters for counts in table[name].values()]
    mutants, rejected, explained = (sum(column) for column in zip(*every, strict=True))
    numbers = {
        "exercises": number(len(every), "d"),
        "mutants": number(mutants, ",d"),
        "rejected": number(rejected, ",d"),
        "explained": number(explained, ",d"),
        "unexplained": number(mutants - rejected - explained, "d"),
        "score": number(rejected / (mutants - explained), ".1%"),
    }
    counts = {name: table[name] for name in chapters}
    return numbers, {"exercises": counts, MADE_OF: made_of(today, record, again)}


def _lacks(counts: list[int] | None, chapter: Chapter, exercise: str) -> bool:
    """Whether its mutants were not counted, or there are others now, or some lack a reason."""
    mutants, rejected, explained = counts or [-1, 0, 0]
    made = sum(1 for _ in of_exercise(chapter, chapter.exercises[exercise]))
    return mutants != made or rejected + explained < mutants


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, [0])
