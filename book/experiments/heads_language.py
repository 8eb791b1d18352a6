"""Claims 22, 24, 27: heads in a small language: agreement, and what "it" refers to.

Two-layer bidirectional transformers learn to fill blanks in generated sentences. One kind of model
is asked which noun "it" is at the end of the sentence only, the other also at the word "it". Asked:
do heads point from the verb to its subject, and from "it" to the noun that an adjective chooses?
Does the answer change where a place gets what its heads read in a sentence with another adjective,
or only their weights, or only the values?
"""

from itertools import product
from typing import Any

import torch
from heads_language_model import LAYERS, STEPS, Reader, train
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
from measurements import Numbers, Series, number, run_and_save
from verdicts import claim

SEEDS = range(5)
TESTED = 500  # sentences of each sort
JUMP = 10_000  # from the seed of a model to those of its test sentences
ASKED = {"untrained": "answer", "end": "answer", "it": "it"}  # where a kind of model is asked
SCOPE = (
    "a made-up language of 56 tokens, two layers of 4 heads and an MLP, 64 wide, 700 steps of Adam"
)

CLAIMS = [
    claim(
        22,
        "Heads specialise by themselves: subject and verb, coreference, …",
        "Seen from a blanked verb, the best head of layer 2 gives the subject "
        "{verb_subject_2_end} of its weight and the other noun {verb_other_2_end}; that of layer 1 "
        "gives {verb_subject_1_end} and {verb_other_1_end}. Of the verbs {verb_end} are correct; "
        "with that head's mean output in place of its own, {without_head_2_end}; with the means of "
        "all four heads of layer 2, {without_layer_2_end}. Seen from a blanked determiner, the "
        "best head of layer 1 gives its own noun {determiner_subject_1_end} and the other "
        "{determiner_other_1_end}.",
        "holds if",
        "the task needs that job",
        scope=SCOPE,
        control="The places of the words, or the choice of the best head: an untrained model has "
        "the same places, and its best head of layer 2, chosen in the same way on other sentences, "
        "gives {verb_subject_2_untrained} and {verb_other_2_untrained}; for determiners, that of "
        "layer 1 gives {determiner_subject_1_untrained} and {determiner_other_1_untrained}.",
        stands=lambda n: (
            n.verb_end > 0.95
            and n.verb_subject_2_end > 4 * n.verb_other_2_end
            and n.verb_subject_2_untrained < 1.5 * n.verb_other_2_untrained
            and n.verb_subject_1_end < 2.5 * n.verb_other_1_end
            and n.determiner_subject_1_end > 1.8 * n.determiner_other_1_end
            and n.without_layer_2_end < min(0.85, n.without_head_2_end)
        ),
    ),
    claim(
        27,
        "“it” attends to one noun because of a later word: “mat” because of “soft”, “animal” "
        "because of “tired”.",
        "A model that is asked at “it”: there, the best head of layer 2 gives the right noun "
        "{referent_it_2_it} and the other {other_it_2_it}, and with the weights of the sentence "
        "with the other adjective {flips_weights_it_2_it} of the answers change. A model that is "
        "asked at the end only does the same at the end: {referent_answer_2_end}, "
        "{other_answer_2_end} and {flips_weights_answer_2_end}. Its “it” gives {referent_it_2_end} "
        "and {other_it_2_end}, and of the answers {flips_it_2_end} change with the heads there.",
        "holds if",
        "the model is asked at that word, sees the later word, and the layer is not the first",
        scope=SCOPE,
        control="Any change there, or a change of what is read instead of where: without an "
        "exchange {flips_none_2_it} of the answers are the other noun, and with the other values "
        "under the old weights {flips_values_it_2_it} at “it” and {flips_values_answer_2_end} at "
        "the end. Weights of the first layer, which cannot depend on the adjective, move by "
        "{rounding}.",
        stands=lambda n: (
            min(n.answer_end, n.answer_it) > 0.95
            and n.rounding < 1e-9
            and n.referent_it_2_it > 5 * n.other_it_2_it
            and n.referent_answer_2_end > 5 * n.other_answer_2_end
            and min(n.flips_it_2_it, n.flips_answer_2_end) > 0.8
            and min(n.flips_weights_it_2_it, n.flips_weights_answer_2_end) > 0.8
            and max(n.flips_values_it_2_it, n.flips_values_answer_2_end) < 0.2
            and max(n.flips_none_2_it, n.flips_it_1_end, n.flips_it_2_end) < 0.1
            and n.flips_nouns_1_end > 0.7
        ),
    ),
]


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
        for query in ("verb", "determiner"):
            for key in ("subject", "other"):
                sample = [one[query][layer][key] for one in found]
                numbers[f"{query}_{key}_{end}"] = number(sample, ".2f")
        for what in () if kind == "untrained" else ("without_head", "without_layer"):
            numbers[f"{what}_{end}"] = number([one[what][layer] for one in found], ".1%")
    for sort in ("verbs", "its"):
        far = [one["distance"][sort] for one in found]
        for layer in range(LAYERS):
            sample = [one[layer] for one in far]
            numbers[f"distance_{sort}_{layer + 1}_{kind}"] = number(sample, ".1f")
        numbers[f"further_{sort}_{kind}"] = number([one[1] - one[0] for one in far], ".1f")
    return numbers


