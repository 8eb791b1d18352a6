"""This module finds each student's notebook among the submissions, also where it lies astray."""

import os
import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache, cached_property, lru_cache
from pathlib import Path

from nbformat import NotebookNode

from autograder.notebooks.answers import Answers
from autograder.notebooks.candidates import (
    Candidates,
    Found,
    Released,
    notebook_of,
    notes,
    outweighs,
)
from autograder.notebooks.hand_in import NotebookError
from autograder.notebooks.listing import (
    Listing,
    entries,
    is_archive,
    listing,
    may_be_notebook,
    shown,
    shown_text,
)
from autograder.notebooks.submission import read
from autograder.notebooks.watchdog import OutOfTime
from autograder.notebooks.weighing import Candidate, best

TOLD = 3  # entries of one student that are named
ENTRIES = 1000  # of one student that are looked at


@dataclass(frozen=True)
class Astray:
    """The entries of a student's folder that have no chapter's name.

    chapters: the names of all chapters of the course.
    """

    home: Path
    chapter: str
    released: Released
    chapters: Collection[str]

    def found(self) -> Found | None:
        """Return the notebook that counts, if one holds answers and is clearly this student's.

        Several folders with answers may be of several students, unless their names are the
        chapter's but for a slip.
        """
        if not self._answered or (len(self._tops) > 1 and not all(map(self._means, self._tops))):
            return None
        told = tuple(notes(self._answered, self._usual, self.home))
        return Found(self._answered[0].path, told, self._answered[0].weight)

    def told(self, graded: bool) -> list[str]:
        """Say what there is to say of entries of which nothing is graded.

        graded: what is in the chapter's folder is.
        """
        if self._tops:
            but = f"so do others. Put what counts into {self._shown(self.chapter)}"
            if graded:
                but = f"what is in the folder {self.chapter} was graded"
            holds = f"holds answers to {self.chapter}, but {but}."
            return [f"{self._shown(top)} {holds}" for top in self._tops][:TOLD]
        if graded:
            return []
        meant = {*filter(self._means, self._names), *map(self._top, self._candidates)}
        may_be = (
            f"may be meant for {self.chapter}, but no answers to it were found there. If it is, "
            f"rename it to {self.chapter}."
        )
        return [f"{self._shown(top)} {may_be}" for top in sorted(meant)][:TOLD]

    @cached_property
    def _names(self) -> list[str]:
        """Return the names of folders, and of files that may be a notebook or hold one."""
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


ALIKE = 0.8  # of 1: two words with a slip of the keyboard between them
LONGEST = 80  # characters of a name that are looked at


def may_mean(name: str, chapter: str, others: Iterable[str]) -> bool:
    """Tell whether a name has the number of a chapter or its words, and not those of another one.

    `Means`, `04-maens`, `04_means (1)`, `chapter 4` and `HW04` may mean `04_means`.
    """
    (number, words), (wanted, title) = _parts(name), _parts(chapter)
    if title and _has(words, title):
        return True
    titles = {_parts(other)[1] for other in others} - {title, ()}
    return number is not None and number == wanted and not any(_has(words, one) for one in titles)


def begins_as(name: str, chapters: Iterable[str]) -> bool:
    """Tell whether a name begins as that of one of the chapters."""
    return any(name.casefold().startswith(chapter.casefold()) for chapter in chapters)


@lru_cache(maxsize=1000)
def _parts(name: str) -> tuple[int | None, tuple[str, ...]]:
    """Return the first number of a name, and its words."""
    text = unicodedata.normalize("NFKC", name[:LONGEST]).casefold()
    number = re.search(r"[0-9]{1,6}", text)
    return int(number[0]) if number else None, tuple(re.findall(r"[^\W\d_]+", text))


def _has(words: tuple[str, ...], title: tuple[str, ...]) -> bool:
    """Tell whether all words of a title are there, up to a slip, or its words as one."""
    return _alike("".join(words), "".join(title)) or all(
        any(_alike(word, wanted) for word in words) for wanted in title
    )


