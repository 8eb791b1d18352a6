"""Measured numbers: an experiment saves them as JSON, pages and tests load them.

A record holds the numbers, how they were obtained (script, seeds, device, processor, versions), the
claims they decide, and the series that figures draw. An experiment writes beside the records that
pages quote, into `FRESH`; `keep` replaces one of those. Nothing outside this file knows the format.
"""

import json
import math
import platform
import re
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "measured"
FRESH = FOLDER.parents[1] / "build" / "measured"
QUOTED = re.compile(r"\{(\w+)\}")  # a key in a finding or a control
TENFOLD = 10
ENGINE = "engine"  # the key of a digest of the grader that was measured
BEGAN = time.monotonic()  # of the experiment, but for what it imported before
Record = dict[str, Any]
Number = dict[str, Any]
Claim = dict[str, Any]  # as verdicts.py makes it, which pages need not load
Numbers = dict[str, Number]  # by key
Series = dict[str, Any]  # what a figure draws, by name


def number(value: float | str | Sequence[float], fmt: str = ".3f", unit: str = "") -> Number:
    """One number. A sequence is a sample over seeds: its mean, and its standard deviation.

    The format `.0e` is for the size of a rounding error, of which only the order says something.
    """
    if isinstance(value, str):
        return {"value": value}
    if isinstance(value, (int, float)):
        return {"value": value, "format": fmt, "unit": unit}
    sample = list(value)
    spread = statistics.stdev(sample) if len(sample) > 1 else 0.0
    return {
        "value": statistics.fmean(sample),
        "spread": spread,
        "sample": sample,
        "format": fmt,
        "unit": unit,
    }


def of_machine(value: float | Sequence[float], fmt: str, unit: str = "") -> Number:
    """A time, or the memory of a process: of each machine that was tried, all that was found.

    It is printed as a range, since its spread on one machine says nothing about another.
    """
    from machine import this_machine  # beside the scripts, and not where pages load from

    sample = [value] if isinstance(value, (int, float)) else list(value)
    return {
        "value": statistics.fmean(sample),
        "on": {this_machine(): sample},
        "format": fmt,
        "unit": unit,
    }


def together(several: Sequence[Number]) -> Number:
    """Of several numbers of machines, one: of each machine, all that was found there."""
    on: dict[str, list[float]] = {}
    for entry in several:
        for name, sample in entry["on"].items():
            on.setdefault(name, []).extend(sample)
    value = statistics.fmean(map(statistics.fmean, on.values()))
    return {**several[0], "value": value, "on": on}


def run_and_save(
    script: str,
    measure: Callable[[], tuple[Numbers, Series]],
    claims: Sequence[Claim],
    seeds: Sequence[int],
) -> None:
    """Run an experiment on one thread, write its fresh record and print where it is."""
    import torch

    torch.set_num_threads(1)
    numbers, series = measure()
    print(save(script, numbers, claims, seeds, series))


def save(
    script: str | Path,
    numbers: Numbers,
    claims: Sequence[Claim],
    seeds: Sequence[int],
    series: Series | None = None,
) -> Path:
    """Write the fresh record of a script, which is called as the script is, and return its path."""
    import torch  # the pages, which only load, need not wait for it
    from machine import this_machine

    record = {
        "script": Path(script).resolve().relative_to(FOLDER.parents[1]).as_posix(),
        "seeds": list(seeds),
        "device": str(torch.get_default_device()),
        "machine": this_machine(),
        "seconds": time.monotonic() - BEGAN,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "numbers": numbers,
        "claims": decided(numbers, claims),
        "series": series or {},
    }
    return _write(_rounded(record), FRESH / f"{Path(script).stem}.json")


def decided(numbers: Numbers, claims: Sequence[Claim]) -> list[Claim]:
    """Claims, with whether each verdict follows from the numbers.

    Raises ValueError where a claim quotes a number that is not there.
    """
    values = SimpleNamespace(**{key: entry["value"] for key, entry in numbers.items()})
    for entry in claims:
        control = entry.get("without_attention")
        quoted = {
            *QUOTED.findall(entry["finding"] + entry["control"]),
            *([control] if control else []),
        }
        if missing := quoted - numbers.keys():
            names = ", ".join(sorted(missing))
            raise ValueError(f"claim {entry['claim']} quotes what was not measured: {names}")
    return [{**entry, "stands": bool(entry["stands"](values))} for entry in claims]


def reword(name: str, claims: Sequence[Claim]) -> Path:
    """Put the claims, as the script words them now, into the record that pages quote.

    Raises ValueError where a verdict does not follow from the record's numbers.
    """
    record = load(name)
    record["claims"] = decided(record["numbers"], claims)
    _refuse_lost(name, record)
    return _write(_rounded(record), FOLDER / f"{name}.json")


def _refuse_lost(name: str, record: Record) -> None:
    if lost := [str(entry["claim"]) for entry in record["claims"] if not entry["stands"]]:
        raise ValueError(
            f"{name}: the verdict of claim {', '.join(lost)} does not follow from its numbers. "
            f"Correct the claim in {record['script']}, then measure again."
        )


