"""What a widget draws that was measured: a few kilobytes of measured/*.json, put into its page.

Weights are whole thousandths, as they were saved: [queries, keys], up to the last key that the
query may see.
"""

from typing import Any

from measured_numbers import measurements

NETWORKS = {"layer": "A", "none": "B"}  # by encoder; the letters are the page's


def heads() -> dict[str, Any]:
    """The heads of the first seed's model: their scores, and their weights over each sentence.

    `scores[name]` is [layers, heads]; a sentence's `weights` are [layers, heads, queries, keys].
    """
    record = measurements.load("heads_induction")
    series = record["series"]
    scores = {name: series["scores"][0][name] for name in ("previous", "induction")}
    sentences = [
        {
            "signs": "".join(chr(65 + token) for token in picture["tokens"]),
            "weights": [[_seen(head) for head in layer] for layer in picture["weights"]],
        }
        for picture in series["pictures"]
    ]
    threshold = record["numbers"]["threshold"]["value"]
    return {"scores": scores, "threshold": threshold, "sentences": sentences}


def alignment() -> list[dict[str, Any]]:
    """Each date as each network wrote it; `readings` are the ISO dates that it can mean."""
    examples = measurements.load("cross_dates")["series"]["examples"]
    return [
        {
            **{key: example[key] for key in ("text", "readings", "made")},
            "network": letter,
            "weights": [[round(1000 * weight) for weight in row] for row in example["weights"]],
        }
        for encoder, letter in NETWORKS.items()
        for example in examples[encoder]
    ]


def _seen(weights: list[list[int]]) -> list[list[int]]:
    """Causal weights without the keys that are hidden."""
    return [row[: at + 1] for at, row in enumerate(weights)]
