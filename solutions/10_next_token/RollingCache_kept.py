"""Known mistakes in what a `RollingCache` keeps, and what all its mistakes are made of."""

from typing import Any

import torch

from .RollingCache import exercise


class Rolling:
    """Right; the wrong caches differ from this in one method."""

    def __init__(self, window, sinks):
        self.window, self.sinks, self.length = window, sinks, 0
        self.keys: Any = None
        self.values: Any = None
        self.positions: Any = None

    def join(self, old, new, dim=-2):
        return new if old is None else torch.cat([old, new], dim=dim)

    def stays(self, positions):
        return (positions < self.sinks) | (positions >= self.length - self.window)

    def numbers(self, key):
        return torch.arange(self.length, self.length + key.size(-2), device=key.device)

    def cut(self):
        stays = self.stays(self.positions)
        self.keys, self.values = self.keys[..., stays, :], self.values[..., stays, :]
        self.positions = self.positions[stays]

    def append(self, key, value):
        self.keys, self.values = self.join(self.keys, key), self.join(self.values, value)
        self.positions = self.join(self.positions, self.numbers(key), dim=-1)
        self.length += key.size(-2)
        self.cut()
        return self.keys, self.values, self.positions


@exercise.misconception(
    "Keys roll, values do not: the newest key stands beside an older value. What happens to one "
    "happens to the other."
)
class RollsTheKeysOnly(Rolling):
    def cut(self):
        count = int(self.stays(self.positions).sum())
        stays = self.stays(self.positions)
        self.keys, self.positions = self.keys[..., stays, :], self.positions[stays]
        self.values = self.values[..., :count, :]


@exercise.misconception(
    "Tokens stand twice in the cache. When it is longer than the window, but not by `sinks`, the "
    "first tokens and the last ones overlap."
)
class JoinsFirstAndLast(Rolling):
    def cut(self):
        if len(self.positions) > self.window:
            rows = torch.arange(len(self.positions), device=self.positions.device)
            rows = torch.cat([rows[: self.sinks], rows[-self.window :]])
            self.keys, self.values = self.keys[..., rows, :], self.values[..., rows, :]
            self.positions = self.positions[rows]


@exercise.misconception(
    "What is returned is right, but a tensor is larger than allowed. Is everything kept and cut "
    "anew at each step? Then the memory grows with the text: keep what you return."
)
class NeedsTooMuchMemory(Rolling):
    def cut(self):
        pass

    def append(self, key, value):
        super().append(key, value)
        stays = self.stays(self.positions)
        return self.keys[..., stays, :], self.values[..., stays, :], self.positions[stays]


@exercise.misconception(
    "What is returned is right, and each tensor is small, but every piece is kept, whether it will "
    "be needed again or not. Then the memory grows with the text."
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


@exercise.misconception(
    "A new object is not empty: it has what another one was given. Is what you keep an attribute "
    "of the class? There is one of these for all objects."
)
class OneForAllObjects(Rolling):
    shared: dict[str, object] = {}  # noqa: RUF012

    def append(self, key, value):
        for name, kept in self.shared.items():
            setattr(self, name, kept)
        result = super().append(key, value)
        for name in ("keys", "values", "positions", "length"):
            self.shared[name] = getattr(self, name)
        return result


@exercise.misconception(
    "The first tokens of every piece stay. Sinks are the first tokens of the text: count positions "
    "on from one piece to the next."
)
class SinksOfEachPiece(Rolling):
    def append(self, key, value):
        self.start = self.length
        return super().append(key, value)

    def stays(self, positions):
        of_the_piece = (positions >= self.start) & (positions < self.start + self.sinks)
        return super().stays(positions) | of_the_piece


@exercise.misconception(
    "A new object begins with the tokens of another one. Lists that stand in the class are one for "
    "all objects; make them in `__init__`."
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


@exercise.misconception(
    "The piece that fills the cache is kept as it was given, and later tokens are written into it, "
    "so the keys and values of the caller change."
)
class WritesIntoThePieces(Rolling):
    def cut(self):
        if not self.stays(self.positions).all():
            super().cut()

    def append(self, key, value):
        if self.keys is None or key.size(-2) > 1 or len(self.positions) < self.sinks + self.window:
            return super().append(key, value)
        self.length += 1
        for kept, new in ((self.keys, key), (self.values, value), (self.positions[:, None], None)):
            last = kept[..., self.sinks :, :]
            added = last[..., -1:, :] + 1 if new is None else new
            last.copy_(torch.cat([last[..., 1:, :], added], dim=-2))
        return self.keys, self.values, self.positions
