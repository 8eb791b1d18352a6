"""Measured numbers: an experiment saves them as JSON, pages and tests load them.

A record holds the numbers, how they were obtained (script, seeds, device, versions), the claims
they decide, and the series that figures draw. Nothing outside this file knows the format.
"""

import json
import math
import platform
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "measured"
VERDICTS = ("holds", "holds if", "false", "illustration")  # the last: an example nobody measured


def number(
    value: float | str | Sequence[float], fmt: str = ".3f", unit: str = ""
) -> dict[str, Any]:
    """One number. A sequence is a sample over seeds: its mean, and its standard deviation."""
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


def claim(number_: int, text: str, finding: str, verdict: str, condition: str = "") -> dict:
    """A statement and what was found; `{key}` in the finding stands for a measured number."""
    if verdict not in VERDICTS:
        raise ValueError(f"verdict {verdict!r} is none of {VERDICTS}")
    return {
        "claim": number_,
        "text": text,
        "finding": finding,
        "verdict": verdict,
        "condition": condition,
    }


def save(
    script: str,
    numbers: dict[str, dict],
    claims: Sequence[dict],
    seeds: Sequence[int],
    series: dict[str, Any] | None = None,
) -> Path:
    """Write measured/NAME.json for experiments/NAME.py and return its path."""
    import torch  # the pages, which only load, need not wait for it

    record = {
        "script": f"book/experiments/{Path(script).name}",
        "seeds": list(seeds),
        "device": str(torch.get_default_device()),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "numbers": numbers,
        "claims": list(claims),
        "series": series or {},
    }
    path = FOLDER / f"{Path(script).stem}.json"
    text = json.dumps(_rounded(record), indent=1, allow_nan=False, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def load(name: str) -> dict[str, Any]:
    """The record that experiments/NAME.py saved."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def text_of(record: dict[str, Any], key: str, spread: bool = False) -> str:
    """A number as the pages print it: `1.234 nats`, or `1.234 ± 0.005 nats` with its spread."""
    entry = record["numbers"][key]
    if isinstance(entry["value"], str):
        return entry["value"]
    text = _formatted(entry["value"], entry["format"])
    if spread and entry.get("spread"):
        text += f" ± {_formatted(entry['spread'], entry['format'])}"
    return f"{text} {entry['unit']}".strip()


def finding(record: dict[str, Any], entry: dict[str, Any]) -> str:
    """A claim's finding with its numbers filled in."""
    return entry["finding"].format(
        **{key: text_of(record, key, spread=True) for key in record["numbers"]}
    )


def _formatted(value: float, fmt: str) -> str:
    mantissa, e, exponent = format(value, fmt).replace("-", "\N{MINUS SIGN}").partition("e")
    if not e:
        return mantissa
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
