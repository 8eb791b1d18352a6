"""Name the mistake behind a verdict. This runs after judging, and no mark depends on it."""

import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace

from autograder.diagnosis import scale
from autograder.diagnosis.catalogue import PATTERNS, word
from autograder.diagnosis.symptoms import Symptoms
from autograder.exercise.observation import Observation
from autograder.exercise.spec import Word
from autograder.exercise.tensors import one_thread
from autograder.judging.checks import CheckedCase, Checks
from autograder.judging.difference import Difference
from autograder.judging.verdict import Kind, Verdict

FORBIDDEN = "calls_what_is_forbidden"


@one_thread()
def diagnose(checks: Checks, verdict: Verdict) -> Verdict:
    """Return the verdict with the mistake's name and a hint, where the mistake is known."""
    if verdict.kind == Kind.FORBIDDEN:
        return replace(
            verdict, misconception=FORBIDDEN, hint=word(FORBIDDEN, checks.vocabulary).hint
        )
    evidence = verdict.evidence
    if evidence is None:
        return verdict
    pairs = list(zip(checks.cases, evidence.observations, strict=True))
    name, hint = diagnosis(checks, pairs, [*evidence.differences], evidence.shown)
    hint = "" if evidence.explained else hint
    return replace(verdict, misconception=name, hint=hint, evidence=None)


def diagnose_all(
    checks: Mapping[str, Checks], verdicts: Mapping[str, Verdict]
) -> tuple[dict[str, Verdict], list[str]]:
    """Diagnose the verdicts on a submission, by exercise.

    An error of ours costs an exercise its hint and no mark: the second value has the traceback of
    each.
    """
    diagnosed, errors = dict(verdicts), []
    for name, verdict in verdicts.items():
        try:
            diagnosed[name] = diagnose(checks[name], verdict)
        except Exception as error:
            errors.append("".join(traceback.format_exception(error)))
    return diagnosed, errors


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

    The arguments are those of `Symptoms`.
    """
    symptoms = Symptoms(checks, pairs, differences, shown)
    found = (attempt(symptoms) for attempt in ATTEMPTS)
    return next(filter(None, found), ("", ""))


def _one_known_mistake(symptoms: Symptoms) -> Diagnosis | None:
    """It explains all that was observed. Of an answer that is always the same it is an example."""
    name = symptoms.known.match_one()
    if not name:
        return None
    said = _word(symptoms, name)
    if not symptoms.constant:
        return said.name, said.hint
    return said.name, f"{_word(symptoms, symptoms.constant).hint} {EXAMPLE} {said.hint}"


def _the_same_answer_always(symptoms: Symptoms) -> Diagnosis | None:
    return _told(symptoms, (symptoms.constant,)) if symptoms.constant else None


def _a_single_slip(symptoms: Symptoms) -> Diagnosis | None:
    """A general pattern that one slip alone leaves, and in which cases."""
    found = symptoms.general
    return _told(symptoms, found) if found and PATTERNS[found[0]].single_slip else None


def _two_known_mistakes(symptoms: Symptoms) -> Diagnosis | None:
    """Together they explain all that was observed."""
    return _told_as_two(symptoms, symptoms.known.match_two())


def _a_known_mistake_and_something_else(symptoms: Symptoms) -> Diagnosis | None:
    """A known mistake, and what parts the answer from it in the cases that it leaves unexplained:
    a single slip, numbers that are too large, or a circumstance of fewer than half of those cases.
    """
    known = symptoms.known
    for name, unexplained in known.partial_matches():
        if slips := symptoms.single_slips_beside(name, unexplained):
            return _told_as_two(symptoms, (name, slips[0]))
        if all(known.overflows_here(name, index) for index in unexplained):
            return _told(symptoms, (name,))
        if 2 * len(unexplained) < len(symptoms.failing):
            where = symptoms.circumstance(unexplained)
            if where:
                return _told_as_two(symptoms, (name, where))
    return None


def _general_patterns(symptoms: Symptoms) -> Diagnosis | None:
    """Return the general patterns of the answer, and by which factor it is off."""
    found = symptoms.general
    name, hint = _told(symptoms, found)
    if found[:1] == (SCALED,):
        public = symptoms.failing_public_pairs
        factor = scale.describe_factor([(one.case, one.expected, seen) for one, seen in public])
        general = _word(symptoms, SCALED).hint
        hint = hint.replace(general, factor or general)
    return name, hint


ATTEMPTS: tuple[Callable[[Symptoms], Diagnosis | None], ...] = (
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


def _told(symptoms: Symptoms, found: tuple[str, ...]) -> Diagnosis:
    """Return the names of known mistakes and patterns in this course, and their hints."""
    words = [_word(symptoms, name) for name in found]
    return BOTH.join(one.name for one in words), "\n".join(one.hint for one in words)


def _told_as_two(symptoms: Symptoms, found: tuple[str, ...]) -> Diagnosis | None:
    if not found:
        return None
    name, hint = _told(symptoms, found)
    return name, f"{TWO}\n{hint}"


def _word(symptoms: Symptoms, name: str) -> Word:
    """Name a known mistake or a pattern. A hint of the exercise comes first."""
    hints = symptoms.checks.hints
    if name in hints:
        return Word(name, hints[name])
    general = word(name, symptoms.checks.vocabulary, symptoms.has_booleans)
    return Word(general.name, hints.get(general.name, general.hint))
