"""Work for a chapter that lies in a student's folder, but not in the chapter's."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from autograder.notebooks.candidates import Candidates
from autograder.notebooks.listing import (
    Listing,
    entries,
    is_archive,
    listing,
    may_be_notebook,
    shown_text,
)
from autograder.notebooks.misnamed import begins_as, may_mean
from autograder.notebooks.student import Found, Released, notes
from autograder.notebooks.weighing import Candidate, best

TOLD = 3  # entries of one student that are named
ENTRIES = 1000  # of one student that are looked at


@dataclass(frozen=True)
class Astray:
    """What is beside the chapter's folder in a student's own: all entries of no chapter's name.

    chapters: the names of all chapters of the course.
    """

    home: Path
    chapter: str
    released: Released
    chapters: Collection[str]

    def found(self) -> Found | None:
        """The notebook that counts, if one holds answers and it is clear that it is this student's.

        Several folders with answers may be of several students, unless their names are the
        chapter's but for a slip.
        """
        if not self._answered or (len(self._tops) > 1 and not all(map(self._means, self._tops))):
            return None
        told = tuple(notes(self._answered, self._usual, self.home))
        return Found(self._answered[0].path, told, self._answered[0].weight)

    def told(self, graded: bool) -> list[str]:
        """What to say of entries of which nothing is graded.

        graded: what is in the chapter's folder is.
        """
        if self._tops:
            but = f"what is in the folder {self.chapter} was graded" if graded else (
                f"so do others. Put what counts into {self._shown(self.chapter)}"
            )  # fmt: skip
            sentences = [f"{self._shown(top)} holds answers to {self.chapter}, but {but}."
                         for top in self._tops]  # fmt: skip
        else:
            meant = {} if graded else {
                *filter(self._means, self._names),
                *(self._top(one) for one in self._candidates),
            }  # fmt: skip
            sentences = [f"{self._shown(top)} may be meant for {self.chapter}, but no answers to "
                         f"it were found there. If it is, rename it to {self.chapter}."
                         for top in sorted(meant)]  # fmt: skip
        return sentences[:TOLD]

    @cached_property
    def _names(self) -> list[str]:
        """Of folders, and of files that may be a notebook or hold one."""
        return [
            entry.name
            for entry in entries(self.home, ENTRIES)
            if entry.name not in self._known
            and not entry.name.startswith(".")
            and (
                not entry.is_file(follow_symlinks=False)
                or is_archive(entry.name)
                or may_be_notebook(entry.name, self.chapter)
            )
        ]

    @cached_property
    def _known(self) -> frozenset[str]:
        """Names that are no slip; that of the chapter is one where a file has it."""
        own = self.home / self.chapter
        is_slip = own.is_file() and not own.is_symlink()
        return frozenset({*self.chapters} - ({self.chapter} if is_slip else set()))

    @cached_property
    def _candidates(self) -> list[Candidate]:
        """Notebooks of the chapter, by their cells or by their names and answers."""
        if not self._names:
            return []
        there = listing(self.home, self.chapter, self._known)
        others = [name for name in self.chapters if name != self.chapter]
        own = [path for path in there.notebooks if not begins_as(path.name, others)]
        search = Candidates(self.chapter, self.released)
        found = search.among(Listing(own, there.archives))
        return [one for one in found if one.weight.is_of_chapter or self._is_meant(one.path)]

    @cached_property
    def _answered(self) -> list[Candidate]:
        return best(self._candidates, self._usual)

    @property
    def _tops(self) -> list[str]:
        """The entries that hold answers."""
        return sorted({self._top(one) for one in self._answered})

    @property
    def _usual(self) -> Path:
        return self.home / self.chapter / f"{self.chapter}.ipynb"

    def _is_meant(self, path: Path) -> bool:
        return any(map(self._means, path.relative_to(self.home).parts))

    def _means(self, name: str) -> bool:
        return may_mean(name, self.chapter, self.chapters)

    def _top(self, candidate: Candidate) -> str:
        return candidate.path.relative_to(self.home).parts[0]

    def _shown(self, top: str) -> str:
        return f"{shown_text(self.home.name)}/{shown_text(top)}"
