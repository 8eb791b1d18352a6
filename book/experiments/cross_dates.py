"""Claim 23, on cross-attention: does the decoder look where the answer stands?

A small encoder-decoder turns dates as people write them into ISO. Three encoders of one size: a
layer with self-attention; one without (`none`), in which each vector of the memory knows its own
character and place only; and the first again, its output averaged into one vector, the fixed
context of the first chapter. The days of the test are never seen in training. Where a date has two
readings no model can know. Each network has the learning rate that was best on other seeds. Do the
last two lack training? They are also trained for four times the steps, at rates chosen for that.

To see where the answer comes from, some characters are hidden from the decoder, those of one part
or those of none, and each part is scored on the dates with one reading. A guess is the most
frequent value of the part.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import torch
from choosing import Choice, search
from cross_calendar import MONTH_FIRST, PARTS, Written, sample
from cross_fit import parameters
from cross_model import EncoderLayer, Translator, UnmixedLayer
from measurements import Numbers, Series, number, run_and_save
from torch import Tensor
from torch.nn import functional as F
from verdicts import claim

D_MODEL, HEADS = 48, 4
STEPS, BATCH = 800, 64
LONG, LONG_SEEDS = 4, range(3)  # times STEPS
RATE, RATE_SEEDS = 1.6e-2, (100, 101)  # where the search begins, on seeds that are not reported
SEEDS = range(5)
TRAIN, TEST, LONGEST = 20_000, 1_000, 26
ENCODERS = {
    "layer": (EncoderLayer, False),
    "none": (UnmixedLayer, False),
    "pooled": (EncoderLayer, True),
}
PLACES = {"year": slice(0, 4), "month": slice(5, 7), "day": slice(8, 10)}  # in an ISO date
HIDDEN = {"nothing": set(), "rest": {""}} | {part: {part} for part in PARTS}  # from the decoder
PART_OF_TARGET = ["year"] * 4 + [""] + ["month"] * 2 + [""] + ["day"] * 2
SIGNS = " ',./0123456789ADFJMNOSTWabcdefghijlmnoprstuvwy"
DIGITS, START = "0123456789-", 11
SHOWN = {  # as written, and each ISO date that it can mean
    "Thu 12th January 1989": ["1989-01-12"],
    "3/5/2019": ["2019-03-05", "2019-05-03"],
}


def source_of(written: list[Written]) -> Tensor:
    """Characters by number, 0 for padding. [batch, LONGEST]"""
    rows = [[1 + SIGNS.index(sign) for sign in one.text] for one in written]
    return torch.tensor([row + [0] * (LONGEST - len(row)) for row in rows])


def target_of(written: list[Written]) -> Tensor:
    """The start sign and the ten characters of the ISO date. [batch, 11]"""
    return torch.tensor([[START] + [DIGITS.index(sign) for sign in one.iso] for one in written])


def train(encoder: str, seed: int, rate: float, steps: int = STEPS) -> Translator:
    torch.manual_seed(seed)
    written = sample(TRAIN, seed)
    source, target = source_of(written), target_of(written)
    symbols, lengths = (len(SIGNS) + 1, len(DIGITS) + 1), (LONGEST, target.size(1) - 1)
    model = Translator(symbols, lengths, D_MODEL, HEADS, *ENCODERS[encoder])
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
    for _ in range(steps):
        chosen = torch.randint(TRAIN, (BATCH,))
        logits = model(source[chosen], target[chosen, :-1])  # [batch, length, symbols]
        loss = F.cross_entropy(logits.transpose(1, 2), target[chosen, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return model


def best_rate(encoder: str, steps: int = STEPS, seeds: Sequence[int] = RATE_SEEDS) -> Choice:
    """The rate with the fewest dates wrong; each rate is twice the one below."""

    def wrong(rate: float, seed: int) -> float:
        return 1 - exact(train(encoder, seed, rate, steps), seed)

    return search(wrong, seeds=seeds, start=RATE, step=2)


def exact(model: Translator, seed: int) -> float:
    written = tested(seed)
    made, _ = translate(model, written)
    return sum(text == one.iso for text, one in zip(made, written, strict=True)) / TEST


def translate(model: Translator, written: list[Written]) -> tuple[list[str], Tensor]:
    """ISO dates, and weights averaged over heads [batch, steps, keys]."""
    tokens, weights = model.greedy(source_of(written), START, len(PART_OF_TARGET))
    texts = ["".join(DIGITS[min(at, 10)] for at in row) for row in tokens.tolist()]
    return texts, weights.mean(dim=1)


def looked(written: list[Written], weights: Tensor) -> dict[str, float]:
    """How often the largest weight lies in the right part, how much weight does, and by chance."""
    top: dict[str, list[bool]] = {part: [] for part in PARTS}
    inside, chance = [], []
    for one, rows in zip(written, weights, strict=True):
        for part, row in zip(PART_OF_TARGET, rows, strict=True):
            if part:
                right = torch.tensor([name == part for name in one.part])
                top[part].append(bool(right[row[: len(right)].argmax()]))
                inside.append(row[: len(right)][right].sum().item())
                chance.append(right.float().mean().item())
    shares: dict[str, Sequence[float]] = {f"top_{part}": hits for part, hits in top.items()}
    every = [hit for hits in top.values() for hit in hits]
    shares |= {"top": every, "inside": inside, "chance": chance}
    return {name: sum(values) / len(values) for name, values in shares.items()}


def without(model: Translator, written: list[Written], what: str) -> dict[str, float]:
    """Share of each part right though the decoder may not attend to some of the characters."""
    rows = [[name in HIDDEN[what] for name in one.part] for one in written]
    hidden = torch.tensor([row + [False] * (LONGEST - len(row)) for row in rows])  # [batch, keys]
    made, _ = model.greedy(source_of(written), START, len(PART_OF_TARGET), hidden)
    right = made == target_of(written)[:, 1:]  # [batch, length]
    return {f"{part}_without_{what}": right[:, at].all(dim=1).float().mean().item()
            for part, at in PLACES.items()}  # fmt: skip


def guessed(written: list[Written]) -> dict[str, float]:
    """Share of each part right for whoever always writes its most frequent value."""
    values = {name: Counter(one.iso[at] for one in written) for name, at in PLACES.items()}
    return {f"guess_{name}": max(of.values()) / len(written) for name, of in values.items()}


def kind_of_error(one: Written, made: str) -> str:
    """What a wrong translation got wrong."""
    year, month, day = one.iso.split("-")
    if made == f"{year}-{day}-{month}":
        return "other reading" if one.ambiguous else "day and month swapped"
    wrong = [name for name, a, b in zip(PARTS, one.iso.split("-"), made.split("-"), strict=False)
             if a != b]  # fmt: skip
    mixed = one.ambiguous and wrong in (["month"], ["day"]) and made[5:7] == made[8:]
    return "both readings mixed" if mixed else " and ".join(wrong)


def tested(seed: int) -> list[Written]:
    """The dates of a seed's test."""
    return sample(TEST, 10_000 + seed, test=True)


