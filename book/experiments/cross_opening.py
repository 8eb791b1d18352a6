"""The translator that the landing page runs: the network A of chapter 6, in a byte for each weight.

It is trained as in cross_dates.py, seed 0, at the rate that was chosen there, and then rounded to
bytes by packed.py. Both networks then translate the same test. The record holds the bytes, which
the page reads: training again on another processor ends in another network.
"""

from typing import Any

import cross_dates as dates
import torch
from cross_calendar import HELD_OUT, Written
from cross_fit import parameters
from cross_model import Translator
from measurements import Numbers, Series, load, number, run_and_save
from packed import pack, size, unpack
from torch import Tensor

SEED = 0
EXAMPLES = ("Thu 12th January 1989", "3/8/87", "2019, Mar 5", "the 22nd of june 2031")


def unpacked(network: dict[str, Any]) -> Translator:
    """The network that the bytes describe."""
    model = untrained()
    model.load_state_dict(unpack(network))
    return model


def untrained() -> Translator:
    """Of the same shape as those that `cross_dates.train` makes."""
    symbols, lengths = (len(dates.SIGNS) + 1, len(dates.DIGITS) + 1), (dates.LONGEST, 10)
    return Translator(symbols, lengths, dates.D_MODEL, dates.HEADS)


@torch.no_grad()
def forced(model: Translator, source: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Logits [batch, steps, symbols] and weights [batch, heads, steps, keys].

    `target` [batch, steps] begins with the start sign: what was written before each step.
    """
    memory, mask = model.encode(source)
    logits, weights, _ = model.decode(target, model.decoder.attend_memory.keep(memory), mask)
    return logits, weights


def differences(models: tuple[Translator, Translator], written: list[Written]) -> Tensor:
    """Of the attention weights of two networks that are given the same text and the true date."""
    source, target = dates.source_of(written), dates.target_of(written)
    one, other = (forced(model, source, target[:, :-1])[1] for model in models)
    return (one - other).abs()


def example(model: Translator, text: str) -> dict[str, Any]:
    """What it writes for a text, and where it looks: weights [steps][keys], mean over heads."""
    made, weights = dates.translate(model, [Written(text, "", [], ambiguous=False)])
    rows = [[round(weight, 3) for weight in row[: len(text)]] for row in weights[0].tolist()]
    return {"text": text, "made": made[0], "weights": rows}


def share(hits: list[bool]) -> float:
    return sum(hits) / len(hits)


def measure() -> tuple[Numbers, Series]:
    rate = load("cross_dates")["numbers"]["layer_rate"]["value"]
    trained = dates.train("layer", SEED, rate)
    packed = pack(trained.state_dict())
    small, written = unpacked(packed), dates.tested(SEED)
    found = differences((trained, small), written)
    texts = [dates.translate(model, written)[0] for model in (trained, small)]
    same = [one == other for one, other in zip(*texts, strict=True)]
    float_right, int8_right = (
        [made == one.iso for made, one in zip(of_model, written, strict=True)] for of_model in texts
    )
    clear = [ok for ok, one in zip(int8_right, written, strict=True) if not one.ambiguous]
    numbers = {
        "parameters": number(parameters(trained), ",.0f"),
        "train": number(dates.TRAIN, ",d"),
        "test": number(dates.TEST, ",d"),
        "float_exact": number(share(float_right), ".1%"),
        "int8_exact": number(share(int8_right), ".1%"),
        "int8_wrong": number(1 - share(int8_right), ".1%"),
        "int8_wrong_clear": number(1 - share(clear), ".1%"),  # of the dates with one reading
        "same": number(share(same), ".1%"),
        "largest_difference": number(found.max().item(), ".2f"),
        "mean_difference": number(found.mean().item(), ".4f"),
        "size": number(size(packed) / 1000, ".0f", "kB"),
    }
    told = {"signs": dates.SIGNS, "digits": dates.DIGITS, "heads": dates.HEADS,
            "held_out": HELD_OUT}  # fmt: skip
    examples = [example(small, text) for text in EXAMPLES]
    return numbers, {"network": packed | told, "examples": examples}


if __name__ == "__main__":
    run_and_save(__file__, measure, [], [SEED])
