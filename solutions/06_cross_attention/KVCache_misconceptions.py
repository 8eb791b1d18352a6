"""Known mistakes of `KVCache`."""

from typing import Any

import torch
from torch import Tensor

from .KVCache import exercise


class Right:
    """What the wrong caches have in common: they differ from this in one method."""

    def __init__(self):
        self.keys: Any = None  # [batch, heads, length so far, d_k]
        self.values: Any = None  # [batch, heads, length so far, d_v]
        self.queries: Any = None

    def join(self, old, new):
        return new if old is None else torch.cat([old, new], dim=-2)

    def append(self, key, value):
        self.keys, self.values = self.join(self.keys, key), self.join(self.values, value)
        return self.keys, self.values

    def causal(self, scores):
        queries, keys = scores.shape[-2:]  # the newest queries, all keys
        ones = torch.ones(queries, keys, dtype=torch.bool, device=scores.device)
        return scores.masked_fill(~ones.tril(keys - queries), float("-inf"))

    def attend(self, query):
        scores = query @ self.keys.mT / query.size(-1) ** 0.5  # [batch, heads, queries, keys]
        return self.causal(scores).softmax(dim=-1) @ self.values


right = exercise.base(Right)


# fmt: off
@exercise.misconception(
    "A new object is not empty: it has what another one was given. Is what you keep an attribute "
    "of the class, or the default value of an argument? There is one of either for all objects."
)
class KeepsThemForAllObjects(Right):
    shared: dict[str, Tensor] = {}  # noqa: RUF012

    def append(self, key, value):
        kept = self.shared
        for name, new in (("key", key), ("value", value)):
            kept[name] = self.join(kept.get(name), new)
        self.keys, self.values = kept["key"], kept["value"]
        return self.keys, self.values


right.mistake("KeepsTheNewestOnly",
    {"self.join(self.keys, key), self.join(self.values, value)": "key, value"},
    "You keep the newest keys and values only. What became of those before?")


@exercise.misconception(
    "Your `append` returns the piece that it was given. Asked for are all keys and values so far."
)
class ReturnsTheNewestOnly(Right):
    def append(self, key, value):
        super().append(key, value)
        return key, value


@exercise.misconception(
    "There is one output for a piece of several queries. Each of them asks: a prompt comes as one "
    "piece."
)
class AnswersTheLastQueryOnly(Right):
    def attend(self, query):
        return super().attend(query[..., -1:, :])


right.mistake("PutsTheNewestInFront", {"[old, new]": "[new, old]"},
    "The newest stands in front. At which end does a text grow?")
right.mistake("JoinsAlongAnotherAxis", {"dim=-2": "dim=1"},
    "A second piece does not fit to the first, or attention cannot use what was kept. Keys and "
    "values are (batch, heads, length, width): which axis grows, and do both of them grow?")


@exercise.misconception(
    "Right while tokens come one by one. In a piece of several, the first query must not see the "
    "keys that came with it and stand after it."
)
class ForgetsTheMaskWithinAPiece(Right):
    def causal(self, scores):
        return scores


@exercise.misconception(
    "Queries of the first piece see all of it. A prompt has an order, too: the first of its "
    "queries must not see what comes after it."
)
class LeavesTheFirstPieceOpen(Right):
    def causal(self, scores):
        return scores if scores.size(-2) == scores.size(-1) else super().causal(scores)


@exercise.misconception(
    "Right for a first piece and for single tokens. In a later piece of several tokens, too, the "
    "first query must not see the keys that came after it."
)
class MasksTheFirstPieceOnly(Right):
    def causal(self, scores):
        return super().causal(scores) if scores.size(-2) == scores.size(-1) else scores


@exercise.misconception(
    "In a piece that is not the first, queries see only the oldest keys: the triangle of your mask "
    "starts at the top left. Where does the last query stand?"
)
class StartsTheMaskAtTheTopLeft(Right):
    def causal(self, scores):
        ones = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device)
        return scores.masked_fill(~ones.tril(), float("-inf"))


right.mistake("FillsWithMinus1e9", {'float("-inf")': "-1e9"},
    "In half precision the call raises. If you fill with a number such as -1e9: half precision "
    "cannot hold it. Which score is below every other, in each dtype?")


@exercise.misconception(
    "Right for a first piece and for single tokens. In a later piece of several, the triangle of "
    "your mask starts at the top left, as that of `is_causal` does. Where does the last query "
    "stand?"
)
class StartsItAtTheTopLeftForSeveral(Right):
    def causal(self, scores):
        ones = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device)
        return scores.masked_fill(~ones.tril(), float("-inf")) if len(ones) > 1 else scores


@exercise.misconception("Queries do not see their own key. A position may attend to itself.")
class HidesAQueryFromItself(Right):
    def causal(self, scores):
        queries, keys = scores.shape[-2:]
        ones = torch.ones(queries, keys, dtype=torch.bool, device=scores.device)
        hidden = ~ones.tril(keys - queries - 1)
        hidden[..., 0] = False
        return scores.masked_fill(hidden, float("-inf"))


right.mistake("ForgetsToScale",
    {"scores = query @ self.keys.mT / query.size(-1) ** 0.5  # [batch, heads, queries, keys]\n"
     "        return self.causal(scores)":
        "return self.causal(query @ self.keys.mT)"},
    "The scores are not scaled. By what, and which width is meant?")
right.mistake("ScalesByTheValues", {"/ query": "/ self.values"},
    "You divide by the root of the values' width. How many products does a score sum?")
right.mistake("SeesOnePositionAhead", {"- queries": "- queries + 1"},
    "Queries see one position too many: the next one, where it came in the same piece. On which "
    "diagonal does the triangle end?")
right.mistake("ScalesByTheLength", {"query.size(-1)": "self.keys.size(-2)"},
    "You scale by how many keys there are. A score sums over another axis.")


@exercise.misconception(
    "The result is right, but you keep the queries as well and compute all outputs again at each "
    "step. Which of them are new?"
)
class ComputesEverythingAgain(Right):
    def attend(self, query):
        self.queries = self.join(self.queries, query)
        scores = self.queries @ self.keys.mT / query.size(-1) ** 0.5
        output = self.causal(scores).softmax(dim=-1) @ self.values
        return output[..., -query.size(-2) :, :]
