"""Where in its window a model needs its bits: by place, and by whether a token can be copied.

On help texts, for counts, GRU and transformer; `stories_window.py` does the same for stories. A
token can be copied if it stands earlier in the window. The windows do not overlap, and counts, too,
see only what is in the window. Beside it: what the stride of overlapping windows changes.
"""

import math

import torch
from lm_model import LENGTH, VOCABULARY
from lm_models import NAMES, SEEDS, made
from lm_ngram import KneserNey
from lm_text import IGNORED, documents, tokens_of
from lm_training import bits_per_byte, to_test, to_train, tokenizer, train
from measurements import Numbers, Series, load, number, run_and_save
from stories_training import predicted
from torch import Tensor, nn

PARTS = 4  # of the window
STRIDES = (32, 16, 4)
ORDER = 5


def by_counts(model: KneserNey, tokens: Tensor) -> Tensor:
    """Bits of all tokens but the first. [rows, tokens]"""
    return torch.tensor([[_bits(model, row, at) for at in range(1, len(row))]
                         for row in tokens.tolist()])  # fmt: skip


def _bits(model: KneserNey, row: list[int], at: int) -> float:
    if row[at] == IGNORED:
        return 0.0
    return -math.log2(model.probability(tuple(row[max(0, at - model.order + 1) : at]), row[at]))


def help_windows() -> tuple[Tensor, Tensor]:
    """The test text cut into windows, and which targets stand earlier in theirs."""
    starts = [(document, start) for document in to_test()[0]
              for start in range(0, len(document) - 1, LENGTH)]  # fmt: skip
    rows = [document[start : start + LENGTH + 1] for document, start in starts]
    tokens = nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=IGNORED)
    same = tokens[:, 1:, None] == tokens[:, None, :-1]  # [rows, targets, inputs]
    return tokens, same.tril().any(dim=-1)


def split(bits: Tensor, counted: Tensor, copied: Tensor) -> dict[str, float]:
    """Means of bits over targets: those that can be copied, the others, and each part of the
    window. All are [rows, targets]; counted: which are not padding."""
    place = torch.arange(bits.size(1)) * PARTS // bits.size(1)
    found = {"copied": bits[counted & copied].mean(), "new": bits[counted & ~copied].mean()}
    found |= {f"part_{part + 1}": bits[counted & (place == part)].mean() for part in range(PARTS)}
    return {name: value.item() for name, value in found.items()}


def trained_on_help(name: str) -> list[nn.Module]:
    """The models of `lm_models.py`, trained as there."""
    numbers = load("lm_models")["numbers"]
    steps, rate = (numbers[f"{key}_{name}"]["value"] for key in ("steps", "rate"))
    models = [made(name, seed) for seed in SEEDS]
    for seed, model in zip(SEEDS, models, strict=True):
        train(model, to_train(), steps, seed, rate)
    return models


def tokens_read(name: str) -> float:
    """How many tokens a model of `lm_models.py` drew in training, in those of the text."""
    numbers = load("lm_models")["numbers"]
    drawn = [numbers[key]["value"] for key in (f"steps_{name}", "batch", "length")]
    return math.prod(drawn) / numbers["train_tokens"]["value"]


def of_help() -> tuple[dict[str, dict[str, float]], Numbers]:
    """Bits a token of help texts, by model; what it read in training, and what a stride changes."""
    tokens, copied = help_windows()
    real = tokens[:, 1:] != IGNORED
    counts = KneserNey(tokens_of(documents()[0], tokenizer()), ORDER, VOCABULARY)
    models = {"gru": trained_on_help("gru"), "transformer": trained_on_help("layers_2")}
    found = {"ngram": split(by_counts(counts, tokens), real, copied)} | {
        label: means([split(predicted(model, tokens)[0], real, copied) for model in of_label])
        for label, of_label in models.items()
    }
    read = {f"read_{name}": number(tokens_read(name), ".1f") for name in NAMES}
    strides = {
        f"stride_{stride}": number(
            [bits_per_byte(model, stride) for model in models["transformer"]], ".2f", "bits"
        )
        for stride in STRIDES
    }
    return found, read | strides


def means(each: list[dict[str, float]]) -> dict[str, float]:
    return {key: math.fsum(one[key] for one in each) / len(each) for key in each[0]}


def measure() -> tuple[Numbers, Series]:
    found, numbers = of_help()
    for label, values in found.items():
        for key, value in values.items():
            numbers[f"{label}_{key}"] = number(value, ".2f", "bits")
    return numbers, {"found": found}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], SEEDS)
