"""What a wrong answer is called, and what to look at: the first of these that is found.

A mistake that the exercise knows, or two of them, if they explain all that was observed; one whose
numbers these are, with what else is wrong; else what kind of difference it is.
"""

from dataclasses import replace

from autograder.calls.observation import Observation
from autograder.judging import scale
from autograder.judging.checks import CheckedCase, Checks
from autograder.judging.circumstances import circumstance
from autograder.judging.difference import Difference, DifferenceKind
from autograder.judging.general import HINTS
from autograder.judging.naming import Known
from autograder.judging.signs import signs

# What one slip alone does to a result that is right otherwise.
PLAIN = (
    "returns_them_in_another_order", "returns_another_dtype", "drops_an_axis_of_length_1",
    "keeps_an_axis_of_length_1", "transposes", "negates", "applies_softmax_twice", "shifts_by_one",
    "reverses", "adds_an_input", "leaves_out_an_input", "is_right_for_the_first_only",
    "changes_its_input", "leaves_the_device", "cuts_the_gradient", "lets_a_gradient_through",
    "has_infinite_gradients", "is_wrong_in_empty_rows", "permutes", "leaves_another_mode",
    "draws_elsewhere", "draws_nothing", "draws_by_another_seed",
)  # fmt: skip
BESIDE_THE_NUMBERS = {  # the aspect of an observation that each of these slips is about
    "returns_another_dtype": "dtype", "changes_its_input": "inputs", "leaves_the_device": "device",
    "cuts_the_gradient": "gradients", "lets_a_gradient_through": "gradients",
}  # fmt: skip
SCALED = "scales_by_a_constant"
BOTH = " + "  # between the names of two mistakes
EXAMPLE = "One possible cause:"
TWO = "Two things are wrong. Each is described as if it were the only one."
ACCIDENTS = {"is_right_for_the_first_only", "is_wrong_at_the_first", "is_wrong_at_the_last"}


def diagnosis(
    checks: Checks,
    pairs: list[tuple[CheckedCase, Observation]],
    differences: list[Difference | None],
    shown: int,
) -> tuple[str, str]:
    """Names and hints, one a line; both "" where nothing is known.

    differences: one for each case, None if it passed. shown: the index of the case that the
        message shows.
    """
    failing = [index for index, difference in enumerate(differences) if difference]
    of_device = all(is_told_late(differences[index]) for index in failing)
    known = Known(checks, pairs, failing, anywhere=not of_device)
    constant, general = known.constant(), _general(pairs, differences, failing, shown)
    if found := known.names():
        return _as_example(checks, found, constant) if constant else _told(checks, found)
    if constant:
        return _told(checks, (constant,))
    if general[:1] and general[0] in PLAIN:
        return _told(checks, general)
    if found := known.pair() or _with_something_else(known):
        name, hint = _told(checks, found)
        return name, f"{TWO}\n{hint}" if len(found) > 1 else hint
    name, hint = _told(checks, general)
    if general[:1] == (SCALED,):
        hint = hint.replace(HINTS[SCALED], _scale(pairs, failing) or HINTS[SCALED])
    return name, hint


def _scale(pairs: list[tuple[CheckedCase, Observation]], failing: list[int]) -> str:
    """By what, as far as public cases tell."""
    public = [pairs[index] for index in failing if pairs[index][0].case.public]
    return scale.sentence([(one.case, one.expected, seen) for one, seen in public])


def _with_something_else(known: Known) -> tuple[str, ...]:
    """A misconception, and what kind of difference there is between it and what was observed."""
    for name, rest in known.mostly():
        apart = [known.apart(index, name) for index in rest]
        cases = [replace(known.pairs[index][0], expected=known.pairs[index][0].wrong[name])
                 for index in rest]  # fmt: skip
        found = [_signs(one, known.pairs[index][1], difference) if difference else set()
                 for one, index, difference in zip(cases, rest, apart, strict=True)]  # fmt: skip
        common = {kind for kind in set.intersection(*found) & {*PLAIN}
                  if _is_true(known, rest, kind)}  # fmt: skip
        if common:
            return (name, next(kind for kind in HINTS if kind in common))
        if all(known.is_extreme(index, name) for index in rest):
            return (name,)
        if 2 * len(rest) < len(known.failing):
            where = circumstance([checked.case for checked, _ in known.pairs], rest)
            if where:
                return (name, where)
    return ()


def _is_true(known: Known, cases: list[int], kind: str) -> bool:
    """Whether a slip beside a misconception is one beside what is right, too.

    What returns the right dtype has not changed it, whatever dtype the misconception has.
    """
    aspect = BESIDE_THE_NUMBERS.get(kind)
    return aspect is None or not any(known.is_right(index, aspect) for index in cases)


def names(misconception: str | None) -> list[str]:
    """The parts of a verdict's name."""
    return misconception.split(BOTH) if misconception else []


def _told(checks: Checks, names: tuple[str, ...]) -> tuple[str, str]:
    hints = [checks.hints.get(name) or HINTS[name] for name in names]
    return BOTH.join(names), "\n".join(hints)


def _as_example(checks: Checks, found: tuple[str, ...], constant: str) -> tuple[str, str]:
    """A misconception that gives every input the same answer is one of many that do."""
    name, hint = _told(checks, found)
    return name, f"{HINTS[constant]} {EXAMPLE} {hint}"


def _general(
    pairs: list[tuple[CheckedCase, Observation]],
    differences: list[Difference | None],
    failing: list[int],
    shown: int,
) -> tuple[str, ...]:
    """The kind of difference that all failing cases have, and what those cases have in common.

    Numbers of a secret case are not looked at: a submission that knows its inputs could tell them
    on, by the kind of its mistake. If a secret case is shown, those of other cases are not used
    either.
    """
    public = [index for index in failing if pairs[index][0].case.public]
    told = sorted(public if shown in public else failing, key=lambda index: index != shown)
    found = [_signs(*pairs[index], differences[index]) for index in told]
    if two := _two_slips(found):
        return two
    common = set.intersection(*found) or _frequent(found)
    common -= ACCIDENTS if len(found) == 1 else set()
    where = circumstance([checked.case for checked, _ in pairs], failing)
    kinds = [name for name in HINTS if name in common]
    return (*kinds[:1], *([where] if where else []))


def _signs(checked: CheckedCase, seen: Observation, difference: Difference | None) -> set[str]:
    assert difference
    if checked.case.public:
        return signs(checked.case, checked.expected, seen, difference)
    return {difference.kind.pattern} - {""}


def _two_slips(found: list[set[str]]) -> tuple[str, ...]:
    """Two kinds that are seen at once, if each failing case is of one of them."""
    slips = [one & {kind.pattern for kind in DifferenceKind} for one in found]
    seen = set.union(*slips)
    return tuple(name for name in HINTS if name in seen) if all(slips) and len(seen) == 2 else ()


def is_told_late(difference: Difference | None) -> bool:
    """A tensor made on the CPU is told last: it says nothing about the numbers in other cases."""
    return difference is not None and difference.kind == DifferenceKind.DEVICE


def _frequent(found: list[set[str]]) -> set[str]:
    """Signs of the case that is shown, which comes first, that at least half of all cases have."""
    return {name for name in found[0] if 2 * sum(name in some for some in found) >= len(found)}
