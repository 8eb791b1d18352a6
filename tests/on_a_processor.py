"""Try the release, the messages and what passes with the kernels that torch chooses here.

    python tests/on_a_processor.py CHAPTER SEED

Prints JSON. `drift`: how the chapter's checks differ from the committed ones beyond rounding, "" if
they do not. `told`: for each known answer, the verdict from the committed observations
and the verdict from those made here. `faults`: a sentence for each reference and each variant that
fails with the cases of the secret seed.
"""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace

import torch
from diagnosed import diagnosed

from autograder.chapters.drift import drift
from autograder.chapters.solutions import load
from autograder.common.files import CHECKS, REPOSITORY
from autograder.exercise import wire
from autograder.exercise.observation import Observation
from autograder.exercise.spec import Exercise, Implementation
from autograder.exercise.stateful import Generator
from autograder.judging import checks_file
from autograder.judging.checks import Checks, Mistaken, build
from autograder.judging.grader import Grader
from autograder.judging.verdict import Kind, Verdict
from autograder.learner.public_cases import try_public
from autograder.notebooks.chapter import Chapter
from autograder.sandbox.sandbox import Sandbox


def released(chapter: Chapter) -> dict[str, Checks]:
    return checks_file.load(REPOSITORY / "exercises" / chapter.name / CHECKS)


def tried(exercise: Exercise, known: Checks) -> Checks:
    """The committed checks, with what the misconceptions do here with their cases.

    What meets a tensor on the CPU is no matter of kernels, and stays as it was committed. Where a
    case draws, `placed` is kept: then the call is also made again with the same generator.
    """
    targets = {wrong.name: wrong.target for wrong in exercise.misconceptions}
    cases = []
    for checked in known.cases:
        draws = any(isinstance(value, Generator) for value in checked.case.inputs.values())
        seen = Mistaken(replace(checked.case, placed=checked.case.placed and draws), targets)
        wrong = {name: replace(one, clash=checked.wrong.get(name, one).clash)
                 for name, one in seen.items()}  # fmt: skip
        cases.append(replace(checked, wrong=wrong))
    return replace(known, cases=cases)


def moved(chapter: Chapter, here: dict[str, Checks]) -> str:
    """What a release would change here: cases and expected outputs are those that it would make."""
    known, fresh = released(chapter), []
    for name, exercise in chapter.exercises.items():
        made = build(exercise)
        pairs = zip(made.cases, here[name].cases, strict=True)
        fresh.append(replace(made, cases=[replace(one, wrong=on.wrong) for one, on in pairs]))
    return drift([*known.values()], fresh)


def told(chapter: Chapter, here: dict[str, Checks]) -> Iterator[tuple[str, list[str], list[str]]]:
    """The name of each known answer, the verdict that is expected, and the verdict given here.

    A misconception should get the verdict that its committed observations get; it is left out
    where the observations are the same to the bit, since then the verdict cannot differ. A variant
    should pass; it is left out if it calls another exercise, which only a notebook has.
    """
    for name, known in released(chapter).items():
        for wrong in known.hints:
            before, now = ([c.wrong[wrong] for c in of.cases] for of in (known, here[name]))
            if any(bits(one) != bits(other) for one, other in zip(before, now, strict=True)):
                yield f"{name} {wrong}", said(diagnosed(known, before)), said(diagnosed(known, now))
        for variant in alone(chapter, name):
            passes = [Kind.PASSED, "", ""]
            yield f"{name} {variant.name}", passes, said(try_public(known, variant.target))


def alone(chapter: Chapter, name: str) -> list[Implementation]:
    """The variants of an exercise that call no other: only a notebook has several."""
    others = chapter.exercises.keys() - {name}
    variants = chapter.exercises[name].variants
    return [v for v in variants if not others & {*re.findall(r"\w+", v.source_as(name))}]


def bits(seen: Observation) -> bytes:
    return wire.pack(seen.to_tree())


def said(verdict: Verdict) -> list[str]:
    return [verdict.kind, verdict.misconception, verdict.case]


def faults(chapter: Chapter, grader: Grader) -> Iterator[str]:
    """Why what is right would not pass with the grader's secret cases."""
    if fault := grader.fault():
        yield fault
    for name, known in grader.checks.items():
        for variant in alone(chapter, name):
            verdict = try_public(known, variant.target)
            if verdict.kind != Kind.PASSED:
                yield f"{name} {variant.name}: {verdict.kind} with case {verdict.case}"


def main() -> None:
    name, seed = sys.argv[1:]
    chapter = load(REPOSITORY, name)
    known = released(chapter)
    here = {name: tried(one, known[name]) for name, one in chapter.exercises.items()}
    kernels = torch.backends.cpu.get_cpu_capability()
    found = {"kernels": kernels, "told": [*told(chapter, here)], "drift": moved(chapter, here)}
    with Sandbox() as sandbox:
        found["faults"] = [*faults(chapter, Grader(chapter, seed, sandbox))]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
