"""What the grader lets through: right code with one mistake in it, made by machine and graded.

    python book/experiments/grading_mutants.py

Every solution and every correct variant is changed in one place at a time and graded as a
submission, as `attn selftest --mutants` does. What passes is explained, or is listed. Chapters are
graded side by side, one on each core.
"""

from concurrent.futures import ProcessPoolExecutor

from measurements import Claim, Numbers, Series, number, run_and_save

from autograder.calls.files import REPOSITORY
from autograder.course.mutation import Score, scores
from autograder.course.solutions import chapter_names, load
from autograder.sandbox.sandbox import Sandbox

CLAIMS: list[Claim] = []


def of_chapter(name: str) -> dict[str, Score]:
    """The score of each exercise."""
    with Sandbox() as sandbox:
        return {score.exercise: score for score in scores(load(REPOSITORY, name), sandbox)}


def measure() -> tuple[Numbers, Series]:
    """Sums over all exercises, and three numbers for each: mutants, rejected, explained."""
    names = chapter_names(REPOSITORY)
    with ProcessPoolExecutor() as pool:
        found = dict(zip(names, pool.map(of_chapter, names), strict=True))
    every = [score for chapter in found.values() for score in chapter.values()]
    mutants, rejected = sum(s.mutants for s in every), sum(s.rejected for s in every)
    explained = sum(s.explained for s in every)
    numbers = {
        "exercises": number(len(every), "d"),
        "mutants": number(mutants, ",d"),
        "rejected": number(rejected, ",d"),
        "explained": number(explained, ",d"),
        "unexplained": number(mutants - rejected - explained, "d"),
        "score": number(rejected / (mutants - explained), ".1%"),
    }
    table = {
        chapter: {name: [s.mutants, s.rejected, s.explained] for name, s in scored.items()}
        for chapter, scored in found.items()
    }
    return numbers, {"exercises": table}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, [0])
