"""What a widget draws that was measured: a few kilobytes of measured/*.json, put into its page.

Weights are whole thousandths, as they were saved: [queries, keys], up to the last key that the
query may see.
"""

from typing import Any

import numpy as np
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


def collapse() -> dict[str, Any]:
    """Eight tokens in the plane, and the random matrices of twelve layers: made, not measured.

    A layer has W_q W_k^T, W_v and the two matrices of an MLP with eight hidden units.
    """
    rng = np.random.default_rng(24)

    def matrix(rows: int, columns: int) -> list[list[float]]:
        return (rng.normal(size=(rows, columns)) * (2 / (rows + columns)) ** 0.5).round(2).tolist()

    layers = [
        {"compare": matrix(2, 2), "W_v": matrix(2, 2), "W_1": matrix(2, 8), "W_2": matrix(8, 2)}
        for _ in range(12)
    ]
    return {"tokens": rng.normal(size=(8, 2)).round(2).tolist(), "layers": layers}


def find_curve() -> dict[str, Any]:
    """Curves of training loss on the chain, in an order that tells nothing, and their names."""
    record = measurements.load("bugs_losses")
    series, numbers = record["series"], record["numbers"]
    shown = (
        "no root",
        "targets not shifted",
        "one key ahead",
        "nothing",
        "masked after the softmax",
    )
    curves = [{"name": name, "values": series["curves"]["chain"][name]} for name in shown]
    given = {
        key: numbers[name]["value"] for key, name in (("floor", "floor_chain"), ("near", "near"))
    }
    return {"curves": curves, "names": sorted(shown), "every": series["every"]} | given


def sampling() -> dict[str, Any]:
    """A language model in bytes, its tokens, and the words that it learned from."""
    shipped = measurements.load("lm_long")["series"]["page"]
    return {key: part for key, part in shipped.items() if key != "written"}


def _seen(weights: list[list[int]]) -> list[list[int]]:
    """Causal weights without the keys that are hidden."""
    return [row[: at + 1] for at, row in enumerate(weights)]
