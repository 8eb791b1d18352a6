"""From observations to a verdict. Trusted: it alone knows what is right."""

from collections.abc import Sequence
from dataclasses import replace

from autograder.exercise.case import Case, Property
from autograder.exercise.observation import Failure, Observation
from autograder.exercise.properties import Drawn, SumsTo, aligned
from autograder.exercise.rounding import mismatches
from autograder.exercise.tensors import leaves, one_thread
from autograder.exercise.witness import Witness
from autograder.judging.checks import CheckedCase, Checks
from autograder.judging.compare import first_difference
from autograder.judging.difference import Difference, DifferenceKind
from autograder.judging.verdict import NOT_WRITTEN, Evidence, Kind, Verdict, stopped

STUB = "NotImplementedError"
OUT_OF_MEMORY = (  # in the type or the text of an exception
    "MemoryError",
    "not enough memory",
    "can't allocate memory",
    "Cannot allocate memory",
    "OutOfMemoryError",
)
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
    failing = [
        (index, found, missed(checks, *pairs[index], device))
        for index, found in enumerate(differences)
        if found
    ]
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
    """Tell whether nothing was written: the stub's own line raised, or a cell that is not there."""
    return not failure.within and (not failure.line or failure.source.startswith("raise"))


def _is_of_memory(failure: Failure) -> bool:
    said = f"{failure.type} {failure.message}"
    return any(sign in said for sign in OUT_OF_MEMORY)


CORE = ""  # in the place of a group's name: all that is in no group


def missed(checks: Checks, checked: CheckedCase, seen: Observation, device: str) -> set[str]:
    """Return the groups that one case which fails costs; CORE is among them where it is in none.

    A property is looked at only where nothing else is wrong.
    """
    if not checks.groups:
        return {CORE}
    grouped = {relation for group in checks.groups for relation in group.properties}
    ungrouped = tuple(relation for relation in checks.properties if relation not in grouped)
    if problem(checks, checked, seen, device, ungrouped):
        name = checked.case.name
        return {next((group.name for group in checks.groups if name in group.cases), CORE)}
    return {
        group.name
        for group in checks.groups
        if problem(checks, checked, seen, device, group.properties)
    }


def earned(checks: Checks, lost: set[str]) -> dict[str, tuple[int, int]]:
    """Return by group the points that it earned, none without the core, and those that it can."""
    return {
        group.name: (0 if {CORE, group.name} & lost else group.points, group.points)
        for group in checks.groups
    }


def points(checks: Checks, lost: set[str]) -> int:
    """Return the points of the whole exercise."""
    if CORE in lost:
        return 0
    return checks.points - sum(most - given for given, most in earned(checks, lost).values())


def problem(
    checks: Checks,
    checked: CheckedCase,
    seen: Observation,
    device: str,
    relations: tuple[Property, ...] | None = None,
) -> Difference | None:
    """Return the first thing wrong with one observation, None if nothing is.

    relations: the properties that count; None for all.
    """
    case = checked.case
    expected = aligned(checks.properties, checked.expected, seen, case)
    if device != "cpu" and _placed(case):
        expected = replace(expected, devices=[device] * len(expected.devices))
    changed = [name for name in case.inputs if name in seen.changed]  # names are claimed, too
    seen = replace(seen, changed=changed)
    difference = first_difference(expected, seen, checks.returns, case.exactness)
    if difference and not difference.kind.numbers_comparable:
        return difference
    for relation in checks.properties if relations is None else relations:
        violation = relation.violation(checked.expected, seen, case)
        if violation:
            shown = _violated(checks, relation, checked, seen)
            shown = shown or (None if isinstance(relation, Drawn) else difference)
            shown = shown or Difference(DifferenceKind.PROPERTY, "", violation)
            sentence = violation if case.public else relation.rule()
            free = isinstance(relation, Witness)
            kind = DifferenceKind.WITNESS if free else DifferenceKind.PROPERTY
            return replace(shown, kind=kind, sentence=sentence)
    return difference and _undrawn(checks, checked, expected, difference)


def _undrawn(
    checks: Checks, checked: CheckedCase, expected: Observation, difference: Difference
) -> Difference:
    """Say of what is drawn how many entries are wrong: none has a right value to show."""
    for relation in checks.properties:
        if isinstance(relation, Drawn) and relation.is_free(
            checked.expected, expected, difference.expected
        ):
            wrong = mismatches(difference.expected, difference.actual, checked.case.exactness)
            share = f"{int(wrong.sum())} of {wrong.numel()} entries of {difference.what}"
            sentence = f"{share} are none of the values that can be drawn."
            return replace(difference, sentence=sentence, at=(), expected=None, actual=None)
    return difference


def _placed(case: Case) -> bool:
    """Tell whether the inputs say which device the result belongs on."""
    return bool(leaves(list(case.inputs.values())) or case.state)


def _violated(
    checks: Checks, relation: Property, checked: CheckedCase, seen: Observation
) -> Difference | None:
    """Return the numbers of the output that a property is about, so that they can be shown."""
    if not isinstance(relation, SumsTo):
        return None
    index = relation.output
    right, given = leaves(checked.expected.output)[index], leaves(seen.output)[index]
    wrong = mismatches(right, given, checked.case.exactness)
    at = tuple(int(i) for i in wrong.nonzero()[0]) if wrong.any() else ()
    return Difference(DifferenceKind.PROPERTY, checks.returns[index], "", at, right, given)
