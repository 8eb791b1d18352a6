"""Answers that say the same, which are marked once for all; and which grader gets which of them."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograder.common.files import in_file_name
from autograder.marking.written_answers import Answer, Question

AS_WRITTEN = re.compile(r"(\$[^$]*\$|`[^`]*`)")  # in a formula or in code a capital is another name


@dataclass(frozen=True)
class Group:
    """Answers of one text, but for white space, capitals and how Unicode writes a letter.

    id: depends on the text alone, not on who else is in the class. text: levelled, "" for nothing.
    """

    id: str
    text: str
    answers: list[Answer]

    @property
    def empty(self) -> bool:
        """Tell whether nothing was written."""
        return not self.text and not self.answers[0].attachments


@dataclass(frozen=True)
class Part:
    """One of several graders, who share a class by the groups of answers, not by the students.

    The same text always comes to the same grader, also when students are added. section: of the
    class, "" for all of it.
    """

    number: int = 1
    of: int = 1
    section: str = ""

    def has(self, group: Group) -> bool:
        """Tell whether the group is this grader's."""
        return int(group.id, 16) % self.of == self.number - 1

    def __str__(self) -> str:
        """Write "section Monday, grader 2/5"; nothing for a grader who has all."""
        section = f"section {self.section}" if self.section else ""
        grader = f"grader {self.number}/{self.of}" if self.of > 1 else ""
        return ", ".join(filter(None, (section, grader)))

    @property
    def suffix(self) -> str:
        """Return what a file's name has of it: ".Monday.2-of-5"."""
        section = in_file_name(self.section)
        grader = f"{self.number}-of-{self.of}" if self.of > 1 else ""
        return "".join(f".{name}" for name in (section, grader) if name)


def groups(question: Question, answers: Iterable[Answer]) -> list[Group]:
    """Group the answers to a question: empty ones first, then each beside what is most like it."""
    found: dict[str, Group] = {}
    for answer in answers:
        text = levelled(answer.source)
        if text == levelled(question.released):
            text = ""
        key = _digest(question.name, text, answer.attachments)
        found.setdefault(key, Group(key, text, [])).answers.append(answer)
    return [*_chained(found.values())]


def levelled(text: str) -> str:
    """Return the same for texts that differ in white space, capitals or the writing of a letter."""
    one_line = " ".join(unicodedata.normalize("NFC", text).split())
    parts = AS_WRITTEN.split(one_line)  # every second one is a formula or code
    return "".join(part if place % 2 else part.casefold() for place, part in enumerate(parts))


def _digest(*what: object) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]


def _chained(found: Iterable[Group]) -> Iterator[Group]:
    """Empty answers; the largest group; then, again and again, what shares most words with it."""
    left = sorted(found, key=lambda group: (not group.empty, -len(group.answers), group.text))
    words = {group.id: {*re.findall(r"\w+", group.text)} for group in left}
    while left:
        group = left.pop(0)
        yield group
        if left and not group.empty:
            nearest = max(left, key=lambda other: _likeness(words[group.id], words[other.id]))
            left.remove(nearest)
            left.insert(0, nearest)


def _likeness(one: set[str], other: set[str]) -> float:
    """Share of the words of two texts that both have, from 0 to 1."""
    return len(one & other) / max(1, len(one | other))