def _alike(one: str, two: str) -> bool:
    return one == two or SequenceMatcher(None, one, two).ratio() >= ALIKE


# Control characters, bytes that are no UTF-8, line separators. nbgrader takes a folder's name for a
# pattern, too: the feedback of a student named * would be everybody's.
UNUSABLE = ("Cc", "Cs", "Zl", "Zp")


@dataclass
class Discovered:
    """The notebook of every student who handed in work for a chapter, sorted by student.

    A notebook need not exist. passed_over: a sentence for each entry of the folder of submissions,
    or of a student's folder, of which nothing is graded.
    """

    found: dict[str, Found] = field(default_factory=dict)
    passed_over: list[str] = field(default_factory=list)

    @property
    def notebooks(self) -> dict[str, Path]:
        """Return the paths by student; one may lead into an archive."""
        return {student: found.path for student, found in self.found.items()}


def submissions(
    base: Path, chapter: str, released: Released, chapters: Collection[str] = ()
) -> Discovered:
    """Find what was handed in for a chapter. chapters: the names of all chapters of the course."""
    result, chapters = Discovered(), {*chapters, chapter}
    released = cache(released)  # only where some notebook has another name, and once
    for entry in sorted(os.scandir(base), key=lambda entry: entry.name):
        folder = Path(entry.path, chapter)
        if entry.name.startswith(".") and not os.path.lexists(folder):
            continue  # such as .git and .DS_Store
        if reason := _fault(entry, folder, chapters):
            result.passed_over.append(f"{shown(Path(entry.path))} in {base} {reason}")
            continue
        found, told = of_student(Path(entry.path), chapter, released, chapters)
        result.passed_over += [f"In {base}, {sentence}" for sentence in told]
        if found:
            result.found[entry.name] = found
    return result


def of_student(
    home: Path, chapter: str, released: Released, chapters: Collection[str]
) -> tuple[Found | None, list[str]]:
    """Return the notebook of one student, None without any work, and what to say of it.

    What does not lie in the chapter's folder counts where nothing is written in that.
    """
    folder, beside = home / chapter, Astray(home, chapter, released, chapters)
    here = notebook_of(folder, chapter, released) if os.path.lexists(folder) else None
    elsewhere = beside.found()
    if here and (not elsewhere or outweighs(here, elsewhere, chapter, released)):
        return here, beside.told(graded=True)
    return elsewhere, [] if elsewhere else beside.told(graded=False)


def _fault(entry: "os.DirEntry[str]", folder: Path, chapters: Collection[str]) -> str:
    """Say why an entry is not a student's, "" if it is one; `folder` is in it, for the chapter."""
    if reason := name_fault(entry.name):
        return reason
    if entry.is_symlink():
        return "is a link; put the student's own folder there."
    if not entry.is_dir():
        return f"is not a folder; a student's work lies in STUDENT/{folder.name}/."
    if entry.name in chapters and not os.path.lexists(folder):
        return f"has a chapter's name, not a student's; work lies in STUDENT/{folder.name}/."
    return _reading_fault(folder)


def _reading_fault(folder: Path) -> str:
    """Say why this machine cannot tell whether there is such a folder, "" if it can."""
    try:
        os.lstat(folder)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"could not be read: {error.strerror}."
    return ""


def name_fault(name: str) -> str:
    """Say why no student's folder can have this name, "" if it can."""
    if name.startswith("."):
        return "begins with a dot, so nbgrader does not see it; rename the folder."
    if name != name.strip():
        return "begins or ends with a blank, which nbgrader leaves out; rename the folder."
    if any(unicodedata.category(letter) in UNUSABLE or letter in "*?[" for letter in name):
        return "is a name that nbgrader cannot use for a student; rename the folder."
    return ""


def written_in(path: Path, released: NotebookNode) -> dict[str, str] | None:
    """Return the answers in a notebook by id, but for stubs; None where it cannot be read."""
    try:
        return Answers(released, read(path)).written()
    except (NotebookError, OutOfTime):
        return None
