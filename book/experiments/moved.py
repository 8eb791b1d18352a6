"""How a record that was measured again compares with the one that pages quote."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from measurements import FRESH, Number, Record, load, samples, text_of

AS_BEFORE, WITHIN, MOVED, MACHINE = "as before", "within", "moved", "of the machine"
ABSENT = "(not there)"
KINDS = (AS_BEFORE, WITHIN, MOVED, MACHINE)
SPREADS, SHARE = 2, 0.02  # a number may move by two spreads, or by 2%
ORDER = 10  # the size of a rounding error, by a factor


@dataclass(frozen=True)
class Compared:
    """One number of a record, then and now; `by` says how far it is away."""

    key: str
    kind: str
    before: str
    now: str
    by: str = ""


@dataclass(frozen=True)
class Comparison:
    """Of one experiment: all numbers, the seconds it took, and a sentence for each verdict lost.

    machine: on which the numbers were measured that the pages quote.
    """

    numbers: list[Compared]
    seconds: float
    lost: list[str]
    machine: str

    def count(self, kind: str) -> int:
        """How many numbers are of a kind."""
        return sum(one.kind == kind for one in self.numbers)


def compare(name: str) -> Comparison:
    """The fresh record of an experiment with the one that pages quote."""
    fresh = load(name, FRESH)
    try:
        known = load(name)
    except FileNotFoundError:  # a new experiment
        known = {"numbers": {}, "claims": [], "machine": ABSENT}
    keys = dict.fromkeys([*known["numbers"], *fresh["numbers"]])
    numbers = [_compared(key, known, fresh) for key in keys]
    return Comparison(numbers, fresh["seconds"], [*_lost(known, fresh)], known["machine"])


def _lost(known: Record, fresh: Record) -> Iterator[str]:
    before = [(one["claim"], one["verdict"]) for one in known["claims"]]
    for place, entry in enumerate(fresh["claims"]):
        name = f"Claim {entry['claim']}, {entry['verdict']!r}"
        if not entry["stands"]:
            yield f"{name}, does not follow from the new numbers."
        elif place >= len(before) or before[place] != (entry["claim"], entry["verdict"]):
            yield f"{name}, is not what the pages say."


def _compared(key: str, known: Record, fresh: Record) -> Compared:
    before, now = (
        text_of(record, key, spread=True) if key in record["numbers"] else ABSENT
        for record in (known, fresh)
    )
    if ABSENT in (before, now):
        return Compared(key, MOVED, before, now)
    old, new = known["numbers"][key], fresh["numbers"][key]
    if "on" in new:
        return Compared(key, MACHINE, before, now, _ratio(old, new))
    if text_of(known, key) == text_of(fresh, key):
        return Compared(key, AS_BEFORE, before, now)
    if isinstance(new["value"], str) or isinstance(old["value"], str):
        return Compared(key, MOVED, before, now)
    return Compared(key, WITHIN if _is_within(old, new) else MOVED, before, now, _by(old, new))


def _is_within(old: Number, new: Number) -> bool:
    was, now = old["value"], new["value"]
    if new["format"] == ".0e":
        return was / ORDER <= now <= was * ORDER
    return abs(now - was) <= max(SPREADS * old.get("spread", 0.0), SHARE * abs(was))


def _by(old: Number, new: Number) -> str:
    apart, spread = abs(new["value"] - old["value"]), old.get("spread")
    if spread:
        return f"{apart / spread:.1f} spreads"
    return f"{apart / abs(old['value']):.0%}" if old["value"] else f"{apart:.2g}"


def _ratio(old: Number, new: Number) -> str:
    """Of a time to what it was, and whether it lies in the range that is known."""
    known, found = samples(old), samples(new)
    ratio = _middle(found) / _middle(known) if _middle(known) else math.nan
    inside = min(known) <= _middle(found) <= max(known)
    return f"{ratio:.2f} times{'' if inside else ', outside the range'}"


def _middle(sample: list[float]) -> float:
    return sum(sample) / len(sample)
