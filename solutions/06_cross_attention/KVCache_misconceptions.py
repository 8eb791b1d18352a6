"""Known mistakes of `KVCache`."""

from typing import Any

import torch

from .KVCache import Given, exercise


class Right(Given):
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


@exercise.misconception("You keep the newest keys and values only. What became of those before?")
class KeepsTheNewestOnly(Right):
    def append(self, key, value):
        self.keys, self.values = key, value
        return self.keys, self.values


@exercise.misconception("The newest stands in front. At which end does a text grow?")
class PutsTheNewestInFront(Right):
    def join(self, old, new):
        return new if old is None else torch.cat([new, old], dim=-2)


@exercise.misconception(
    "A second piece does not fit to the first, or attention cannot use what was kept. Keys and "
    "values are (batch, heads, length, width): which axis grows, and do both of them grow?"
)
class JoinsAlongAnotherAxis(Right):
    def join(self, old, new):
        return new if old is None else torch.cat([old, new], dim=1)


@exercise.misconception(
    "Right while tokens come one by one. In a piece of several, the first query must not see the "
    "keys that came with it and stand after it."
)
class ForgetsTheMaskWithinAPiece(Right):
    def causal(self, scores):
        return scores


@exercise.misconception(
    "Your mask starts at the top left, so the newest query sees only the oldest keys. Where does "
    "the last query stand?"
)
class StartsTheMaskAtTheTopLeft(Right):
    def causal(self, scores):
        ones = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device)
        return scores.masked_fill(~ones.tril(), float("-inf"))


@exercise.misconception("Queries do not see their own key. A position may attend to itself.")
class HidesAQueryFromItself(Right):
    def causal(self, scores):
        queries, keys = scores.shape[-2:]
        ones = torch.ones(queries, keys, dtype=torch.bool, device=scores.device)
        hidden = ~ones.tril(keys - queries - 1)
        hidden[..., 0] = False
        return scores.masked_fill(hidden, float("-inf"))


@exercise.misconception("The scores are not scaled. By what, and which width is meant?")
class ForgetsToScale(Right):
    def attend(self, query):
        return self.causal(query @ self.keys.mT).softmax(dim=-1) @ self.values


@exercise.misconception("You scale by how many keys there are. A score sums over another axis.")
class ScalesByTheLength(Right):
    def attend(self, query):
        scores = query @ self.keys.mT / self.keys.size(-2) ** 0.5
        return self.causal(scores).softmax(dim=-1) @ self.values


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