def translated(model: Translator, seed: int) -> dict[str, Any]:
    written = tested(seed)
    made, weights = translate(model, written)
    right = [text == one.iso for text, one in zip(made, written, strict=True)]
    clear = [ok for ok, one in zip(right, written, strict=True) if not one.ambiguous]
    wrong = [(one.text, one.iso, text, kind_of_error(one, text))
             for one, text in zip(written, made, strict=True) if text != one.iso]  # fmt: skip
    result = {
        "exact": sum(right) / TEST,
        "clear": sum(clear) / len(clear),
        "ceiling": 1 - (1 - MONTH_FIRST) * (1 - len(clear) / TEST),
        "reordered": sum(sorted(iso) == sorted(text) for _, iso, text, _ in wrong) / len(wrong),
        "wrong": wrong,
    }
    if model.pooled:
        return result
    known = [one for one in written if not one.ambiguous]
    for what in HIDDEN:
        result |= without(model, known, what)
    return result | looked(written, weights) | guessed(known)


def shown(wrong: list[list[tuple[str, ...]]]) -> dict[str, list[str]]:
    """SHOWN, and of each network the first date with one reading that it gets wrong, if it does."""
    clear = {one.text: [one.iso] for one in tested(SEEDS[0]) if not one.ambiguous}
    first = [next((text for text, *_ in of_network if text in clear), "") for of_network in wrong]
    return SHOWN | {text: clear[text] for text in first if text}


