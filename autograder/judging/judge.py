"""From observations to a verdict. Trusted: it alone knows what is right."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from autograder.calls.observation import Failure, Observation
from autograder.calls.properties import CostAtMost, Drawn, Property, SumsTo, aligned
from autograder.calls.rounding import mismatches
from autograder.calls.spec import Case
from autograder.calls.tensors import is_float, leaves
from autograder.judging.checks import CheckedCase, Checks
from autograder.judging.compare import Difference, first_difference
from autograder.judging.one_thread import one_thread
from autograder.judging.verdict import NOT_WRITTEN, Kind, Verdict, stopped

# Kinds of difference behind which the numbers can still be compared.
FINE = ("values", "device", "inputs", "gradient", "no-gradient")
# What is told of a secret case, by kind of difference. A submission knows the inputs of such a case
# and must not tell them on: nothing here is of its choosing, no shape, no count, no exception. The
# only name is that of an output or an input, as the exercise calls it.
SECRET = {
    "raised": "The call raised an exception.",
    "type": "The type of {0} is wrong.",
    "shape": "The shape of {0} is wrong.",
    "dtype": "The dtype of {0} is wrong.",
    "device": "A tensor is not on the device of the inputs.",
    "values": "The shape is right, but {0} is not.",
    "inputs": "The call changed the caller's inputs.",
    "gradient": "A gradient is wrong.",
    "no-gradient": "No gradient reaches {0}.",
}
STUB = "NotImplementedError"
OUT_OF_MEMORY = (  # in the type or the text of an exception
    "MemoryError", "not enough memory", "can't allocate memory", "Cannot allocate memory",
    "OutOfMemoryError",
)  # fmt: skip
TOO_MUCH_MEMORY = "It asked for too much memory."
Pair = tuple[CheckedCase, Observation]


@one_thread()
def judge(checks: Checks, observations: Sequence[Observation], device: str = "cpu") -> Verdict:
    """The verdict on the observations of all cases, in the order of `checks.cases`."""
    used = {name.lstrip("_") for seen in observations for name in seen.used}
    forbidden = [start for start in checks.forbids if any(n.startswith(start) for n in used)]
    if forbidden:
        sentence = f"This exercise is to be solved without {', '.join(forbidden)}."
        return stopped(checks, Kind.FORBIDDEN, sentence)
    pairs = list(zip(checks.cases, observations, strict=True))
    differences = [_problem(checks, checked, seen, device) for checked, seen in pairs]
    told = list(zip(pairs, differences, strict=True))
    passed = tuple(checked.case.name for (checked, _), difference in told if difference is None)
    failing = [(pair, difference) for pair, difference in told if difference]
    if not failing:
        verdict = stopped(checks, Kind.PASSED, "Every case passed.")
        return replace(verdict, points=checks.points, passed=passed)
    first, difference = min(failing, key=lambda part: _is_of_device(part[1]))
    verdict = replace(_failed(checks, first[0].case, difference), passed=passed)
    if verdict.kind == Kind.MISSING:
        return verdict
    name = _misconception(checks, pairs, first, anywhere=not _is_of_device(difference))
    return replace(verdict, misconception=name, hint=checks.hints.get(name, ""))


def _is_of_device(difference: Difference) -> bool:
    """A tensor made on the CPU is told last: it says nothing about the numbers in other cases."""
    return difference.kind == "device"


def _failed(checks: Checks, case: Case, difference: Difference) -> Verdict:
    failure = difference.failure
    if failure and _is_of_stub(failure):
        return stopped(checks, Kind.MISSING, NOT_WRITTEN)
    if not case.public:
        difference = Difference(difference.kind, "", _untold(difference))
    kind = Kind.RAISED if difference.kind == "raised" else Kind.WRONG
    verdict = stopped(checks, kind, difference.sentence)
    if failure and _is_of_memory(failure):
        verdict = stopped(checks, Kind.MEMORY, TOO_MUCH_MEMORY)
    return replace(verdict, case=case.name, public=case.public, difference=difference)


def _is_of_stub(failure: Failure) -> bool:
    """Whether nothing was written: the stub's own line raised, or a cell that is not there."""
    return failure.type == STUB and (not failure.line or failure.source.startswith("raise"))


