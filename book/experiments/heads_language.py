"""Claims 22, 24, 27: heads in a small language: agreement, and what "it" refers to.

Two-layer bidirectional transformers learn to fill blanks in generated sentences. One kind of model
is asked for the colour of what "it" is at the end of the sentence, the other kind at the word "it".
Asked: do heads point from the verb to its subject, and from "it" to the noun that an adjective
chooses? Does the answer change where a place gets what its heads read in another sentence?
"""

from typing import Any

import torch
from heads_language_model import LAYERS, Reader, train
from heads_language_probe import (
    accuracy,
    distances,
    flips,
    pointing,
    question,
    verb_without,
    weights_between,
)
from heads_language_text import WORDS, Sentences, agreements, pairs, pronouns
from measurements import Numbers, Series, claim, number, run_and_save

SEEDS = range(5)
TESTED = 500  # sentences of each sort
JUMP = 10_000  # from the seed of a model to those of its test sentences
ASKED = {"untrained": "answer", "end": "answer", "it": "it"}  # where a kind of model is asked
CLAIMS: list[Any] = []


def sentences(seed: int) -> tuple[Sentences, Sentences, Sentences, Sentences]:
    """To choose heads by, and to report: agreement, then pronouns with pairs not trained on."""
    at = JUMP + 10 * seed
    verbs = [agreements(TESTED, at + more) for more in (0, 1)]
    its = [pronouns(TESTED, at + more, seen=False) for more in (2, 3)]
    return verbs[0], verbs[1], its[0], its[1]


def model_of(seed: int, kind: str) -> Reader:
    torch.manual_seed(seed)
    model = Reader() if kind == "untrained" else train(seed, asks_it=kind == "it")
    return model.double().eval()


def look(model: Reader, seed: int, asked: str) -> dict[str, Any]:
    """All that is measured of one model."""
    choose, report, choose_it, report_it = sentences(seed)
    verb = weights_between(model, choose, report, "verb")
    return {
        "right": accuracy(model, report, report_it, asked),
        "verb": verb,
        "visible": weights_between(model, choose, report, "verb", blank=False),
        "determiner": weights_between(model, choose, report, "determiner"),
        "without_head": [
            verb_without(model, choose, report, int(one["head"]), layer)
            for layer, one in enumerate(verb)
        ],
        "without_layer": [
            verb_without(model, choose, report, None, layer) for layer in range(LAYERS)
        ],
        "pointing": {
            query: pointing(model, choose_it, report_it, query) for query in sorted({"it", asked})
        },
        "flips": flips(model, report_it, asked),
        "distance": {
            "verbs": distances(model, report.tokens),
            "its": distances(model, question(report_it)),
        },
    }


def run(seed: int) -> dict[str, Any]:
    """Everything about one seed, by kind of model."""
    found = {kind: look(model_of(seed, kind), seed, asked) for kind, asked in ASKED.items()}
    print(f"seed {seed}:", *(one["right"] for one in found.values()), flush=True)
    return found


def of_agreement(kind: str, found: list[dict[str, Any]]) -> Numbers:
    """What the heads of one kind of model do for verbs and determiners."""
    numbers = {}
    for layer in range(LAYERS):
        end = f"{layer + 1}_{kind}"
        for query in ("verb", "visible", "determiner"):
            for key in ("subject", "other"):
                sample = [one[query][layer][key] for one in found]
                numbers[f"{query}_{key}_{end}"] = number(sample, ".2f")
        for what in ("without_head", "without_layer"):
            numbers[f"{what}_{end}"] = number([one[what][layer] for one in found], ".0%")
        for sort in ("verbs", "its"):
            sample = [one["distance"][sort][layer] for one in found]
            numbers[f"distance_{sort}_{end}"] = number(sample, ".1f")
    return numbers


def of_pronouns(kind: str, found: list[dict[str, Any]]) -> Numbers:
    """Where the adjective moves weights, and where it moves the answer."""
    numbers = {}
    for layer in range(LAYERS):
        for query in sorted({"it", ASKED[kind]}):
            end = f"{query}_{layer + 1}_{kind}"
            kept = [one["pointing"][query][layer] for one in found]
            if layer:
                numbers[f"change_{end}"] = number([one["change"] for one in kept], ".2f")
            for key in ("referent", "other", "share"):
                sample = [one[key] for one in kept]
                numbers[f"{key}_{end}"] = number(sample, ".0%" if key == "share" else ".2f")
        for place in found[0]["flips"][layer]:
            sample = [one["flips"][layer][place] for one in found]
            numbers[f"flips_{place}_{layer + 1}_{kind}"] = number(sample, ".0%")
    return numbers


def numbers_of(runs: list[dict[str, Any]]) -> Numbers:
    """What the page and the claims quote."""
    numbers = {"words": number(len(WORDS), "d"), "unseen_pairs": number(len(pairs(False)), "d")}
    rounding = 0.0
    for kind in ASKED:
        found = [one[kind] for one in runs]
        for what in ("verb", "answer"):
            numbers[f"{what}_{kind}"] = number([one["right"][what] for one in found], ".1%")
        numbers |= of_agreement(kind, found) | of_pronouns(kind, found)
        every = [one["pointing"][query][0]["largest"] for one in found for query in one["pointing"]]
        rounding = max(rounding, *every)
    return numbers | {"rounding": number(rounding, ".0e")}


def measure() -> tuple[Numbers, Series]:
    runs = [run(seed) for seed in SEEDS]
    return numbers_of(runs), {
        kind: {what: [one[kind][what] for one in runs] for what in ("pointing", "flips", "verb")}
        for kind in ASKED
    }


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
