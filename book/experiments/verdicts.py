"""What an experiment says of a claim: its verdict, how far that reaches, what else is excluded."""

from collections.abc import Callable, Iterator
from typing import Any

# An illustration is an example that nobody measured; what is not tested needs another device, or a
# control that nobody ran.
VERDICTS = ("holds", "holds if", "false", "illustration", "not tested")
UNMEASURED = ("illustration", "not tested")
BREAKS = (". ", "; ", ": ")
Claim = dict[str, Any]


def claim(
    number: int,
    text: str,
    finding: str,
    verdict: str,
    condition: str = "",
    *,
    scope: str,
    stands: Callable[[Any], bool],
    control: str = "",
    without_attention: str | None = None,
) -> Claim:
    """A statement and what was found; `{key}` in finding and control stands for a measured number.

    scope: sizes, data and training, or that it was counted or computed: no verdict reaches further.
    control: what else could have given the result, and the run or count that excludes it.
    without_attention: where the claim credits attention with a result, the key of the number that a
        model without attention reached; "" where there is none.
    stands: says of numbers, by their keys, whether the verdict follows from them. Where it does
        not, somebody has to look at the claim again.

    Raises ValueError for a verdict that says more than this.
    """
    made = {
        "claim": number,
        "text": text,
        "finding": finding,
        "verdict": verdict,
        "condition": condition,
        "scope": scope,
        "control": control,
        "stands": stands,
    }
    if without_attention is not None:
        made["without_attention"] = without_attention
    if found := [*faults(made)]:
        raise ValueError(f"claim {number}: {'; '.join(found)}")
    return made


def faults(claim: Claim) -> Iterator[str]:
    """What keeps a reader from trusting a verdict."""
    verdict, condition = claim["verdict"], claim["condition"]
    if verdict not in VERDICTS:
        yield f"verdict {verdict!r} is none of {VERDICTS}"
    if not claim["scope"]:
        yield "it has no scope: say sizes, data and training, or that it was counted"
    if verdict == "holds if" and not condition:
        yield "'holds if' needs a condition"
    if verdict == "holds" and condition:
        yield "a verdict with a condition is 'holds if'"
    if verdict not in UNMEASURED and not claim["control"]:
        yield "it has no control: say what else could have given the result, and what excludes it"
    if claim.get("without_attention") == "" and verdict not in UNMEASURED:
        yield "it credits attention, and nothing without attention was run: 'not tested'"
    for name in ("condition", "scope"):
        if claim[name].endswith(".") or any(sign in claim[name] for sign in BREAKS):
            yield f"the {name} {claim[name]!r} is more than one clause"


def printed(claim: Claim) -> str:
    """The verdict as MyST: **holds if** condition *(scope)*, or **false:** reason *(scope)*."""
    verdict, condition = claim["verdict"], claim["condition"]
    colon = ":" if condition and verdict != "holds if" else ""
    return f"**{verdict}{colon}** {condition}".strip() + f" *({claim['scope']})*"