def keep(name: str) -> Path:
    """Put the fresh record of an experiment in the place of the one that pages quote.

    Numbers of a machine stay beside those of machines tried earlier, unless the grader that was
    measured has changed since. Raises ValueError where a verdict does not follow from the new
    numbers.
    """
    record = load(name, FRESH)
    _refuse_lost(name, record)
    earlier = load(name)["numbers"] if (FOLDER / f"{name}.json").exists() else {}
    if earlier.get(ENGINE) != record["numbers"].get(ENGINE):
        earlier = {}
    for key, entry in record["numbers"].items():
        if "on" in entry:
            entry["on"] = earlier.get(key, {}).get("on", {}) | entry["on"]
            entry["value"] = statistics.fmean(map(statistics.fmean, entry["on"].values()))
    return _write(_rounded(record), FOLDER / f"{name}.json")


def _write(record: Record, path: Path) -> Path:
    """All at once: whoever is killed leaves no half of a record."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".half")
    text = json.dumps(record, indent=1, allow_nan=False, ensure_ascii=False)
    half.write_text(text + "\n", encoding="utf-8")
    return half.replace(path)


def load(name: str, folder: Path = FOLDER) -> Record:
    """The record of experiments/NAME.py that pages quote, or the fresh one."""
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


def machines(record: Record) -> list[str]:
    """All machines on which a number of the record was measured that depends on the machine."""
    return sorted({name for entry in record["numbers"].values() for name in entry.get("on", ())})


def samples(entry: Number) -> list[float]:
    """All that was found of a number, on whatever machine."""
    of_machines = [value for sample in entry.get("on", {}).values() for value in sample]
    return of_machines or entry.get("sample", [entry["value"]])


def hides_its_seeds(entry: Number) -> bool:
    """Whether the greatest of a sample is ten times the least: its mean is then like none of it.

    Of the size of a rounding error, `.0e`, only the order is said anyway.
    """
    sizes = [abs(value) for value in entry.get("sample", ())]
    return bool(sizes) and 0 < min(sizes) * TENFOLD <= max(sizes) and entry["format"] != ".0e"


def text_of(record: Record, key: str, spread: bool = False) -> str:
    """A number as the pages print it: `1.234 nats`, or `1.234 ± 0.005 nats` with its spread.

    One of a machine, or one whose mean would hide its seeds, is always printed with its range:
    `4.2 to 5.8`. The key `machine` is the name of the machine that the record, and so its figure,
    is from; `engine` says whether the grader that was measured is today's.
    """
    if key == "machine":
        return record["machine"]
    if key == ENGINE:
        return _of_engine(record)
    entry = record["numbers"][key]
    if isinstance(entry["value"], str):
        return entry["value"]
    ranged = "on" in entry or hides_its_seeds(entry)
    text = _range(entry) if ranged else _bare(entry["value"], entry)
    if spread and entry.get("spread") and not ranged:
        text += f" ± {_bare(entry['spread'], entry)}"
    return _with_unit(text, entry)


def _of_engine(record: Record) -> str:
    """Which grader was measured, as pages say it after "measured with"."""
    from autograder.grading.provenance import engine  # few pages ask, and it takes seconds to load

    same = record["numbers"].get(ENGINE, {}).get("value") == engine()
    return "the grader as it is now" if same else "an earlier version of the grader"


def printed(value: float, entry: Number) -> str:
    """A value in the form of an entry, such as one of the settings that were tried."""
    return _with_unit(_bare(value, entry), entry)


def _bare(value: float, entry: Number) -> str:
    """A value without its unit; a percent sign stands at each value, without a space."""
    return _formatted(value, entry["format"]) + ("%" if entry["unit"] == "%" else "")


def _with_unit(text: str, entry: Number) -> str:
    return text if entry["unit"] == "%" else f"{text} {entry['unit']}".strip()


def duration(seconds: float) -> str:
    """As a person says it, no finer than it matters."""
    if seconds < 60:
        return f"{seconds:.0f} s" if seconds >= 0.5 else "under 1 s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _range(entry: Number) -> str:
    ends = [_bare(end(samples(entry)), entry) for end in (min, max)]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def _formatted(value: float, fmt: str) -> str:
    text = format(value, fmt)
    if not text.strip("-0.%"):  # what is rounded to 0 has no sign
        text = text.lstrip("-")
    mantissa, e, exponent = text.replace("-", "\N{MINUS SIGN}").partition("e")
    if not e:
        return mantissa
    if fmt.endswith("g") and exponent == "+02":  # `2.4 to 2.6·10²` would be misread
        return format(float(format(value, fmt)), ".0f").replace("-", "\N{MINUS SIGN}")
    digits = str(int(exponent.replace("\N{MINUS SIGN}", "-")))
    superscript = digits.translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{mantissa}·10{superscript}"


def _rounded(tree: Any) -> Any:
    """Six significant digits: more would differ between machines and say nothing."""
    if isinstance(tree, float):
        return float(f"{tree:.6g}") if math.isfinite(tree) else str(tree)
    if isinstance(tree, dict):
        return {key: _rounded(value) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [_rounded(value) for value in tree]
    return tree