def _is_of_memory(failure: Failure) -> bool:
    said = f"{failure.type} {failure.message}"
    return any(sign in said for sign in OUT_OF_MEMORY)


def _untold(difference: Difference) -> str:
    """What is told of a difference in a secret case. The rule of a property is told as it is."""
    if difference.kind not in SECRET:
        return difference.sentence
    return SECRET[difference.kind].format(difference.what or "the result")


def _problem(
    checks: Checks, checked: CheckedCase, seen: Observation, device: str
) -> Difference | None:
    """What is wrong with one observation, None if nothing is."""
    case, expected = checked.case, aligned(checks.properties, checked.expected, seen)
    if device != "cpu" and _placed(case):
        expected = replace(expected, devices=[device] * len(expected.devices))
    changed = [name for name in case.inputs if name in seen.changed]  # names are claimed, too
    seen = replace(seen, changed=changed)
    difference = first_difference(expected, seen, checks.returns, case.reduction)
    if difference and difference.kind not in FINE:
        return difference
    for relation in checks.properties:
        violation = relation.violation(checked.expected, seen)
        if violation:
            shown = _violated(checks, relation, checked, seen) or difference
            shown = shown or Difference("property", "", violation)
            sentence = violation if case.public else relation.rule()
            return replace(shown, kind="property", sentence=sentence)
    return difference


def _placed(case: Case) -> bool:
    """Whether the inputs say which device the result belongs on."""
    return bool(leaves(list(case.inputs.values())) or case.state)


def _violated(
    checks: Checks, relation: Property, checked: CheckedCase, seen: Observation
) -> Difference | None:
    """The numbers of the output that a property is about, so that they can be shown."""
    if not isinstance(relation, SumsTo):
        return None
    index = relation.output
    right, given = leaves(checked.expected.output)[index], leaves(seen.output)[index]
    wrong = mismatches(right, given, checked.case.reduction)
    at = tuple(int(i) for i in wrong.nonzero()[0]) if wrong.any() else ()
    return Difference("property", checks.returns[index], "", at, right, given)


def _misconception(checks: Checks, pairs: list[Pair], first: Pair, anywhere: bool) -> str:
    """The misconception whose observations these are, or "".

    Floating numbers do not agree by chance: agreeing where the first case fails is enough, and
    the one that agrees most often is named. A boolean does, so every case must agree.
    anywhere: on whatever device, since numbers that are wrong are so on every one.
    """
    agreement = {
        name: [_alike(checks, pair, name, anywhere) for pair in pairs]
        for name in checks.hints if _alike(checks, first, name, anywhere)
    }  # fmt: skip
    if not _has_floats(first[1].output):
        agreement = {name: alike for name, alike in agreement.items() if all(alike)}
    return max(agreement, key=lambda name: sum(agreement[name]), default="")


def _has_floats(output: Any) -> bool:
    return isinstance(output, float) or any(map(is_float, leaves(output)))


def _alike(checks: Checks, pair: Pair, misconception: str, anywhere: bool) -> bool:
    """Whether an observation is that of a misconception; `anywhere`: on whatever device it ran."""
    checked, seen = pair
    wrong, terms = checked.wrong[misconception], checked.case.reduction
    placed = replace(seen, devices=wrong.devices, clash=wrong.clash if anywhere else seen.clash)
    meant = aligned(checks.properties, wrong, placed)
    if first_difference(meant, placed, checks.returns, terms):
        return False
    draws = [relation for relation in checks.properties if isinstance(relation, Drawn)]
    back = aligned(draws, placed, wrong)  # a draw of few values is among those of many
    if draws and first_difference(back, wrong, checks.returns, terms):
        return False
    return all(
        _violated_alike(relation, checked.expected, wrong, seen) for relation in checks.properties
    )


def _violated_alike(
    relation: Property, right: Observation, wrong: Observation, seen: Observation
) -> bool:
    """Whether two observations violate in the same way what comparing outputs does not show."""
    match relation:
        case Drawn():
            return relation.violation(right, wrong) == relation.violation(right, seen)
        case CostAtMost():  # with other numbers, perhaps
            return bool(relation.violation(right, wrong)) == bool(relation.violation(right, seen))
    return True
