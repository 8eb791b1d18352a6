"""What is wrong with one observation: where it differs from the right one, or what it violates."""

from dataclasses import replace

from autograder.exercise.observation import Observation
from autograder.exercise.properties import Drawn, SumsTo, aligned
from autograder.exercise.relation import Property
from autograder.exercise.rounding import mismatches
from autograder.exercise.spec import Case
from autograder.exercise.tensors import leaves
from autograder.exercise.witness import Witness
from autograder.judging.checks import CheckedCase, Checks
from autograder.judging.compare import first_difference
from autograder.judging.difference import Difference, DifferenceKind


def problem(
    checks: Checks,
    checked: CheckedCase,
    seen: Observation,
    device: str,
    relations: tuple[Property, ...] | None = None,
) -> Difference | None:
    """What is wrong with one observation, None if nothing is.

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
    """Of what is drawn, no entry has a right value that could be shown."""
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
    wrong = mismatches(right, given, checked.case.exactness)
    at = tuple(int(i) for i in wrong.nonzero()[0]) if wrong.any() else ()
    return Difference(DifferenceKind.PROPERTY, checks.returns[index], "", at, right, given)
