"""From observations to a verdict. Trusted: it alone knows what is right."""

from collections.abc import Sequence
from dataclasses import replace

from autograder.common.one_thread import one_thread
from autograder.exercise.observation import Failure, Observation
from autograder.exercise.spec import Case
from autograder.judging.checks import Checks
from autograder.judging.difference import Difference, DifferenceKind
from autograder.judging.partial_credit import CORE, earned, missed, points
from autograder.judging.problems import problem
from autograder.judging.verdict import NOT_WRITTEN, Evidence, Kind, Verdict, stopped

STUB = "NotImplementedError"
OUT_OF_MEMORY = (  # in the type or the text of an exception
    "MemoryError", "not enough memory", "can't allocate memory", "Cannot allocate memory",
    "OutOfMemoryError",
)  # fmt: skip
TOO_MUCH_MEMORY = "It asked for too much memory."


@one_thread()
def judge(checks: Checks, observations: Sequence[Observation], device: str = "cpu") -> Verdict:
    """Decide on the observations of all cases, which are in the order of `checks.cases`.

    What the mistake is called is not looked for here: see `diagnose`.
    """
    used = {name.lstrip("_") for seen in observations for name in seen.used}
    forbidden = [start for start in checks.forbids if any(n.startswith(start) for n in used)]
    if forbidden:
        sentence = f"This exercise is to be solved without {', '.join(forbidden)}."
        return stopped(checks, Kind.FORBIDDEN, sentence)
    pairs = list(zip(checks.cases, observations, strict=True))
    differences = [problem(checks, checked, seen, device) for checked, seen in pairs]
    told = zip(pairs, differences, strict=True)
    passed = tuple(checked.case.name for (checked, _), found in told if not found)
    failing = [(index, found, missed(checks, *pairs[index], device))
               for index, found in enumerate(differences) if found]  # fmt: skip
    lost = {name for *_, names in failing for name in names}
    if not failing:
        return _marked(stopped(checks, Kind.PASSED, "Every case passed."), checks, lost, passed)
    shown, difference, _ = min(failing, key=_report_order)
    verdict = _failed(checks, pairs[shown][0].case, difference, CORE in lost)
    verdict = _marked(verdict, checks, lost, passed)
    if verdict.kind == Kind.MISSING:
        return verdict
    return replace(verdict, evidence=Evidence(tuple(observations), tuple(differences), shown))


def _marked(verdict: Verdict, checks: Checks, lost: set[str], passed: tuple[str, ...]) -> Verdict:
    groups = earned(checks, lost)
    return replace(verdict, points=points(checks, lost), groups=groups, passed=passed)


def _report_order(failing: tuple[int, Difference, set[str]]) -> tuple[bool, bool]:
    """Put first what costs the core, without which nothing else counts; put devices last.

    That a tensor was made on the CPU says nothing about the numbers in other cases.
    """
    _, difference, groups = failing
    return CORE not in groups, difference.kind == DifferenceKind.DEVICE


def _failed(checks: Checks, case: Case, difference: Difference, core: bool) -> Verdict:
    """core: it is not only of groups, for which an answer may leave out a part."""
    failure = difference.failure
    if failure and failure.type == STUB:
        if core and _is_of_stub(failure):
            return stopped(checks, Kind.MISSING, NOT_WRITTEN)
        if failure.within:
            sentence = f"It calls {failure.within}, which is not written yet."
            difference = replace(difference, sentence=sentence)
    if not case.public:
        difference = Difference(difference.kind, "", difference.secret_sentence())
    kind = Kind.RAISED if difference.kind == DifferenceKind.RAISED else Kind.WRONG
    verdict = stopped(checks, kind, difference.sentence)
    if failure and _is_of_memory(failure):
        verdict = stopped(checks, Kind.MEMORY, TOO_MUCH_MEMORY)
    return replace(verdict, case=case.name, public=case.public, difference=difference)


def _is_of_stub(failure: Failure) -> bool:
    """Whether nothing was written: the stub's own line raised, or a cell that is not there."""
    return not failure.within and (not failure.line or failure.source.startswith("raise"))


def _is_of_memory(failure: Failure) -> bool:
    said = f"{failure.type} {failure.message}"
    return any(sign in said for sign in OUT_OF_MEMORY)
