"""Claims 70 and 71: an n-gram, a GRU and transformers, in bits a byte, at equal work of training.

Work is counted, and no clock is asked. Counting n-grams is a single pass over the text; the others
get the same number of operations, so a smaller one takes more steps, each at a rate of its own.
"""

import torch
from choosing import Choice, search
from lm_model import LENGTH, VOCABULARY, Kind, Recurrent, Transformer
from lm_ngram import KneserNey
from lm_text import documents, fingerprint, tokens_of
from lm_training import (
    BATCH,
    TRIAL,
    bits_per_byte,
    end,
    steps_for,
    to_test,
    to_train,
    tokenizer,
    train,
)  # fmt: skip
from measurements import Numbers, Series, number, run_and_save
from torch import nn
from verdicts import claim

SEEDS = range(3)
STEPS = 400  # of the model with two layers; its work is the budget
WORK = 3 * Transformer(Kind()).work() * BATCH * LENGTH * STEPS
NAMES = ("gru", "layers_1", "layers_2", "layers_4")
ORDERS = range(1, 7)
SCOPE = (
    "a GRU 64 wide and transformers 32 wide, a third of a megabyte of Python's help, 5·10¹⁰ "
    "operations of AdamW"
)
CLAIMS = [
    claim(
        70,
        "At equal work of training, a transformer models language better than a recurrent network.",
        "After {work} operations a GRU needs {gru} a byte, a transformer of one layer {layers_1}, "
        "of two {layers_2} and of four {layers_4}.",
        "false",
        "since the GRU is ahead of all three transformers after this work",
        scope=SCOPE,
        control="No learning rate favours the GRU: each model has its own best, which lies inside "
        "those tried. The widths, 64 and 32, and the first weights were not searched for. With ten "
        "times the work the GRU and two layers are about equal (one seed).",
        without_attention="gru",
        stands=lambda n: n.gru < min(n.layers_1, n.layers_2, n.layers_4),
    ),
    claim(
        71,
        "A neural model generalises better to new word sequences than counted n-grams do.",
        "A 5-gram of the same tokens needs {ngram_5} a byte. The best of the trained models needs "
        "{gru} after the same work as the others.",
        "false",
        "since the counts are ahead of every trained model after this work, on the whole test text",
        scope=SCOPE,
        control="No whole paragraph of the test is in training, but phrases are. Where paragraphs "
        "are, the 5-gram needs {ngram_5_leaked}. Orders 4 and 6 need {ngram_4} and {ngram_6}. New "
        "sequences alone were not measured.",
        stands=lambda n: n.ngram_5 < min(n.gru, n.layers_1, n.layers_2, n.layers_4),
    ),
]


def counted(clean: bool, order: int) -> float:
    """Bits a byte of the test documents; unless clean, paragraphs of theirs may be in training."""
    tokens, size = to_test()
    model = KneserNey(tokens_of(documents(clean)[0], tokenizer()), order, VOCABULARY)
    return sum(map(model.bits, tokens)) / size


def made(name: str, seed: int) -> nn.Module:
    torch.manual_seed(seed)
    if name == "gru":
        return Recurrent()
    return Transformer(Kind(layers=int(name.removeprefix("layers_"))))


def plan(name: str) -> tuple[int, Choice]:
    """Steps that the work pays, and the rate to take them at."""
    steps = steps_for(WORK, made(name, 0))

    def loss(rate: float, seed: int) -> float:
        return end(lambda: made(name, seed), steps, rate, seed)

    return steps, search(loss, seeds=(TRIAL, TRIAL + 1), start=3e-2, step=10**0.5)


def measure() -> tuple[Numbers, Series]:
    tokens, size = to_test()
    train_texts, test_texts = documents()
    numbers: Numbers = {
        "text": number(fingerprint()),
        "train_bytes": number(sum(len(text.encode()) for text in train_texts), ",d"),
        "train_tokens": number(sum(map(len, tokens_of(train_texts, tokenizer()))), ",d"),
        "test_bytes": number(size, ",d"),
        "test_tokens": number(sum(map(len, tokens)), ",d"),
        "test_topics": number(len(test_texts), "d"),
        "vocabulary": number(VOCABULARY, "d"),
        "batch": number(BATCH, "d"),
        "length": number(LENGTH, "d"),
        "uniform": number(8, ".0f", "bits"),
    }
    orders = [counted(True, order) for order in ORDERS]
    for order, bits in zip(ORDERS, orders, strict=True):
        numbers[f"ngram_{order}"] = number(bits, ".2f", "bits")
    numbers["ngram_5_leaked"] = number(counted(False, 5), ".2f", "bits")
    numbers["work"] = number(WORK, ".1e")
    found: dict[str, list[float]] = {}
    for name in NAMES:
        steps, choice = plan(name)
        results = []
        for seed in SEEDS:
            model = made(name, seed)
            train(model, to_train(), steps, seed, choice.best)
            results.append(round(bits_per_byte(model), 4))
        found[name] = results
        print(name, steps, choice.best, results, flush=True)
        numbers[name] = number(results, ".2f", "bits")
        numbers[f"rate_{name}"] = choice.number(".2g")
        numbers[f"steps_{name}"] = number(steps, ",d")
        numbers[f"parameters_{name}"] = number(sum(p.numel() for p in model.parameters()), ",d")
    return numbers, {"orders": [*ORDERS], "ngrams": orders, "trained": found}


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
