"""Which exercises are measured again: those that a record lacks, and those that changed since.

If there are none, all are measured. A record notices a changed exercise by its files, of which the
series MADE_OF holds a digest. An exercise without a digest was measured before the series existed,
and counts as unchanged. A change of what all exercises share, such as the engine, is not noticed.
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
    """Return today's digest of each exercise of these chapters."""
    return {one.name: {name: fingerprint(one, name) for name in one.exercises} for one in chapters}


def outdated(today: Files, record: Record, lacks: Callable[[str, str], bool]) -> Names:
    """Return the exercises to measure, by chapter.

    lacks: tells of a chapter and an exercise whether the record is missing any of its numbers.
    """
    known = record["series"].get(MADE_OF, {})
    found = {
        chapter: [name for name, digest in digests.items() if lacks(chapter, name)
                  or known.get(chapter, {}).get(name, digest) != digest]
        for chapter, digests in today.items()
    }  # fmt: skip
    return {chapter: names for chapter, names in found.items() if names} or today


def made_of(today: Files, record: Record, measured: Names) -> Files:
    """Return the digests for the new record: of what was measured now, and those it had."""
    known = record["series"].get(MADE_OF, {})
    found = {
        chapter: {name: digest if name in measured.get(chapter, ())
                  else known.get(chapter, {}).get(name) for name, digest in digests.items()}
        for chapter, digests in today.items()
    }  # fmt: skip
    return {chapter: {name: digest for name, digest in digests.items() if digest}
            for chapter, digests in found.items()}  # fmt: skip


def count_as_whole(record: Record) -> None:
    """Let the record say how long a whole run takes, although only a part was measured again."""
    measurements.BEGAN = time.monotonic() - record["seconds"]
