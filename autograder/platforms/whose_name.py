"""Whom of the roster a name means: `Lovelace, Ada` and `ada Ada Lovelace` are Ada Lovelace.

What could mean two people is left to whoever asks: all of them are given.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import combinations, product
from typing import Any

from autograder.showing.wording import printable

QUOTES = re.compile(r"[\u02bc\u2018\u2019\u00b4]")
MOODLE_LEAVES_OUT = re.compile(r"""[\x00-\x1f\x7f-\x9f&<>"`|':\\/]""")
# A zip may not say in what its names are written: then they are read as cp437, or as a system is
# used to. These are how they may have been read, and how they may have been written.
READ = "cp437", "cp850", "cp1252", "latin-1"
WRITTEN = "utf-8", "cp1252", "cp850", "cp437", "mac-roman"


class Names:
    """The students of a roster by their names. called: all names of what is looked up."""

    def __init__(self, students: Iterable[Any], called: Iterable[str] = ()):
        self.known = [*students]
        self._exact, self._by_words = defaultdict[str, list[Any]](list), defaultdict(list)
        for student in self.known:
            self._exact[as_in_moodle(full_name(student))].append(student)
            for words in _ways_to_say(student):
                self._by_words[words].append(student)
        # who shows one name with the last name first does so with all
        self._turned = any(
            not self._exact.get(as_in_moodle(name)) and self._turned_round(name) for name in called
        )

    def fitting(self, called: str) -> list[Any]:
        """Return the students whom a name may mean."""
        if found := self._fitting(called):
            return found
        decoded = [student for text in _decoded(called) for student in self._fitting(text)]
        return list({student.id: student for student in decoded}.values())

    def _fitting(self, called: str) -> list[Any]:
        exact = self._exact.get(as_in_moodle(called), [])
        return exact if exact and not self._turned else self._by_words.get(_words(called), [])

    def _turned_round(self, called: str) -> bool:
        found = self._by_words.get(_words(called), [])
        return any(_words(full_name(student)) == _words(called) for student in found)


def full_name(student: Any) -> str:
    """First and last name of a student of the gradebook, one space between."""
    return printable(" ".join(f"{student.first_name or ''} {student.last_name or ''}".split()))


def as_in_moodle(name: str) -> str:
    """Return what is left of a name once Moodle has cleaned it and a system has unpacked it."""
    kept = MOODLE_LEAVES_OUT.sub("", QUOTES.sub("", name.replace("_", " ")))
    return " ".join(unicodedata.normalize("NFC", kept).casefold().split())


def letters(name: str) -> str:
    """Only the letters and digits of a name, in small letters."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFC", name)).casefold()


def plain(number: str) -> str:
    """Return a number as a platform has it: Excel makes 1042.0 of 1042."""
    return re.sub(r"^(\d+)\.0+$", r"\1", number.strip())


def _words(name: str) -> tuple[str, ...]:
    """Return the words of a name in one order, whatever theirs is."""
    return tuple(sorted(re.findall(r"[^\s,;()\[\]]+", as_in_moodle(name))))


def _ways_to_say(student: Any) -> set[tuple[str, ...]]:
    """Name, id, address and number of a student, alone and together."""
    said = (
        full_name(student),
        plain(student.id),
        student.email or "",
        plain(student.lms_user_id or ""),
    )
    parts = [text for text in said if _words(text)]
    return {
        _words(" ".join(some))
        for size in range(1, len(parts) + 1)
        for some in combinations(parts, size)
    }


def _decoded(name: str) -> Iterator[str]:
    """Yield what a name that was read in the wrong encoding may have been."""
    if name.isascii():
        return
    for read, written in product(READ, WRITTEN):
        with suppress(UnicodeError):
            yield unicodedata.normalize("NFC", name).encode(read).decode(written)
