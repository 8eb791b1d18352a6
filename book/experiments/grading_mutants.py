"""What the grader lets through: right code with one mistake in it, made by machine and graded.

    python book/experiments/grading_mutants.py

Every solution and every correct variant is changed in one place at a time and graded as a
submission, as `attn selftest --mutants` does. What passes is explained, or is listed. Chapters are
graded side by side, one on each core. What became of an exercise's mutants is kept in build/mutants
until the chapter, the engine or the slips change, so a run that was stopped goes on where it was.
"""

import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path

from measurements import Claim, Numbers, Series, number, run_and_save

from autograder.calls.files import PACKAGE, REPOSITORY
from autograder.course.course import Course
from autograder.course.mutation import Outcome, Score, explained, explanations, outcomes
from autograder.course.solutions import chapter_names, load
from autograder.grading import provenance
from autograder.notebooks.chapter import Chapter
from autograder.sandbox.sandbox import Sandbox

CLAIMS: list[Claim] = []
KEPT = REPOSITORY / "build" / "mutants"
SLIPS = [PACKAGE / "course" / name for name in ("mutants.py", "mutation.py", "operators.py")]


def of_chapter(name: str) -> dict[str, Score]:
    """The score of each exercise."""
    chapter = load(REPOSITORY, name)
    known, by_exercise = explanations(chapter), {one.exercise: one for one in found(chapter)}
    return {name: explained(by_exercise[name], known.get(name, {})) for name in chapter.exercises}


def found(chapter: Chapter) -> Iterator[Outcome]:
    """First what an earlier run has kept, then the others, each kept as soon as it is known."""
    folder = KEPT / chapter.name / _digest(chapter.name)
    folder.mkdir(parents=True, exist_ok=True)
    earlier = [Outcome(**json.loads(file.read_text())) for file in folder.glob("*.json")]
    yield from earlier
    if len(earlier) == len(chapter.exercises):
        return
    with Sandbox() as sandbox:
        for outcome in outcomes(chapter, sandbox, [one.exercise for one in earlier]):
            _keep(outcome, folder)
            yield outcome


def _digest(name: str) -> str:
    """Of all that an outcome depends on."""
    slips = [path.read_bytes() for path in SLIPS]
    chapter = provenance.sources(Course(REPOSITORY), name)["chapter"]
    return provenance.fingerprint(provenance.engine().encode(), chapter.encode(), *slips)[:16]


def _keep(outcome: Outcome, folder: Path) -> None:
    """All at once: a run that is killed leaves no half of a file."""
    half = folder / f"{outcome.exercise}.half"
    half.write_text(json.dumps(asdict(outcome), ensure_ascii=False), encoding="utf-8")
    half.replace(half.with_suffix(".json"))
    print(f"{folder.parent.name} {outcome.exercise}: {outcome.mutants} mutants", flush=True)


def measure() -> tuple[Numbers, Series]:
    """Sums over all exercises, and three numbers for each: mutants, rejected, explained."""
    names = chapter_names(REPOSITORY)
    with ProcessPoolExecutor() as pool:
        by_chapter = dict(zip(names, pool.map(of_chapter, names), strict=True))
    every = [score for chapter in by_chapter.values() for score in chapter.values()]
    mutants, rejected = sum(s.outcome.mutants for s in every), sum(s.rejected for s in every)
    no_mistakes = sum(s.explained for s in every)
    numbers = {
        "exercises": number(len(every), "d"),
        "mutants": number(mutants, ",d"),
        "rejected": number(rejected, ",d"),
        "explained": number(no_mistakes, ",d"),
        "unexplained": number(mutants - rejected - no_mistakes, "d"),
        "score": number(rejected / (mutants - no_mistakes), ".1%"),
    }
    table = {
        chapter: {name: [s.outcome.mutants, s.rejected, s.explained] for name, s in scored.items()}
        for chapter, scored in by_chapter.items()
    }
    return numbers, {"exercises": table}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, [0])
