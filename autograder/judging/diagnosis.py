"""What a wrong answer is called, and what to look at: the attempts, in the order they are made."""

from collections.abc import Callable

from autograder.calls.observation import Observation
from autograder.calls.vocabulary import Word
from autograder.judging import scale
from autograder.judging.catalogue import PATTERNS, word
from autograder.judging.checks import CheckedCase, Checks
from autograder.judging.difference import Difference
from autograder.judging.evidence import Evidence

SCALED = "scales_by_a_constant"
BOTH = " + "  # It stands between the names of two mistakes.
EXAMPLE = "One possible cause:"
TWO = "Two things are wrong. Each is described as if it were the only one."
Diagnosis = tuple[str, str]  # The names and the hints, one a line.


def diagnosis(
    checks: Checks,
    pairs: list[tuple[CheckedCase, Observation]],
    differences: list[Difference | None],
    shown: int,
) -> Diagnosis:
    """The names and hints of the first attempt that finds any; both "" where none does.

    The arguments are those of `Evidence`.
    """
    evidence = Evidence(checks, pairs, differences, shown)
    found = (attempt(evidence) for attempt in ATTEMPTS)
    return next(filter(None, found), ("", ""))


def _one_known_mistake(evidence: Evidence) -> Diagnosis | None:
    """It explains all that was observed. Of an answer that is always the same it is an example."""
    name = evidence.known.match_one()
    if not name:
        return None
    said = _word(evidence, name)
    if not evidence.constant:
        return said.name, said.hint
    return said.name, f"{_word(evidence, evidence.constant).hint} {EXAMPLE} {said.hint}"


def _the_same_answer_always(evidence: Evidence) -> Diagnosis | None:
    return _told(evidence, (evidence.constant,)) if evidence.constant else None


def _a_single_slip(evidence: Evidence) -> Diagnosis | None:
    """A general pattern that one slip alone leaves, and in which cases."""
    found = evidence.general
    return _told(evidence, found) if found and PATTERNS[found[0]].single_slip else None


def _two_known_mistakes(evidence: Evidence) -> Diagnosis | None:
    """Together they explain all that was observed."""
    return _told_as_two(evidence, evidence.known.match_two())


def _a_known_mistake_and_something_else(evidence: Evidence) -> Diagnosis | None:
    """A known mistake, and what parts the answer from it in the cases that it leaves unexplained:
    a single slip, numbers that are too large, or a circumstance of fewer than half of those cases.
    """
    known = evidence.known
    for name, unexplained in known.partial_matches():
        if slips := evidence.single_slips_beside(name, unexplained):
            return _told_as_two(evidence, (name, slips[0]))
        if all(known.overflows_here(name, index) for index in unexplained):
            return _told(evidence, (name,))
        if 2 * len(unexplained) < len(evidence.failing):
            where = evidence.circumstance(unexplained)
            if where:
                return _told_as_two(evidence, (name, where))
    return None


def _general_patterns(evidence: Evidence) -> Diagnosis | None:
    """What can be said of the answer in general terms, and by which factor it is off."""
    found = evidence.general
    name, hint = _told(evidence, found)
    if found[:1] == (SCALED,):
        public = evidence.failing_public_pairs
        factor = scale.describe_factor([(one.case, one.expected, seen) for one, seen in public])
        general = _word(evidence, SCALED).hint
        hint = hint.replace(general, factor or general)
    return name, hint


ATTEMPTS: tuple[Callable[[Evidence], Diagnosis | None], ...] = (
    _one_known_mistake,
    _the_same_answer_always,
    _a_single_slip,
    _two_known_mistakes,
    _a_known_mistake_and_something_else,
    _general_patterns,
)


def names(misconception: str | None) -> list[str]:
    """The parts of a verdict's name."""
    return misconception.split(BOTH) if misconception else []


def _told(evidence: Evidence, found: tuple[str, ...]) -> Diagnosis:
    """What known mistakes and patterns are called in this course, and their hints."""
    words = [_word(evidence, name) for name in found]
    return BOTH.join(one.name for one in words), "\n".join(one.hint for one in words)


def _told_as_two(evidence: Evidence, found: tuple[str, ...]) -> Diagnosis | None:
    if not found:
        return None
    name, hint = _told(evidence, found)
    return name, f"{TWO}\n{hint}"


def _word(evidence: Evidence, name: str) -> Word:
    """What a known mistake or a pattern is called. A hint of the exercise comes first."""
    hints = evidence.checks.hints
    if name in hints:
        return Word(name, hints[name])
    general = word(name, evidence.checks.vocabulary)
    return Word(general.name, hints.get(general.name, general.hint))
