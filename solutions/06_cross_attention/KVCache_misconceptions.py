"""Known mistakes of `KVCache`."""

import torch
from torch import Tensor

from .KVCache import exercise


class Right:
    def __init__(self):
        self.kept: dict[str, Tensor] = {}  # keys and values, [batch, heads, length so far, width]

    def append(self, key, value):
        before = dict(self.kept)
        for name, new in (("key", key), ("value", value)):
            self.kept[name] = torch.cat([before[name], new], dim=-2) if before else new
        return self.kept["key"], self.kept["value"]

    def causal(self, scores):
        newest, every = scores.shape[-2:]
        ones = torch.ones(newest, every, dtype=torch.bool, device=scores.device)
        return scores.masked_fill(~ones.tril(every - newest), float("-inf"))

    def attend(self, query):
        keys, values = self.kept["key"], self.kept["value"]
        scores = query @ keys.mT / query.size(-1) ** 0.5  # [batch, heads, queries, keys]
        return self.causal(scores).softmax(dim=-1) @ values


right = exercise.base(Right)


# fmt: off
right.mistake("KeepsThemForAllObjects", {"def __init__(self):\n        self.kept": "kept"},
    "A new object is not empty: it holds what another object was given. Do you store it in an "
    "attribute of the class, or in the default value of an argument? All objects share these.")
right.mistake("KeepsTheNewestOnly",
    {"torch.cat([before[name], new], dim=-2) if before else new": "new"},
    "You keep only the newest keys and values. What happened to the earlier ones?")
right.mistake("ReturnsTheNewestOnly",
    {'return self.kept["key"], self.kept["value"]': "return key, value"},
    "Your `append` returns the piece that it was given. It should return all keys and values so "
    "far.")
right.mistake("AnswersTheLastQueryOnly",
    {"scores = query": "query = query[..., -1:, :]\n        scores = query"},
    "There is one output for a piece of several queries. A prompt comes as one piece, and each of "
    "its queries needs an output.")
right.mistake("PutsTheNewestInFront", {"[before[name], new]": "[new, before[name]]"},
    "The newest keys and values come first. At which end does a text grow?")
right.mistake("JoinsAlongAnotherAxis", {"dim=-2": "dim=1"},
    "A second piece does not fit the first, or attention cannot use what you stored. Keys and "
    "values are (batch, heads, length, width). Which axis grows, and does it grow in both?")
right.mistake("ForgetsTheMaskWithinAPiece", {"self.causal(scores)": "scores"},
    "The result is right while tokens come one by one. In a piece of several tokens, the first "
    "query must not see the later keys of the same piece.")
right.mistake("LeavesTheFirstPieceOpen",
    {"ones =": "if newest == every:\n            return scores\n        ones ="},
    "Queries of the first piece see all of it. A prompt has an order, too: its first query must "
    "not see what comes after it.")
right.mistake("MasksTheFirstPieceOnly",
    {"ones =": "if newest < every:\n            return scores\n        ones ="},
    "The result is right for a first piece and for single tokens. In a later piece of several "
    "tokens, too, the first query must not see the later keys of that piece.")
right.mistake("StartsTheMaskAtTheTopLeft", {"every - newest": ""},
    "In a piece that is not the first, queries see only the oldest keys: the triangle of your "
    "mask starts at the top left. At which position is the last query?")
right.mistake("FillsWithMinus1e9", {'float("-inf")': "-1e9"},
    "In half precision the call raises an exception. If you fill with a number such as -1e9, half "
    "precision cannot represent it. Which number is below every score, in each dtype?")
right.mistake("StartsItAtTheTopLeftForSeveral",
    {"return scores": "return scores if len(ones) == 1 else scores", "every - newest": ""},
    "The result is right for a first piece and for single tokens. In a later piece of several, "
    "the triangle of your mask starts at the top left, as with `is_causal`. At which position is "
    "the last query?")
right.mistake("HidesAQueryFromItself",
    {"return scores.masked_fill(~ones.tril(every - newest)":
        "hidden = ~ones.tril(every - newest - 1)\n"
        "        hidden[..., 0] = False\n"
        "        return scores.masked_fill(hidden"},
    "Queries do not see their own key. A position may attend to itself.")
right.mistake("ForgetsToScale", {" / query.size(-1) ** 0.5": ""},
    "The scores are not scaled. What should divide them, and which width does it use?")
right.mistake("ScalesByTheValues", {"/ query": "/ values"},
    "You divide by the root of the values' width. A score is a sum of how many products?")
right.mistake("SeesOnePositionAhead", {"every - newest": "every - newest + 1"},
    "Queries see one position too many: the next one, if it came in the same piece. On which "
    "diagonal should the triangle end?")
right.mistake("ScalesByTheLength", {"query.size(-1)": "keys.size(-2)"},
    "You scale by the number of keys. A score is a sum over another axis.")
right.mistake("ComputesEverythingAgain",
    {"scores = query":
        "new = query\n"
        '        if "query" in self.kept:\n'
        '            query = torch.cat([self.kept["query"], new], dim=-2)\n'
        '        self.kept["query"] = query\n'
        "        scores = query",
     "return self.causal": "output = self.causal",
     "@ values": "@ values\n        return output[..., -new.size(-2) :, :]"},
    "The result is right, but you keep the queries as well and compute all outputs again at each "
    "step. Which outputs are new?")
