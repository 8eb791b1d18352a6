"""What a learner is told and which references pass, with the kernels that torch chooses here.

    python tests/on_a_processor.py [--right] SEED…

Prints JSON: of the committed checks, the verdict on each misconception and variant, with as many
threads as a notebook has; and a sentence for each secret seed with which a reference fails. With
--right, also for each exercise whose reference or variants the self-test's secret cases refuse.
"""

import json
import sys
from collections.abc import Iterator

import torch

from autograder.calls.files import CHECKS, REPOSITORY
from autograder.course.selftest import selftest
from autograder.course.solutions import chapter_names, load
from autograder.judging import checks_file
from autograder.judging.grader import Grader
from autograder.learner.public_cases import try_public
from autograder.notebooks.chapter import Chapter
from autograder.sandbox.sandbox import Sandbox


def told(chapter: Chapter) -> dict[str, list[str]]:
    """The verdict, misconception and first case of each known answer, by exercise and name."""
    released = checks_file.load(REPOSITORY / "exercises" / chapter.name / CHECKS)
    found = {}
    for name, exercise in chapter.exercises.items():
        for item in (*exercise.variants, *exercise.misconceptions):
            verdict = try_public(released[name], item.target)
            found[f"{name} {item.name}"] = [verdict.kind, verdict.misconception, verdict.case]
    return found


def faults(chapter: Chapter, seeds: list[str], sandbox: Sandbox) -> Iterator[str]:
    """Why the chapter could not be graded with a seed, for each seed with which it could not."""
    for exercise in chapter.exercises.values():
        exercise.misconceptions.clear()  # the reference alone is asked for
    for seed in seeds:
        if fault := Grader(chapter, seed, sandbox).fault():
            yield f"{chapter.name}, seed {seed}: {fault}"


def refused(chapter: Chapter, sandbox: Sandbox) -> Iterator[str]:
    """Why what is right would not pass; the misconceptions of the chapter are gone by now."""
    for report in selftest(chapter, sandbox):
        if not report.reference or report.accepted < report.variants:
            yield from report.faults


def main() -> None:
    right, seeds = "--right" in sys.argv, [word for word in sys.argv[1:] if word != "--right"]
    chapters = [load(REPOSITORY, name) for name in chapter_names(REPOSITORY)]
    verdicts = {key: told_ for chapter in chapters for key, told_ in told(chapter).items()}
    with Sandbox() as sandbox:
        failing = [line for chapter in chapters for line in faults(chapter, seeds, sandbox)]
        if right:
            failing += [line for chapter in chapters for line in refused(chapter, sandbox)]
    kernels = torch.backends.cpu.get_cpu_capability()
    print(json.dumps({"kernels": kernels, "told": verdicts, "faults": failing}))


if __name__ == "__main__":
    main()
