"""Known mistakes of `RollingCache`."""

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
    "The sinks leave with the window. The first tokens of the text stay, however long it gets."
)
class EvictsTheSinks(Rolling):
    def stays(self, positions):
        return positions >= self.length - self.window - self.sinks


@exercise.misconception(
    "The first tokens are gone and nothing took their place: only the window is kept. What is "
    "`sinks` for?"
)
class ForgetsTheSinks(Rolling):
    def stays(self, positions):
        return positions >= self.length - self.window


@exercise.misconception(
    "The sinks take room from the window. `window` tokens are kept beside them, not with them."
)
class CountsSinksInTheWindow(Rolling):
    def stays(self, positions):
        recent = max(self.window - self.sinks, 0)
        return (positions < self.sinks) | (positions >= self.length - recent)


@exercise.misconception(
    "One token too many is kept. With window 2, the token just written is one of the two."
)
class KeepsOneTooMany(Rolling):
    def stays(self, positions):
        return (positions < self.sinks) | (positions >= self.length - self.window - 1)


@exercise.misconception("The window is one token short: `window` tokens are kept beside the sinks.")
class KeepsOneTooFew(Rolling):
    def stays(self, positions):
        return (positions < self.sinks) | (positions > self.length - self.window)


@exercise.misconception(
    "One of the first tokens too many is kept. With 2 sinks, these are the tokens 0 and 1."
)
class KeepsOneSinkTooMany(Rolling):
    def stays(self, positions):
        return (positions <= self.sinks) | (positions >= self.length - self.window)


@exercise.misconception(
    "After the window is full, the tokens come in the order of their slots. Oldest first is asked."
)
class ReturnsTheOrderOfSlots(Rolling):
    def append(self, key, value):
        kept = super().append(key, value)
        recent = self.positions - self.sinks
        slots = torch.where(recent < 0, self.positions, self.sinks + recent % self.window)
        order = slots.argsort()
        return kept[0][..., order, :], kept[1][..., order, :], kept[2][order]


@exercise.misconception(
    "Positions are those in the cache: 0, 1, 2, and so on. Asked for are the numbers that the "
    "tokens have in the text."
)
class NumbersTheCache(Rolling):
    def append(self, key, value):
        keys, values, positions = super().append(key, value)
        return keys, values, torch.arange(len(positions), device=key.device)


@exercise.misconception(
    "The text is taken to be as long as what is kept of it. Then later tokens get numbers that are "
    "too small, and the wrong ones leave."
)
class CountsWhatIsKept(Rolling):
    def append(self, key, value):
        self.length = 0 if self.keys is None else self.keys.size(-2)
        return super().append(key, value)


@exercise.misconception("Positions are counted from 1. The first token of the text is number 0.")
class CountsFromOne(Rolling):
    def append(self, key, value):
        keys, values, positions = super().append(key, value)
        return keys, values, positions + 1


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
    "Tokens stand twice in the cache: while the text is short, the window and the sinks overlap."
)
class KeepsSomeTwice(Rolling):
    def cut(self):
        pass

    def append(self, key, value):
        super().append(key, value)
        sinks, recent = slice(0, self.sinks), slice(max(self.length - self.window, 0), None)

        def both(x, dim):
            rows = torch.arange(x.size(dim), device=x.device)
            return x.index_select(dim, torch.cat([rows[sinks], rows[recent]]))

        return both(self.keys, -2), both(self.values, -2), both(self.positions, 0)


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


@exercise.misconception("The sinks stand behind the window. The oldest come first.")
class PutsTheSinksLast(Rolling):
    def append(self, key, value):
        keys, values, positions = super().append(key, value)
        first = int((positions < self.sinks).sum())
        return keys.roll(-first, -2), values.roll(-first, -2), positions.roll(-first)


@exercise.misconception(
    "The first piece is kept whole until the next comes. A prompt may be longer than the window."
)
class KeepsTheFirstPieceWhole(Rolling):
    def cut(self):
        if self.started:
            super().cut()

    def append(self, key, value):
        self.started = self.keys is not None
        return super().append(key, value)


@exercise.misconception(
    "Only the first piece gives sinks. Where it is shorter than `sinks`, the next tokens belong to "
    "them, too."
)
class SinksOfTheFirstPieceOnly(Rolling):
    first = 0

    def stays(self, positions):
        return (positions < min(self.sinks, self.first)) | (positions >= self.length - self.window)

    def append(self, key, value):
        self.first = key.size(-2) if self.keys is None else self.first
        return super().append(key, value)


@exercise.misconception(
    "Keys and values come back with fewer digits: they went through half precision. They are kept "
    "in their own dtype."
)
class KeepsHalfPrecision(Rolling):
    def append(self, key, value):
        return super().append(key.half().to(key.dtype), value.half().to(value.dtype))


@exercise.misconception(
    "A window is dropped as a whole when it is full, and a new one begins. Let go of the oldest "
    "token only."
)
class StartsAgainWhenFull(Rolling):
    def stays(self, positions):
        recent = (self.length - 1 - self.sinks) // self.window * self.window + self.sinks
        return (positions < self.sinks) | (positions >= max(recent, 0))


@exercise.misconception(
    "One token is dropped for each piece. A piece of several tokens pushes several out."
)
class DropsOneAPiece(Rolling):
    def stays(self, positions):
        keep = torch.ones_like(positions, dtype=torch.bool)
        if len(positions) > self.window + self.sinks:
            keep[self.sinks] = False
        return keep


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
