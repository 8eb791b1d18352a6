"""Known mistakes of `RollingCache`."""

from typing import Any

import torch

from .RollingCache import exercise


def joined(old, new, dim=-2):
    return new if old is None else torch.cat([old, new], dim=dim)


class Rolling:
    def __init__(self, window, sinks):
        self.window, self.sinks, self.length = window, sinks, 0
        self.keys = self.values = self.positions = None

    def append(self, key, value):
        start, self.length = self.length, self.length + key.size(-2)
        self.keys, self.values = joined(self.keys, key), joined(self.values, value)
        self.positions = joined(
            self.positions, torch.arange(start, self.length, device=key.device), dim=-1
        )
        stays = (self.positions < self.sinks) | (self.positions >= self.length - self.window)
        self.keys, self.values = self.keys[..., stays, :], self.values[..., stays, :]
        self.positions = self.positions[stays]
        return self.keys, self.values, self.positions


right = exercise.base(Rolling)


# fmt: off
right.mistake("RollsTheKeysOnly",
    {"self.keys, self.values = self.keys[..., stays, :], self.values[..., stays, :]\n"
     "        self.positions = self.positions[stays]":
        "self.keys, self.positions = self.keys[..., stays, :], self.positions[stays]\n"
        "        self.values = self.values[..., : int(stays.sum()), :]"},
    "Keys move on but values do not, so the newest key is next to an older value. Whatever "
    "happens to the keys has to happen to the values, too.")
right.mistake("JoinsFirstAndLast",
    {"stays = (self.positions < self.sinks) | (self.positions >= self.length - self.window)":
        "stays = torch.arange(len(self.positions), device=key.device)\n"
        "        if len(stays) > self.window:\n"
        "            stays = torch.cat([stays[: self.sinks], stays[-self.window :]])"},
    "Tokens occur twice in the cache. When the text is longer than the window, but by less than "
    "`sinks`, the first tokens and the last ones overlap.")
right.mistake("NeedsTooMuchMemory",
    {"self.keys, self.values = self.keys[..., stays, :], self.values[..., stays, :]\n"
     "        self.positions = self.positions[stays]\n"
     "        return self.keys, self.values, self.positions":
        "return self.keys[..., stays, :], self.values[..., stays, :], self.positions[stays]"},
    "The result is right, but a tensor is larger than allowed. Do you keep everything and cut it "
    "anew at each step? Then the memory grows with the text. Keep only what you return.")


@exercise.misconception(
    "The result is right, and each tensor is small, but you keep every piece, whether you need it "
    "again or not. Then the memory grows with the text."
)
class KeepsEveryPiece:
    def __init__(self, window, sinks):
        self.window, self.sinks = window, sinks
        self.tokens: list[Any] = []

    def append(self, key, value):
        self.tokens += zip(key.split(1, dim=-2), value.split(1, dim=-2), strict=True)
        length = len(self.tokens)
        positions = [i for i in range(length) if i < self.sinks or i >= length - self.window]
        pairs = zip(*(self.tokens[i] for i in positions), strict=True)
        keys, values = (torch.cat(parts, dim=-2) for parts in pairs)
        return keys, values, torch.tensor(positions, device=key.device)


right.mistake("OneForAllObjects",
    {"def __init__": "kept = None, None, None, 0\n\n    def __init__",
     "start, self.length =":
        "self.keys, self.values, self.positions, self.length = self.kept\n"
        "        start, self.length =",
     "return":
        "type(self).kept = self.keys, self.values, self.positions, self.length\n        return"},
    "A new object is not empty: it holds what another object was given. Do you store it in an "
    "attribute of the class? All objects share that.")
right.mistake("SinksOfEachPiece",
    {"stays = ": "stays = (self.positions >= start) & (self.positions < start + self.sinks) | "},
    "The first tokens of every piece stay. Sinks are the first tokens of the text, so positions "
    "continue from one piece to the next.")


@exercise.misconception(
    "A new object begins with the tokens of another one. Lists defined in the class are shared by "
    "all objects. Create them in `__init__`."
)
class ListsOfTheClass:
    tokens: list[tuple[torch.Tensor, torch.Tensor, int]] = []  # noqa: RUF012

    def __init__(self, window, sinks):
        self.window, self.sinks, self.length = window, sinks, 0

    def append(self, key, value):
        for k, v in zip(key.unbind(dim=2), value.unbind(dim=2), strict=True):
            self.tokens.append((k, v, self.length))
            self.length += 1
            if len(self.tokens) > self.window + self.sinks:
                self.tokens.pop(self.sinks)
        keys, values, positions = zip(*self.tokens, strict=True)
        numbers = torch.tensor(positions, device=key.device)
        return torch.stack(keys, dim=2), torch.stack(values, dim=2), numbers


right.mistake("WritesIntoThePieces",
    {"def append":
        "def push(self, kept, new):\n"
        "        last = kept[..., self.sinks :, :]\n"
        "        last.copy_(torch.cat([last[..., 1:, :], new], dim=-2))\n"
        "\n"
        "    def append",
     "start, self.length =":
        "if self.length and key.size(-2) == 1 and len(self.positions) >= self.sinks + "
        "self.window:\n"
        "            self.push(self.keys, key)\n"
        "            self.push(self.values, value)\n"
        "            self.push(self.positions[:, None], self.positions[-1:, None] + 1)\n"
        "            self.length += 1\n"
        "            return self.keys, self.values, self.positions\n"
        "        start, self.length =",
     "self.keys, self.values = self.keys[":
        "if stays.all():\n"
        "            return self.keys, self.values, self.positions\n"
        "        self.keys, self.values = self.keys["},
    "You keep the piece that fills the cache without copying it and write later tokens into it, "
    "which changes the caller's keys and values.")
