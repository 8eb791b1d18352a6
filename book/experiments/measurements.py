"""Measured numbers: an experiment saves them as JSON, pages and tests load them.

A record holds the numbers, how they were obtained (script, seeds, device, processor, versions), the
claims they decide, and the series that figures draw. An experiment writes beside the records that
pages quote, into `FRESH`; `keep` replaces one of those. Nothing outside this file knows the format.
"""

import json
import math
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "measured"
FRESH = FOLDER.parents[1] / "build" / "measured"
# An illustration is an example that nobody measured; what is not tested needs another device.
VERDICTS = ("holds", "holds if", "false", "illustration", "not tested")
BEGAN = time.monotonic()  # of the experiment, but for what it imported before
Record = dict[str, Any]
Number = dict[str, Any]
Numbers = dict[str, Number]  # by key
Claim = dict[str, Any]
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


def claim(
    number_: int,
    text: str,
    finding: str,
    verdict: str,
    condition: str = "",
    *,
    stands: Callable[[Any], bool],
) -> Claim:
    """A statement and what was found; `{key}` in the finding stands for a measured number.

    `stands` says of numbers, by their keys, whether the verdict follows from them. Where it does
    not, somebody has to look at the claim again.
    """
    if verdict not in VERDICTS:
        raise ValueError(f"verdict {verdict!r} is none of {VERDICTS}")
    return {
        "claim": number_,
        "text": text,
        "finding": finding,
        "verdict": verdict,
        "condition": condition,
        "stands": stands,
    }


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

    values = SimpleNamespace(**{key: entry["value"] for key, entry in numbers.items()})
    record = {
        "script": Path(script).resolve().relative_to(FOLDER.parents[1]).as_posix(),
        "seeds": list(seeds),
        "device": str(torch.get_default_device()),
        "machine": this_machine(),
        "seconds": time.monotonic() - BEGAN,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "numbers": numbers,
        "claims": [{**entry, "stands": bool(entry["stands"](values))} for entry in claims],
        "series": series or {},
    }
    return _write(_rounded(record), FRESH / f"{Path(script).stem}.json")


def keep(name: str) -> Path:
    """Put the fresh record of an experiment in the place of the one that pages quote.

    Numbers of a machine stay beside those of machines tried earlier. Raises ValueError where a
    verdict does not follow from the new numbers.
    """
    record = load(name, FRESH)
    lost = [str(entry["claim"]) for entry in record["claims"] if not entry["stands"]]
    if lost:
        raise ValueError(
            f"{name}: the verdict of claim {', '.join(lost)} does not follow from its numbers. "
            f"Correct the claim in {record['script']}, then measure again."
        )
    earlier = load(name)["numbers"] if (FOLDER / f"{name}.json").exists() else {}
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


def text_of(record: Record, key: str, spread: bool = False) -> str:
    """A number as the pages print it: `1.234 nats`, or `1.234 ± 0.005 nats` with its spread.

    One of a machine is always printed with its range: `4.2 to 5.8`. The key `machine` is the name
    of the machine that the record, and so its figure, is from.
    """
    if key == "machine":
        return record["machine"]
    entry = record["numbers"][key]
    if isinstance(entry["value"], str):
        return entry["value"]
    text = _range(entry) if "on" in entry else _formatted(entry["value"], entry["format"])
    if spread and entry.get("spread"):
        text += f" ± {_formatted(entry['spread'], entry['format'])}"
    return f"{text} {entry['unit']}".strip()


def duration(seconds: float) -> str:
    """As a person says it, no finer than it matters."""
    if seconds < 60:
        return f"{seconds:.0f} s" if seconds >= 0.5 else "under 1 s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def finding(record: Record, entry: dict[str, Any]) -> str:
    """A claim's finding with its numbers filled in."""
    return entry["finding"].format(
        **{key: text_of(record, key, spread=True) for key in record["numbers"]}
    )


def _range(entry: Number) -> str:
    ends = [_formatted(end(samples(entry)), entry["format"]) for end in (min, max)]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def _formatted(value: float, fmt: str) -> str:
    mantissa, e, exponent = format(value, fmt).replace("-", "\N{MINUS SIGN}").partition("e")
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
