"""Submissions of a chapter that are more alike than its exercises explain.

Pairs are found through an inverted index. Memory grows with the number of answers, not with the
number of pairs: a fingerprint that many share is common and makes no pair.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, groupby

from nbformat import NotebookNode

from autograder.chapters import solutions
from autograder.classes.fingerprints import GRAM, covered, fingerprints, grams, own
from autograder.course.course import Course
from autograder.course.groups import sharing
from autograder.course.roster import Roster, roster
from autograder.notebooks.chapter import Chapter, reference
from autograder.notebooks.discovery import written_in

# To be reported, two answers share so many tokens and such a part of what is not obvious in one of
# them. With only the reference as obvious, no two of the course's 230 pairs of variants do, which
# were written to differ; 157 of 165 variants and their copies with other names, and two lines
# exchanged in each function, do: tests/classes/test_similarity.py.
SHARED, PART = 20, 0.5
COMMON, SHARE = 10, 4  # common: in more answers than this, or than one in so many students
Answers = dict[str, str]  # by student


@dataclass(frozen=True)
class Side:
    """One answer's tokens that are not obvious, and those that the other answer has too."""

    own: frozenset[int]
    shared: frozenset[int]


@dataclass(frozen=True)
class Passage:
    """The part that two answers to an exercise share."""

    exercise: str
    left: Side
    right: Side

    @property
    def shared(self) -> int:
        """Tokens, in the answer that has fewer of them."""
        return min(len(side.shared) for side in (self.left, self.right))

    @property
    def share(self) -> float:
        """Return the share of what is not obvious, in the answer of which it is more."""
        return max(len(side.shared) / len(side.own) for side in (self.left, self.right))


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
    """Return the number of answers above which what they share is common; two may always share."""
    return max(2, min(COMMON, students // SHARE))


def pairs(exercises: dict[str, Answers], obvious: frozenset[int], students: int) -> list[Pair]:
    """Return all pairs that share SHARED tokens and PART in an exercise, most alike first."""
    limit = common_above(students)
    shared: dict[tuple[str, str], list[Passage]] = {}
    for exercise, answers in exercises.items():
        for (left, right), passage in _passages(exercise, answers, obvious, limit):
            shared.setdefault((left, right), []).append(passage)
    made = [
        Pair(*names, tuple(sorted(passages, key=lambda passage: -passage.shared)))
        for names, passages in shared.items()
    ]
    return sorted(made, key=lambda pair: (-pair.shared, pair.left, pair.right))


def _passages(
    exercise: str, answers: Answers, obvious: frozenset[int], limit: int
) -> Iterator[tuple[tuple[str, str], Passage]]:
    """Yield what each pair shares in one exercise, where it is enough to be reported."""
    names = sorted(answers)
    rare = _rare(((at, answers[name]) for at, name in enumerate(names)), obvious, limit)
    sharing = _sharing(rare)
    for one, other in sorted(sharing):  # those of one answer in a row, so that it is read once
        pair, shared = (names[one], names[other]), sharing[one, other]
        passage = Passage(exercise, *(_side(answers[name], obvious, shared) for name in pair))
        if passage.shared >= SHARED and passage.share >= PART:
            yield pair, passage


def _rare(
    answers: Iterable[tuple[int, str]], obvious: frozenset[int], limit: int
) -> dict[int, list[int]]:
    """Fingerprints that some answers share and not many, with the places of those answers."""
    prints, owners = array("Q"), array("L")
    for place, source in answers:
        chosen = fingerprints(source, obvious)
        prints.extend(chosen)
        owners.extend([place] * len(chosen))
    order = sorted(range(len(prints)), key=prints.__getitem__)
    groups = groupby(order, key=prints.__getitem__)
    sharing = ((gram, [owners[at] for at in places]) for gram, places in groups)
    return {gram: places for gram, places in sharing if 2 <= len(places) <= limit}


def _sharing(rare: dict[int, list[int]]) -> dict[tuple[int, int], set[int]]:
    """Return the rare fingerprints of every pair that has enough of them to cover SHARED tokens."""
    count = Counter(pair for places in rare.values() for pair in combinations(places, 2))
    enough = {pair for pair, times in count.items() if times * GRAM >= SHARED}
    shared: dict[tuple[int, int], set[int]] = {pair: set() for pair in enough}
    for gram, places in rare.items():
        for pair in enough.intersection(combinations(places, 2)):
            shared[pair].add(gram)
    return shared


def _side(source: str, obvious: frozenset[int], shared: set[int]) -> Side:
    places, tokens = _prints_and_own(source, obvious)
    return Side(tokens, covered(at for gram in shared for at in places[gram]))


@lru_cache(maxsize=64)  # one long answer may share a little with each of many
def _prints_and_own(
    source: str, obvious: frozenset[int]
) -> tuple[dict[int, set[int]], frozenset[int]]:
    return fingerprints(source, obvious), own(source, obvious)


@dataclass(frozen=True)
class Similarities:
    """The answers that were compared, and the pairs that were found.

    answers: by exercise and student. obvious: fingerprints that come with the exercise.
    common: what more answers than this share was left out. unread: notebooks that cannot be read.
    """

    chapter: str
    students: int
    answers: dict[str, dict[str, str]]
    obvious: frozenset[int]
    common: int
    unread: int
    pairs: list[Pair]
    roster: Roster = field(default_factory=Roster)


def similarities(course: Course, name: str) -> Similarities:
    """Compare all submissions of a chapter, a group's once. Raises CourseError without any."""
    chapter = solutions.load(course.root, name)
    again = {one for members in sharing(course, name).values() for one in members[1:]}
    found = course.submissions(name)
    submissions = {student: path for student, path in found.items() if student not in again}
    released = course.released(name)
    answers: dict[str, dict[str, str]] = {exercise: {} for exercise in chapter.exercises}
    unread = 0
    for student, path in submissions.items():
        written = written_in(path, released)
        if written is None:
            unread += 1
            continue
        for exercise in written.keys() & chapter.exercises.keys():
            answers[exercise][student] = written[exercise]
    obvious = _obvious(chapter, released)
    students = len(submissions) - unread
    alike = pairs(answers, obvious, students)
    return Similarities(
        name, students, answers, obvious, common_above(students), unread, alike, roster(course)
    )


def _obvious(chapter: Chapter, released: NotebookNode) -> frozenset[int]:
    """Return what all were given, the reference has, or the author expects of learners."""
    given = [cell.source for cell in released.cells if cell.cell_type == "code"]
    expected = [
        known.source_as(exercise.name)
        for exercise in chapter.exercises.values()
        for known in (*exercise.variants, *exercise.misconceptions)
    ]
    texts = [*given, *reference(chapter).values(), *expected]
    return frozenset(gram for text in texts for gram in grams(text))
