"""Known mistakes of `RollingCache`."""

import torch

from .RollingCache import exercise
from .RollingCache_kept import Rolling


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
