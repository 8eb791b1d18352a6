"""Claims 74 and 75: the number to reach, what the model copies, and what a cache saves.

The model of two layers and the GRU get ten times the work, at the rates that were best with the
work once. Then the transformer writes: with and without a cache, and its runs of tokens are looked
up in the training text.
"""

import math

import torch
from lm_bytes import found, rounded, shipped, words, words_written
from lm_model import LENGTH, Transformer
from lm_models import STEPS, WORK, counted, made, plan
from lm_text import START, documents, tokens_of
from lm_training import (
    BATCH,
    bits_per_byte,
    mean,
    steps_for,
    to_test,
    to_train,
    tokenizer,
    train,
)  # fmt: skip
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode
from verdicts import claim

SEEDS = range(1)
TIMES = 10
SIZES = (2, 3, 4, 5, 6, 8, 10)  # of runs of tokens that are looked for
WRITTEN = 31  # tokens after the start
SHOWN = 3  # texts that the page shows
TEMPERATURES = {"cold": 0.5, "plain": 1.0, "hot": 2.0}
CLAIMS = [
    claim(
        74,
        "Language models mostly copy short runs of words and make up long ones.",
        "Of what one model wrote, {wrote_3} of the runs of 3 tokens, about five bytes, are in the "
        "training text and {wrote_8} of those of 8. Of the test text it is {test_3} and {test_8}.",
        "not tested",
        "words are longer than the tokens that were counted, and what one model wrote is short",
        scope="20 texts of 31 tokens by one transformer of two layers, 32 wide",
        stands=lambda n: n.wrote_3 > 50 and n.wrote_8 < n.wrote_3 / 2,
    ),
    claim(
        75,
        "A cache of keys and values changes nothing that a model writes.",
        "With the same generator, {same} of {texts} texts of {written} tokens are the same, and "
        "the logits differ by {apart}. Without a cache the work is {times_work} times as much.",
        "holds if",
        "the text is no longer than the window of the model",
        scope="one trained transformer of two layers, 32 wide, in float32",
        control="The texts could have differed: the tokens are drawn at temperature 1, and the "
        "logits themselves are compared.",
        stands=lambda n: n.same == n.texts and n.times_work > 5,
    ),
]


@torch.no_grad()
def write(model: Transformer, seed: int, cached: bool) -> tuple[list[int], Tensor]:
    """Tokens after a start, and the logits of each. [tokens, vocabulary]"""
    rng = torch.Generator().manual_seed(seed)
    tokens, kept = [START], []
    caches: list[list[Tensor]] = [[] for _ in model.blocks]
    for _ in range(WRITTEN):
        given = torch.tensor([tokens[-1:] if cached else tokens])
        logits = (model(given, caches) if cached else model(given))[0, -1]
        kept.append(logits)
        tokens.append(int(torch.multinomial(logits.softmax(dim=-1), 1, generator=rng)))
    return tokens[1:], torch.stack(kept)


def work_of(model: Transformer, cached: bool) -> int:
    with FlopCounterMode(display=False) as counter:
        write(model, 0, cached)
    return counter.get_total_flops()


def runs(documents: list[list[int]], size: int) -> list[tuple[int, ...]]:
    return [tuple(doc[at : at + size]) for doc in documents for at in range(len(doc) - size + 1)]


def known(texts: list[list[int]], trained: list[list[int]], size: int) -> float:
    """Percent of the runs of tokens of texts that are in what was trained on."""
    seen = set(runs(trained, size))
    return 100 * mean(float(run in seen) for run in runs(texts, size))


def measure() -> tuple[Numbers, Series]:
    steps = TIMES * STEPS
    gru = made("gru", 0)
    train(gru, to_train(), steps_for(TIMES * WORK, gru), 0, plan("gru")[1].best)
    model = made("layers_2", 0)
    assert isinstance(model, Transformer)
    before = bits_per_byte(model)
    losses = train(model, to_train(), steps, 0, plan("layers_2")[1].best)
    model.eval()
    trained = [document.tolist() for document in tokens_of(documents()[0], tokenizer())]
    test = [document.tolist() for document in to_test()[0]]
    texts = [write(model, seed, cached=False) for seed in range(20)]
    again = [write(model, seed, cached=True) for seed in range(20)]
    same = sum(one[0] == other[0] for one, other in zip(texts, again, strict=True))
    apart = max(float((one[1] - other[1]).abs().max())
                for one, other in zip(texts, again, strict=True) if one[0] == other[0])  # fmt: skip
    written = [text for text, _ in texts]
    shares = {"wrote": [known(written, trained, size) for size in SIZES],
              "test": [known(test, trained, size) for size in SIZES]}  # fmt: skip
    size = sum(len(text.encode()) for text in documents()[0])
    bytes_a_token = size / sum(len(document) - 1 for document in trained)
    numbers: Numbers = {
        "times": number(TIMES, "d"),
        "steps": number(steps, ",d"),
        "ngram": number(counted(True, 5), ".2f", "bits"),
        "before": number(before, ".2f", "bits"),
        "long": number(bits_per_byte(model), ".2f", "bits"),
        "gru_long": number(bits_per_byte(gru), ".2f", "bits"),
        "same": number(same, "d"),
        "texts": number(len(texts), "d"),
        "written": number(WRITTEN, "d"),
        "apart": number(apart, ".0e"),
        "times_work": number(work_of(model, False) / work_of(model, True), ".0f"),
        "read": number(steps * BATCH * LENGTH / sum(map(len, trained)), ".1f"),
    }
    for size, wrote, of_test in zip(SIZES, *shares.values(), strict=True):
        numbers[f"wrote_{size}"] = number(wrote, ".0f", "%")
        numbers[f"test_{size}"] = number(of_test, ".0f", "%")
    smooth = [
        mean(losses[at : at + 50]) / math.log(2) / bytes_a_token for at in range(0, steps, 50)
    ]
    samples = [tokenizer().decode(text) for text in written[:SHOWN]]
    small = rounded(model)
    numbers["rounded"] = number(bits_per_byte(small), ".2f", "bits")
    numbers["words_test"] = number(found([words(text) for text in documents()[1]]), ".0f", "%")
    for name, temperature in TEMPERATURES.items():
        numbers[name] = number(temperature, "g")
        numbers[f"words_{name}"] = number(found(words_written(small, temperature)), ".0f", "%")
    series: Series = {"sizes": [*SIZES], **shares, "curve": smooth, "samples": samples,
                      "page": shipped(small, tuple(TEMPERATURES.values()))}  # fmt: skip
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