def of_pronouns(kind: str, found: list[dict[str, Any]]) -> Numbers:
    """Where the adjective moves weights (from layer 2 on), and where it moves the answer."""
    numbers = {}
    for query in found[0]["pointing"]:
        kept = [one["pointing"][query][1] for one in found]
        for key, fmt in (("change", ".1f"), ("referent", ".2f"), ("other", ".2f")):
            numbers[f"{key}_{query}_2_{kind}"] = number([one[key] for one in kept], fmt)
    asked = ASKED[kind]
    changing = ("none", "nouns", "it", "answer", f"weights_{asked}", f"values_{asked}")
    for layer, place in product(range(LAYERS), () if kind == "untrained" else changing):
        sample = [one["flips"][layer][place] for one in found]
        numbers[f"flips_{place}_{layer + 1}_{kind}"] = number(sample, ".1%")
    return numbers


def of_idle(found: list[dict[str, Any]]) -> Numbers:
    """The model that is asked at the end only, and whose "it" points most."""
    most = max(found, key=lambda one: one["pointing"]["it"][1]["change"])
    kept = most["pointing"]["it"][1]
    return {
        "idle_change": number(kept["change"], ".1f"),
        "idle_referent": number(kept["referent"], ".2f"),
        "idle_other": number(kept["other"], ".2f"),
        "idle_flips": number(most["flips"][1]["it"], ".1%"),
        "idle_none": number(most["flips"][1]["none"], ".1%"),
    }


def numbers_of(runs: list[dict[str, Any]]) -> Numbers:
    """What the page and the claims quote."""
    numbers = {"words": number(len(WORDS), "d"), "unseen_pairs": number(len(pairs(False)), "d")}
    numbers["steps"] = number(STEPS, ",d")
    rounding = 0.0
    for kind in ASKED:
        found = [one[kind] for one in runs]
        for what in ("verb", "answer"):
            numbers[f"{what}_{kind}"] = number([one["right"][what] for one in found], ".1%")
        numbers |= of_agreement(kind, found) | of_pronouns(kind, found)
        every = [one["pointing"][query][0]["largest"] for one in found for query in one["pointing"]]
        rounding = max(rounding, *every)
    return numbers | of_idle([one["end"] for one in runs]) | {"rounding": number(rounding, ".0e")}


def measure() -> tuple[Numbers, Series]:
    runs = [run(seed) for seed in SEEDS]
    return numbers_of(runs), {
        kind: {what: [one[kind][what] for one in runs] for what in ("pointing", "flips")}
        for kind in ASKED
    }


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
