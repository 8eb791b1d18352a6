"""These tests tell whether the entries of a tensor were drawn one by one, as far as chance tells.

How often values occur is compared by a ratio of likelihoods, all else with Hoeffding's bounds: a
tensor that was drawn as it should be is refused with a chance of about CHANCE.
"""

import math
from functools import lru_cache, partial

import torch
from torch import Tensor

MANY, FEW = 1000, 256  # entries that can be counted, and the values that they may have
OFTEN = 20  # draws of a value, with which no right answer fails to draw it once
CHANCE = 1e-10
ROUNDINGS = 16  # by which one value may be told from itself, computed otherwise


def are_counted(right: Tensor) -> bool:
    """Tell whether there are so many entries, of so few values, that counts can tell something."""
    return right.numel() >= MANY and len(distinct(right)) <= FEW


def rarest(right: Tensor) -> int:
    """Count the value that occurs least."""
    places = nearest(distinct(right), right).flatten()
    return int(places.bincount(minlength=len(distinct(right))).min())


@lru_cache(maxsize=256)  # of right outputs, which all submissions are compared with
def distinct(right: Tensor) -> Tensor:
    """Return each number once, in rising order."""
    return _rising(right)


def _rising(entries: Tensor) -> Tensor:
    return torch.tensor(sorted(set(entries.double().flatten().tolist())), dtype=torch.float64)


def nearest(values: Tensor, given: Tensor) -> Tensor:
    """For each entry, the place of the nearest of the values."""
    between = (values[1:] + values[:-1]) / 2
    return torch.bucketize(given.double(), between).clamp(max=len(values) - 1)


def unlikely(right: Tensor, given: Tensor) -> tuple[str, str]:
    """Return the first test that fails and a sentence about it; "" for both if chance explains all.

    right: entries that were drawn as they should be. given: of the same values.
    """
    values = _apart(distinct(right), right.dtype)
    wanted, places = nearest(values, right), nearest(values, given)
    due, counts = (
        part.flatten().bincount(minlength=len(values)).double() for part in (wanted, places)
    )
    alike = float((due / due.sum()).square().sum())
    tests = {
        "together": partial(_together, places, len(values)),
        "order": partial(_ordered, places, wanted, len(values)),
        "counts": partial(_off, due, counts),
        "repeats": partial(_repeated, places, len(values), alike),
    }
    told = ((name, test()) for name, test in tests.items())
    return next(((name, said) for name, said in told if said), ("", ""))


def _together(places: Tensor, values: int) -> str:
    """Say so where some slice has more or less of a value than chance gives."""
    chance = math.log(2 * values * (1 + sum(places.shape)) / CHANCE) / 2
    return next(filter(None, (_uneven(places == one, chance) for one in range(values))), "")


def alike(one: Tensor, other: Tensor) -> bool:
    """Tell whether each value occurs as often in both, but for what chance explains."""
    values = _apart(_rising(torch.cat([one.flatten(), other.flatten()])), one.dtype)
    counts = (
        nearest(values, part).flatten().bincount(minlength=len(values)).double()
        for part in (one, other)
    )
    return not _off(*counts)


def _apart(values: Tensor, dtype: torch.dtype) -> Tensor:
    """Keep one of those that rounding alone tells apart: a sum may be taken in another order."""
    if not dtype.is_floating_point:
        return values
    gaps = values.diff(prepend=values[:1] - 1)
    return values[gaps > ROUNDINGS * torch.finfo(dtype).eps * values.abs()]


def _off(due: Tensor, given: Tensor) -> str:
    """Say so where a value, or all values up to one, occur more or less often than chance explains.

    Rare values may be missing one by one by chance, but not all of them.
    """
    hits = torch.stack([torch.cat([one, one.cumsum(0)]) for one in (due, given)])
    both = torch.stack([hits, due.sum() - hits])
    ratio = torch.special.xlogy(both, 2 * both / both.sum(1, keepdim=True)).nansum((0, 1))
    if bool((ratio > math.log(2 * len(ratio) / CHANCE)).any()):
        return "Some values occur too often, others too seldom."
    return ""


def _uneven(hits: Tensor, chance: float) -> str:
    """Say so where some slice has so many or so few that are True as chance does not give."""
    share = float(hits.double().mean())
    for axis, length in enumerate(hits.shape):
        rows, size = hits.movedim(axis, 0).reshape(length, -1), hits.numel() // length
        counts = rows.sum(1)
        slack = math.sqrt(size * chance) + size * math.sqrt(chance / hits.numel())
        if bool(((counts - share * size).abs() > slack).any()):
            return "Entries were not drawn one by one, but several together."
    return ""


def _repeated(places: Tensor, values: int, alike: float) -> str:
    """Say which two slices first have more entries alike than chance gives, "" if there are none.

    alike: the chance that two entries are. places: of the value of each entry.
    """
    tests = sum(length**2 for length in places.shape)
    for axis in range(places.dim() if places.dim() > 1 else 0):  # one entry is like many others
        slices = places.movedim(axis, 0).flatten(1)
        hits = torch.nn.functional.one_hot(slices, values).double().flatten(1)
        size = slices.size(1)
        most = size * alike + math.sqrt(size * math.log(tests / CHANCE) / 2)
        if most >= size:
            continue
        pairs = ((hits @ hits.mT).fill_diagonal_(0) > most).nonzero().tolist()
        if pairs:
            before, (one, other) = ":, " * axis, pairs[0]
            return f"The same was drawn at [{before}{one}] and at [{before}{other}]."
    return ""


def _ordered(places: Tensor, right: Tensor, values: int) -> str:
    """Say so where values follow each other along a long axis as chance does not let them.

    Nothing is said where the right entries do so, too: they may be drawn from one distribution
    after the other.
    """
    for axis, length in enumerate(places.shape):
        if length < MANY:
            continue
        given = _excess(places.movedim(axis, -1).reshape(-1, length), values)
        strange = given.abs() > 1
        if not bool(strange.any()):
            continue
        due = _excess(right.movedim(axis, -1).reshape(-1, length), values)
        if not bool((due.abs() > 1).any()):
            lag = int(strange.any(0).nonzero()[0])
            often = "often" if bool((given[:, lag] > 1).any()) else "seldom"
            return f"Entries that are {lag + 1} apart are alike too {often}."
    return ""


def _excess(rows: Tensor, values: int) -> Tensor:
    """Measure how many more pairs are alike than is due, in units of what chance allows.

    For each row and each distance between the two of a pair. The pairs of one distance are two
    sets in which no entry is in two pairs, and each has Hoeffding's bound.
    """
    length = rows.size(-1)
    hits = torch.nn.functional.one_hot(rows, values).double().mT
    spectrum = torch.fft.rfft(hits, 2 * length)
    alike = torch.fft.irfft(spectrum.abs().square().sum(-2), 2 * length)
    distances = torch.arange(1, length)
    counts = hits.sum(-1)
    due = (counts * (counts - 1)).sum(-1, keepdim=True) / (length * (length - 1))
    pairs = length - distances
    log = math.log(2 * 2 * rows.size(0) * len(distances) / CHANCE)
    return (alike[:, distances] - due * pairs) / ((pairs + 2) * log).sqrt()