def example(model: Translator, text: str, readings: list[str]) -> dict[str, Any]:
    """A date step by step: for the figure, and for a reader to step through."""
    one = Written(text, "", [""] * len(text), len(readings) > 1)
    made, weights = translate(model, [one])
    rows = [[round(w, 3) for w in row[: len(text)]] for row in weights[0].tolist()]
    return {"text": text, "readings": readings, "made": made[0], "weights": rows}


def kinds(runs: list[dict[str, Any]]) -> dict[str, int]:
    """How often each kind of error occurred, over all seeds."""
    return dict(Counter(kind for run in runs for *_, kind in run["wrong"]).most_common())


CLAIMS = [
    claim(
        23,
        "The weights show what the model is looking at (cross-attention).",
        "Dates to ISO, exact match {layer_exact} with self-attention in the encoder and "
        "{none_exact} without. The largest weight lies on the part of the text that is being "
        "written in {layer_top} and {none_top} of the digits (by chance {layer_chance}). If the "
        "decoder may not attend to the characters of a part, it writes that part correctly in "
        "{layer_year_without_year} (year), {layer_month_without_month} (month) and "
        "{layer_day_without_day} (day) of the dates with one reading.",
        "holds if",
        "the characters were mixed by one layer of the encoder at most",
        scope="dates of up to 26 characters, models 48 wide with one layer in encoder and decoder, "
        "800 steps of Adam",
        control="The answer could come from other characters than those that the weights point to, "
        "so a part's characters were hidden from the decoder. A guess of the most frequent value "
        "would be correct in {layer_guess_year}, {layer_guess_month} and {layer_guess_day}.",
        stands=lambda n: (
            min(n.layer_top, n.none_top) > 1.5 * n.layer_chance
            and min(n.layer_month_without_year, n.layer_year_without_month) > 0.9
            and n.layer_year_without_year < 0.1
            and n.layer_month_without_month < 0.3
            and n.layer_day_without_day < 0.2
        ),
    )
]


def trained_longer(name: str) -> Numbers:
    """Exact match of a network with LONG times the steps."""
    rate = best_rate(name, LONG * STEPS, RATE_SEEDS[:1])
    shares = [exact(train(name, seed, rate.best, LONG * STEPS), seed) for seed in LONG_SEEDS]
    print(name, "long", rate.best, shares, flush=True)
    return {f"{name}_long": number(shares, ".1%"), f"{name}_long_rate": rate.number(".2g")}


def measure() -> tuple[Numbers, Series]:
    rates = {name: best_rate(name) for name in ENCODERS}
    print({name: rate.best for name, rate in rates.items()}, flush=True)
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in ENCODERS}
    first: dict[str, Translator] = {}
    for seed in SEEDS:
        for name, of_encoder in runs.items():
            model = train(name, seed, rates[name].best)
            of_encoder.append(translated(model, seed))
            first.setdefault(name, model)
            told = {key: value for key, value in of_encoder[-1].items() if key != "wrong"}
            print(seed, name, told, flush=True)
    setting = {"d_model": D_MODEL, "steps": STEPS, "batch": BATCH, "long_steps": LONG * STEPS}
    numbers = {name: number(value, ",d") for name, value in setting.items()}
    numbers |= {f"{name}_rate": rate.number(".2g") for name, rate in rates.items()}
    numbers |= trained_longer("none") | trained_longer("pooled")
    for name, of_encoder in runs.items():
        numbers[f"{name}_parameters"] = number(parameters(first[name]), ",.0f")
        for key, value in of_encoder[0].items():
            if isinstance(value, float):
                numbers[f"{name}_{key}"] = number([run[key] for run in of_encoder], ".1%")
    looking = ("layer", "none")
    dates = shown([runs[name][0]["wrong"] for name in looking])
    examples = {name: [example(first[name], *date) for date in dates.items()] for name in looking}
    of_others = {name: runs[name][0]["wrong"][:12] for name in ("none", "pooled")}
    series = {"examples": examples, "wrong": [run["wrong"] for run in runs["layer"]]}
    series |= {"kinds": kinds(runs["layer"]), "wrong_of_others": of_others}
    return numbers, series


if __name__ == "__main__":
    run_and_save(__file__, measure, CLAIMS, SEEDS)
