"""From observations to a verdict. Trusted: it alone knows what is right."""

from collections.abc import Sequence
from dataclasses import replace

from autograder.calls.observation import Observation
from autograder.calls.properties import CostAtMost, Drawn, Property, SumsTo, aligned, leaves
from autograder.calls.rounding import mismatches
from autograder.calls.spec import Case
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


@one_thread()
def judge(checks: Checks, observations: Sequence[Observation], device: str = "cpu") -> Verdict:
    """The verdict on the observations of all cases, in the order of `checks.cases`."""
    used = {name.lstrip("_") for seen in observations for name in seen.used}
    forbidden = [start for start in checks.forbids if any(n.startswith(start) for n in used)]
    if forbidden:
        sentence = f"This exercise is to be solved without {', '.join(forbidden)}."
        return stopped(checks, Kind.FORBIDDEN, sentence)
    pairs = list(zip(checks.cases, observations, strict=True))
    found = [_problem(checks, item, seen, device) for item, seen in pairs]
    passed = tuple(item.case.name for (item, _), d in zip(pairs, found, strict=True) if d is None)
    wrong = [index for index, difference in enumerate(found) if difference]
    first = min(wrong, key=lambda index: _rank(found[index]), default=None)
    if first is None:
        verdict = stopped(checks, Kind.PASSED, "Every case passed.")
        return replace(verdict, points=checks.points, passed=passed)
    difference = found[first]
    assert difference is not None
    verdict = replace(_failed(checks, pairs[first][0], difference), passed=passed)
    if verdict.kind == Kind.MISSING:
        return verdict
    name = _misconception(checks, pairs, first, _rank(difference))
    return replace(verdict, misconception=name, hint=checks.hints.get(name, ""))


def _rank(difference: Difference | None) -> bool:
    """A tensor made on the CPU is told last: it says nothing about the numbers in other cases."""
    return difference is not None and difference.kind == "device"


def _failed(checks: Checks, item: CheckedCase, difference: Difference) -> Verdict:
    failure, public = difference.failure, item.case.public
    if (
        failure
        and failure.type == STUB
        and (not failure.line or failure.source.startswith("raise"))
    ):
        return stopped(checks, Kind.MISSING, NOT_WRITTEN)
    exhausted = failure and any(
        sign in f"{failure.type} {failure.message}" for sign in OUT_OF_MEMORY
    )
    kind = Kind.RAISED if difference.kind == "raised" else Kind.WRONG
    if not public:
        difference = Difference(difference.kind, "", _untold(difference))
    sentence = difference.sentence
    if exhausted:
        kind, sentence = Kind.MEMORY, TOO_MUCH_MEMORY
    verdict = stopped(checks, kind, sentence)
    return replace(verdict, case=item.case.name, public=public, difference=difference)


def _untold(difference: Difference) -> str:
    """What is told of a difference in a secret case. The rule of a property is told as it is."""
    if difference.kind not in SECRET:
        return difference.sentence
    return SECRET[difference.kind].format(difference.what or "the result")


def _problem(
    checks: Checks, item: CheckedCase, seen: Observation, device: str
) -> Difference | None:
    expected = aligned(checks.properties, item.expected, seen)
    if device != "cpu" and _placed(item.case):
        expected = replace(expected, devices=[device] * len(expected.devices))
    changed = [name for name in item.case.inputs if name in seen.changed]  # names are claimed, too
    seen = replace(seen, changed=changed)
    difference = first_difference(expected, seen, checks.returns, item.case.reduction)
    if difference and difference.kind not in FINE:
        return difference
    for relation in checks.properties:
        violation = relation.violation(item.expected, seen)
        if violation:
            shown = _violated(checks, relation, item, seen) or difference
            shown = shown or Difference("property", "", violation)
            sentence = violation if item.case.public else relation.rule()
            return replace(shown, kind="property", sentence=sentence)
    return difference


def _placed(case: Case) -> bool:
    """Whether the inputs say which device the result belongs on."""
    return bool(leaves(list(case.inputs.values())) or case.state)


def _violated(
    checks: Checks, relation: Property, item: CheckedCase, seen: Observation
) -> Difference | None:
    """The numbers of the output that a property is about, so that they can be shown."""
    if not isinstance(relation, SumsTo):
        return None
    index = relation.output
    right, given = leaves(item.expected.output)[index], leaves(seen.output)[index]
    wrong = mismatches(right, given, item.case.reduction)
    at = tuple(int(i) for i in wrong.nonzero()[0]) if wrong.any() else ()
    return Difference("property", checks.returns[index], "", at, right, given)


def _misconception(
    checks: Checks, pairs: list[tuple[CheckedCase, Observation]], first: int, device_only: bool
) -> str:
    """The misconception whose observations these are, or "".

    Floating numbers do not agree by chance: agreeing where the first case fails is enough, and
    the one that agrees most often is named. A boolean does, so every case must agree.
    """
    item, shown = pairs[first]
    anywhere = not device_only  # numbers that are wrong are so on every device
    names = [n for n in checks.hints if _alike(checks, item, item.wrong[n], shown, anywhere)]
    agreement = {
        name: [_alike(checks, other, other.wrong[name], seen, anywhere) for other, seen in pairs]
        for name in names
    }
    rich = isinstance(shown.output, float) or any(
        leaf.is_floating_point() for leaf in leaves(shown.output)
    )
    candidates = {name: sum(alike) for name, alike in agreement.items() if rich or all(alike)}
    return max(candidates, key=candidates.__getitem__) if candidates else ""


def _alike(
    checks: Checks, item: CheckedCase, wrong: Observation, seen: Observation, anywhere: bool
) -> bool:
    """Whether an observation is that of a misconception; `anywhere`: on whatever device it ran."""
    placed = replace(seen, devices=wrong.devices, meta=wrong.meta if anywhere else seen.meta)
    meant = aligned(checks.properties, wrong, placed)
    if first_difference(meant, placed, checks.returns, item.case.reduction):
        return False
    draws = [relation for relation in checks.properties if isinstance(relation, Drawn)]
    back = aligned(draws, placed, wrong)  # a draw of few values is among those of many
    if draws and first_difference(back, wrong, checks.returns, item.case.reduction):
        return False
    bounds = [relation for relation in checks.properties if isinstance(relation, CostAtMost)]
    return all(
        draw.violation(item.expected, wrong) == draw.violation(item.expected, seen)
        for draw in draws
    ) and all(
        bool(bound.violation(item.expected, wrong)) == bool(bound.violation(item.expected, seen))
        for bound in bounds
    )
