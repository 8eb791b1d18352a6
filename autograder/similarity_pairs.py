"""Pairs of students whose answers share fingerprints, through an inverted index.

Memory grows with the number of answers, not with the number of pairs: a fingerprint that many
share is common and makes no pair.
"""

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, groupby

from autograder.similarity_prints import GRAM, fingerprints

SHARED = 20  # tokens in one exercise, at least, for a pair to be reported
COMMON, SHARE = 10, 4  # common: in more answers than this, or than one in so many students
Answers = dict[str, str]  # by student


@dataclass(frozen=True)
class Passage:
    """What two answers to an exercise share: numbers of tokens, for each of the two."""

    exercise: str
    left: frozenset[int]
    right: frozenset[int]

    @property
    def shared(self) -> int:
        """Tokens, in the answer that holds fewer of them."""
        return min(len(self.left), len(self.right))


@dataclass(frozen=True)
class Pair:
    """Two students, and the exercises in which they share something; most is first."""

    left: str
    right: str
    passages: tuple[Passage, ...]

    @property
    def shared(self) -> int:
        """Tokens in all exercises."""
        return sum(passage.shared for passage in self.passages)


def common_above(students: int) -> int:
    """What more answers than this share is common; two may always share something."""
    return max(2, min(COMMON, students // SHARE))


def pairs(exercises: dict[str, Answers], obvious: Collection[int], students: int) -> list[Pair]:
    """All pairs that share SHARED tokens or more in an exercise, the most alike first."""
    limit = common_above(students)
    found: dict[tuple[str, str], list[Passage]] = {}
    for exercise, answers in exercises.items():
        for (left, right), passage in _passages(exercise, answers, obvious, limit):
            found.setdefault((left, right), []).append(passage)
    made = [
        Pair(*names, tuple(sorted(passages, key=lambda item: -item.shared)))
        for names, passages in found.items()
    ]
    return sorted(made, key=lambda pair: (-pair.shared, pair.left, pair.right))


def _passages(
    exercise: str, answers: Answers, obvious: Collection[int], limit: int
) -> Iterator[tuple[tuple[str, str], Passage]]:
    """What each pair shares in one exercise, where it is enough to be reported."""
    names = sorted(answers)
    rare = _rare(((at, answers[name]) for at, name in enumerate(names)), obvious, limit)
    for (one, other), shared in _sharing(rare).items():
        pair = names[one], names[other]
        covered = [_covered(answers[name], obvious, shared) for name in pair]
        passage = Passage(exercise, *covered)
        if passage.shared >= SHARED:
            yield pair, passage


def _rare(
    answers: Iterable[tuple[int, str]], obvious: Collection[int], limit: int
) -> dict[int, list[int]]:
    """Fingerprints that some answers share and not many, with the places of those answers."""
    prints, owners = array("Q"), array("L")
    for place, source in answers:
        found = fingerprints(source, obvious)
        prints.extend(found)
        owners.extend([place] * len(found))
    order = sorted(range(len(prints)), key=prints.__getitem__)
    groups = groupby(order, key=prints.__getitem__)
    sharing = ((gram, [owners[at] for at in places]) for gram, places in groups)
    return {gram: places for gram, places in sharing if 2 <= len(places) <= limit}


def _sharing(rare: dict[int, list[int]]) -> dict[tuple[int, int], set[int]]:
    """The rare fingerprints of every pair that has enough of them to cover SHARED tokens."""
    count = Counter(pair for places in rare.values() for pair in combinations(places, 2))
    enough = {pair for pair, times in count.items() if times * GRAM >= SHARED}
    found: dict[tuple[int, int], set[int]] = {pair: set() for pair in enough}
    for gram, places in rare.items():
        for pair in enough.intersection(combinations(places, 2)):
            found[pair].add(gram)
    return found


def _covered(source: str, obvious: Collection[int], shared: set[int]) -> frozenset[int]:
    """The tokens of an answer that lie in shared fingerprints."""
    found = fingerprints(source, obvious)
    starts = (start for gram in shared for start in found[gram])
    return frozenset(token for start in starts for token in range(start, start + GRAM))