right.mistake("EvictsTheSinks",
    {"(self.positions < self.sinks) | (self.positions >= self.length - self.window)":
        "self.positions >= self.length - self.window - self.sinks"},
    "The sinks are dropped together with the window. The first tokens of the text should stay, "
    "however long it gets.")
right.mistake("ForgetsTheSinks", {"(self.positions < self.sinks) | ": ""},
    "The first tokens are gone and nothing replaces them: you keep only the window. What is "
    "`sinks` for?")
right.mistake("CountsSinksInTheWindow", {"- self.window": "- max(self.window - self.sinks, 0)"},
    "The sinks take space from the window. Keep `window` tokens in addition to the sinks.")
right.mistake("KeepsOneTooMany", {"- self.window": "- self.window - 1"},
    "You keep one token too many. With window 2, the token just written is one of the two.")
right.mistake("KeepsOneTooFew", {">=": ">"},
    "The window is one token short: keep `window` tokens in addition to the sinks.")
right.mistake("KeepsOneSinkTooMany", {"<": "<="},
    "You keep one of the first tokens too many. With 2 sinks, these are tokens 0 and 1.")
right.mistake("ReturnsTheOrderOfSlots",
    {"return self.keys, self.values, self.positions":
        "recent = self.positions - self.sinks\n"
        "        slots = torch.where(recent < 0, self.positions, self.sinks + recent % "
        "self.window)\n"
        "        order = slots.argsort()\n"
        "        return self.keys[..., order, :], self.values[..., order, :], "
        "self.positions[order]"},
    "Once the window is full, you return the tokens in the order of their slots. They should be "
    "in order of age, the oldest first.")
right.mistake("NumbersTheCache",
    {"values, self.positions": "values, torch.arange(len(self.positions), device=key.device)"},
    "Your positions are those in the cache: 0, 1, 2, and so on. The exercise asks for the "
    "positions of the tokens in the text.")
right.mistake("CountsWhatIsKept",
    {"start, self.length =":
        "self.length = 0 if self.keys is None else self.keys.size(-2)\n"
        "        start, self.length ="},
    "You treat the number of kept tokens as the length of the text. Later tokens then get "
    "positions that are too small, and the wrong ones are dropped.")
right.mistake("CountsFromOne", {"values, self.positions": "values, self.positions + 1"},
    "You count positions from 1. The first token of the text has position 0.")
right.mistake("KeepsSomeTwice",
    {"stays = (self.positions < self.sinks) | (self.positions >= self.length - self.window)\n"
     "        self.keys, self.values = self.keys[..., stays, :], self.values[..., stays, :]\n"
     "        self.positions = self.positions[stays]\n"
     "        return self.keys, self.values, self.positions":
        "rows = torch.arange(self.length, device=key.device)\n"
        "        twice = torch.cat([rows[: self.sinks], rows[max(self.length - self.window, 0) "
        ":]])\n"
        "        keys, values = (x.index_select(-2, twice) for x in (self.keys, self.values))\n"
        "        return keys, values, self.positions.index_select(0, twice)"},
    "Tokens occur twice in the cache: while the text is short, the window and the sinks overlap.")
right.mistake("PutsTheSinksLast",
    {"return self.keys, self.values, self.positions":
        "first = int((self.positions < self.sinks).sum())\n"
        "        keys, values = self.keys.roll(-first, -2), self.values.roll(-first, -2)\n"
        "        return keys, values, self.positions.roll(-first)"},
    "The sinks come after the window. The oldest tokens come first.")
right.mistake("KeepsTheFirstPieceWhole", {"stays = ": "stays = (start == 0) | "},
    "You keep the whole first piece until the next one comes. A prompt may be longer than the "
    "window.")
right.mistake("SinksOfTheFirstPieceOnly",
    {"start, self.length =":
        "self.first = self.first if self.length else key.size(-2)\n        start, self.length =",
     "< self.sinks": "< min(self.sinks, self.first)"},
    "You take sinks only from the first piece. Where it is shorter than `sinks`, the next tokens "
    "are sinks, too.")
right.mistake("KeepsHalfPrecision",
    {"start, self.length =":
        "key, value = key.half().to(key.dtype), value.half().to(value.dtype)\n"
        "        start, self.length ="},
    "Keys and values come back with fewer digits, because you convert them to half precision. "
    "Keep their own dtype.")
right.mistake("StartsAgainWhenFull",
    {"self.length - self.window":
        "(self.length - 1 - self.sinks) // self.window * self.window + self.sinks"},
    "You drop the whole window when it is full and begin a new one. Drop only the oldest token.")
right.mistake("DropsOneAPiece",
    {"stays = (self.positions < self.sinks) | (self.positions >= self.length - self.window)":
        "stays = torch.ones_like(self.positions, dtype=torch.bool)\n"
        "        if len(stays) > self.window + self.sinks:\n"
        "            stays[self.sinks] = False"},
    "You drop one token for each piece. A piece of several tokens pushes several out.")
