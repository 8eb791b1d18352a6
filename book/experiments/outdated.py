"""Which exercises are measured again: those that a record lacks, and those that changed since.

Where there are none, all are. Since when an exercise is as it is, a record knows by its files: the
series MADE_OF has a digest of them. What is not in that series was measured before there was one,
and counts as unchanged. Of what all exercises share, such as the engine, nothing is asked.
"""

import time
from collections.abc import Callable, Collection, Mapping

import measurements
from measurements import Record

from autograder.authoring.last_run import fingerprint
from autograder.notebooks.chapter import Chapter

MADE_OF = "made_of"
Files = dict[str, dict[str, str]]  # by chapter and exercise: a digest
Names = Mapping[str, Collection[str]]  # by chapter: exercises


def files_of(chapters: Collection[Chapter]) -> Files:
    """The digests of today, of all exercises of these chapters."""
    return {one.name: {name: fingerprint(one, name) for name in one.exercises} for one in chapters}


def outdated(today: Files, record: Record, lacks: Callable[[str, str], bool]) -> Names:
    """lacks: whether the record has not all of a chapter's exercise."""
    known = record["series"].get(MADE_OF, {})
    found = {
        chapter: [name for name, digest in digests.items() if lacks(chapter, name)
                  or known.get(chapter, {}).get(name, digest) != digest]
        for chapter, digests in today.items()
    }  # fmt: skip
    return {chapter: names for chapter, names in found.items() if names} or today


def made_of(today: Files, record: Record, measured: Names) -> Files:
    """The series of the new record: the digests of what was measured now, and those it had."""
    known = record["series"].get(MADE_OF, {})
    found = {
        chapter: {name: digest if name in measured.get(chapter, ())
                  else known.get(chapter, {}).get(name) for name, digest in digests.items()}
        for chapter, digests in today.items()
    }  # fmt: skip
    return {chapter: {name: digest for name, digest in digests.items() if digest}
            for chapter, digests in found.items()}  # fmt: skip


def count_as_whole(record: Record) -> None:
    """A record says how long a whole run takes, also where only a part was measured again."""
    measurements.BEGAN = time.monotonic() - record["seconds"]
