"""Name the mistake behind a verdict. This runs after judging, and no mark depends on it."""

import traceback
from collections.abc import Mapping
from dataclasses import replace

from autograder.common.one_thread import one_thread
from autograder.diagnosis.catalogue import word
from autograder.diagnosis.diagnosis import diagnosis
from autograder.judging.checks import Checks
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
