"""Prove the grader on its own course: it rejects and names what is wrong, accepts the rest."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from autograder.authoring import rules
from autograder.authoring.last_run import LastRun
from autograder.authoring.narrowed import grader_of
from autograder.chapters import case_slips
from autograder.chapters.cell_slips import ROLE
from autograder.chapters.source_notebook import broken
from autograder.common.cell import EXERCISE, SETUP, Cell
from autograder.diagnosis.diagnose import diagnose
from autograder.exercise.observation import Failure
from autograder.exercise.spec import Exercise, Misconception
from autograder.judging.checks import Checks
from autograder.judging.grader import Grader
from autograder.judging.shortfall import reason
from autograder.judging.verdict import Kind, Verdict
from autograder.notebooks.chapter import Chapter, location, reference_cells
from autograder.sandbox.sandbox import Sandbox

SEED = TEST = "selftest"
# What a name raises that is nowhere, or an argument, such as one with a slip of its author's in it.
SLIPS = re.compile(
    "NameError|UnboundLocalError|ImportError|ModuleNotFoundError"
    "|AttributeError: ('Tensor' object|module '.*') has no attribute"
    "|TypeError: .*(unexpected keyword|invalid combination of|required positional) argument"
)


@dataclass
class Report:
    """The result for one exercise's implementations. variants: with the answers that were accepted.

    `faults` is empty if all is well, and if the exercise keeps the rules of a finished chapter;
    each begins with its file and line.
    """

    exercise: str
    misconceptions: int
    variants: int
    rejected: int = 0
    named: int = 0
    accepted: int = 0
    reference: bool = False
    faults: list[str] = field(default_factory=list)


def selftest(
    chapter: Chapter,
    sandbox: Sandbox,
    names: Collection[str] = (),
    last_run: LastRun | None = None,
) -> Iterator[Report]:
    """Grade the reference, all misconceptions and all variants as submissions.

    names: of the exercises to test; by default all. last_run: where nothing has changed since all
    was as it should be, an exercise is not graded again.
    Raises CourseError where the cell with the imports fails: nothing would be right then.
    """
    case_slips.refuse(chapter)
    grader, asked = None, [*(names or chapter.exercises)]
    known = {name for name in asked if last_run and last_run.find(TEST, name)}
    for name in asked:
        exercise = chapter.exercises[name]
        if name in known:
            report = _flawless(exercise)
        else:
            grader = grader or _grader(chapter, sandbox, {*asked} - known)
            report = _graded_anew(grader, exercise)
            if last_run and not report.faults:
                last_run.keep(TEST, name, True)
        report.faults += rules.of_exercise(chapter, exercise)
        yield report


def _grader(chapter: Chapter, sandbox: Sandbox, names: Collection[str]) -> Grader:
    """Raises CourseError where the cell with the imports fails."""
    grader = grader_of(chapter, SEED, sandbox, names)
    _refuse_broken_setup(chapter, grader)
    return grader


def _flawless(exercise: Exercise) -> Report:
    """Return the report of an exercise in which everything is as it should be."""
    wrong, right = len(exercise.misconceptions), len(exercise.variants) + len(exercise.accepted)
    return Report(exercise.name, wrong, right, wrong, wrong, right, reference=True)


def _graded_anew(grader: Grader, exercise: Exercise) -> Report:
    cells = reference_cells(grader.chapter)
    own = grader.grade_one(cells, exercise.name)
    report = _report(grader, cells, exercise, own)
    if not report.reference:
        at = location(grader.chapter, EXERCISE, exercise.name)
        said = reason(grader.checks[exercise.name], own)
        report.faults.append(f"{at}: the solution does not pass: {said}")
        report.faults[:0] = _of_oracle(exercise, report)
    return report


def _refuse_broken_setup(chapter: Chapter, grader: Grader) -> None:
    setup = [cell for cell in reference_cells(chapter) if cell.name.startswith(SETUP)]
    for tree in grader.sandbox.run(setup, grader.calls, []).cells.values():
        if tree is not None:
            raise broken(location(chapter, ROLE, SETUP), Failure.from_tree(tree))


def _report(grader: Grader, cells: list[Cell], exercise: Exercise, own: Verdict) -> Report:
    right = len(exercise.variants) + len(exercise.accepted)
    report = Report(exercise.name, len(exercise.misconceptions), right)
    report.reference = own.kind == Kind.PASSED
    for wrong in exercise.misconceptions:
        source, at = wrong.source_as(exercise.name), wrong.place
        verdict = _graded(grader, cells, exercise, source)
        verdict = diagnose(grader.checks[exercise.name], verdict)
        if slip := _raised(grader.checks[exercise.name], wrong):
            report.faults.append(f"{at}: {slip}")
        report.rejected += verdict.kind != Kind.PASSED
        report.named += verdict.misconception == wrong.name
        if verdict.kind == Kind.PASSED:
            said = f"misconception {wrong.name} passes. Add a case that it gets wrong."
            report.faults.append(f"{at}: {said}")
        elif verdict.misconception != wrong.name:
            report.faults.append(f"{at}: {_mistaken(wrong.name, verdict.misconception)}")
    for at, what, source in right_answers(exercise):
        verdict = _graded(grader, cells, exercise, source)
        report.accepted += verdict.kind == Kind.PASSED
        if verdict.kind != Kind.PASSED:
            said = reason(grader.checks[exercise.name], verdict)
            report.faults.append(f"{at}: {what} does not pass: {said}")
    return report


def right_answers(exercise: Exercise) -> Iterator[tuple[str, str, str]]:
    """Yield for each variant and accepted answer where it is, what it is called, and its source."""
    for variant in exercise.variants:
        yield (variant.place, f"variant {variant.name}",
               variant.source_as(exercise.name))  # fmt: skip
    for answer in exercise.accepted:
        yield f"{answer.path}, line 1", f"the accepted answer {answer.name}", answer.source


def _mistaken(name: str, taken: str) -> str:
    if taken:
        return (
            f"misconception {name} is taken for {taken}. Add a case that tells them apart, or join "
            "them."
        )
    return f"misconception {name} is rejected, but not by its own hint."


def _raised(checks: Checks, wrong: Misconception) -> str:
    """Say what a mistake raises that is as likely the author's own slip, "" if nothing is.

    A hint that names such an exception says that learners do raise it.
    """
    for checked in checks.cases:
        failure = checked.wrong[wrong.name].failure
        said = failure and f"{failure.type}: {' '.join(failure.message.split())}".rstrip(": .")
        if failure and said and SLIPS.match(said) and failure.type not in wrong.hint:
            return (
                f"misconception {wrong.name} raises on the case {checked.case.name!r}: {said}. "
                f"Correct it; if learners do raise that, name {failure.type} in the hint."
            )
    return ""


def _of_oracle(exercise: Exercise, report: Report) -> list[str]:
    """Say that the oracle is likely at fault where all that should be right fails."""
    if report.accepted or not report.variants or exercise.right is None:
        return []
    at = exercise.right.place
    return [f"{at}: the solution and all variants differ from the oracle. Look at it first."]


def _graded(grader: Grader, cells: list[Cell], exercise: Exercise, source: str) -> Verdict:
    changed = [Cell(c.name, source) if c.name == exercise.name else c for c in cells]
    return grader.grade_one(changed, exercise.name)
