"""The notebooks that one student may have meant, and the one that counts. Reading has a limit."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath

from nbformat import NotebookNode

from autograder.notebooks.archive import ArchiveError, members_in
from autograder.notebooks.hand_in import ARCHIVE, NotebookError, UnreadableError, content, head
from autograder.notebooks.kinds import GZIP, UNPACKED
from autograder.notebooks.listing import (
    DEPTH,
    ENTRIES,
    SIZE_LIMIT,
    Listing,
    listing,
    may_be_notebook,
    shown,
    shown_text,
)
from autograder.notebooks.weighing import Candidate, Scale, Weight, best

CANDIDATES = 20  # notebooks that are read for one student
ARCHIVES = 5  # that are opened for one student
OTHERS = 1000  # files of any other name that are looked at
COMPARED = 32 * 2**20  # bytes of them; the first may be larger


@dataclass
class Candidates:
    """The notebooks of a listing that are read. left_out: sentences on what was not looked at.

    released: is called only where there is something to compare. unread: what this machine could
    not read, which may hold answers. room, compared: in bytes.
    """

    chapter: str
    released: Callable[[], NotebookNode]
    left_out: list[str] = field(default_factory=list)
    unread: list[Path] = field(default_factory=list)
    room: int = SIZE_LIMIT
    compared: int = 0

    def among(self, there: Listing) -> list[Candidate]:
        """Return the notebooks of a listing and of its archives that can be read."""
        if not there.whole:
            self.left_out.append(
                f"what lies deeper than {DEPTH} folders or after {ENTRIES:,} files."
            )
        found = self.contents(there)
        return [*self._readable((path, found[path]) for path in self._likely([*found]))]

    def contents(self, there: Listing) -> dict[Path, bytes]:
        """Return the files of a listing, and those in its archives, that may be notebooks."""
        files = self._contents(self._likely(_notebooks(there)))
        packed = self._contents(self._first(there.archives), packed=True)
        return dict([*files, *packed])

    def read(self, paths: Iterable[Path]) -> list[Candidate]:
        """Return those of some files that are notebooks."""
        return [*self._readable(self._contents(paths))]

    def _likely(self, notebooks: list[Path]) -> list[Path]:
        """All, or of very many those whose names begin as the chapter's, which come first."""
        begins = self.chapter.lower()
        likely = [path for path in notebooks if path.name.lower().startswith(begins)]
        likely.sort(key=lambda path: path.stem != self.chapter)
        if len(notebooks) <= CANDIDATES:
            return likely + [path for path in notebooks if path not in likely]
        chosen = likely if len(likely) <= CANDIDATES else []
        self.left_out.append(f"{len(notebooks) - len(chosen)} notebooks, since there are too many.")
        return chosen

    def _first(self, archives: list[Path]) -> list[Path]:
        if len(archives) > ARCHIVES:
            self.left_out.append(f"archives after the first {ARCHIVES} of {len(archives)}.")
        return archives[:ARCHIVES]

    def _contents(
        self, paths: Iterable[Path], packed: bool = False
    ) -> Iterator[tuple[Path, bytes]]:
        """Read files, and what is in those that are archives; packed: as all are."""
        for path in paths:
            try:
                if _size(path) > self.room:
                    raise NotebookError(f"{shown(path)} is too large to be looked at.")
                data = content(path)
            except NotebookError as error:
                self.left_out.append(str(error))
                self.unread += [path] if isinstance(error, UnreadableError) else []
                continue
            self.room -= len(data)
            is_archive = packed or data.startswith(ARCHIVE)
            yield from self._unpacked(path, data) if is_archive else [(path, data)]

    def _unpacked(self, archive: Path, data: bytes) -> list[tuple[Path, bytes]]:
        try:
            members = members_in(data, self._wanted, self.room)
        except ArchiveError as error:
            self.left_out.append(f"{shown(archive)} {error}.")
            return []
        self.room -= sum(map(len, members.values()))
        return [(archive / path, members[path]) for path in sorted(members)]

    def _wanted(self, path: PurePosixPath) -> bool:
        hidden = any(part.startswith(".") for part in path.parts)
        return may_be_notebook(path.name, self.chapter) and not hidden

    def _readable(self, found: Iterable[tuple[Path, bytes]]) -> Iterator[Candidate]:
        for path, data in found:
            if self.compared > COMPARED:
                self.left_out.append(f"{shown(path)}, since the others are large.")
                continue
            self.compared += UNPACKED if data.startswith(GZIP) else len(data)
            if weight := self._scale.weigh(data, path):
                yield Candidate(path, weight)

    @cached_property
    def _scale(self) -> Scale:
        return Scale(self.released())


def paths_in(folder: Path, chapter: str) -> list[Path]:
    """Return all that may turn out to be the chapter's notebook; may lead into archives."""
    there = listing(folder, chapter)
    found = Candidates(chapter, NotebookNode).contents(there)
    return [*found, *there.checkpoints, *unnamed(there)]


def unnamed(there: Listing) -> list[Path]:
    """Return the first files that no name says to be a notebook, but that begin as one."""
    likely = (path for path in there.others[:OTHERS] if head(path).startswith((b"{", GZIP)))
    return [*islice(likely, CANDIDATES)]


def is_alone(named: Path, there: Listing) -> bool:
    """Tell whether a notebook is the only one in a listing, so that nothing need be compared."""
    alone = _notebooks(there) == [named] and there.whole
    beside = there.archives or there.checkpoints or unnamed(there)
    return alone and not (beside or head(named).startswith(ARCHIVE))


def _notebooks(there: Listing) -> list[Path]:
    return [path for path in there.notebooks if _looks_like_one(path)]


def _looks_like_one(path: Path) -> bool:
    """Tell whether it is no picture or the like, whose name begins as the chapter's."""
    return ".ipynb" in path.name.lower() or head(path).startswith((b"{", GZIP, ARCHIVE))


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


NAMED = 3  # others that a sentence names, and sentences on what was not looked at
Released = Callable[[], NotebookNode]


@dataclass(frozen=True)
class Found:
    """The notebook that counts, which need not exist, and notes on where it was found.

    path: leads into an archive where the notebook lies in one. weight: what is written, if known.
    """

    path: Path
    notes: tuple[str, ...] = ()
    weight: Weight | None = None


def notebook_of(folder: Path, chapter: str, released: Released) -> Found:
    """Return the notebook of a student's folder with most answers, wherever it lies in it.

    Without any answers it is the one with the chapter's name.
    """
    named = folder / f"{chapter}.ipynb"
    if folder.is_symlink() or not folder.is_dir():
        return Found(named)
    there = listing(folder, chapter)
    if is_alone(named, there):
        return Found(named)
    search = Candidates(chapter, released)
    read = search.among(there)
    if not any(one.weight.done for one in read):
        read += search.read([*there.checkpoints[:CANDIDATES], *unnamed(there)])
    ranked = best(read, named)
    left_out = tuple(f"Not looked at: {sentence}" for sentence in search.left_out[:NAMED])
    if not ranked or named in search.unread:
        return Found(named, left_out)
    told = (*notes(ranked, named, folder), *left_out)
    return Found(ranked[0].path, told, ranked[0].weight)


def outweighs(here: Found, there: Found, chapter: str, released: Released) -> bool:
    """Tell whether a notebook in the chapter's folder counts, though another one is elsewhere."""
    search = Candidates(chapter, released)
    own = here.weight or next((one.weight for one in search.read([here.path])), None)
    if own is None or there.weight is None:
        return bool(search.unread)
    return bool(own.done) or own.amount >= there.weight.amount


def notes(ranked: list[Candidate], named: Path, base: Path) -> list[str]:
    """Tell which of several notebooks was graded, or where the only one lies: seen from `base`.

    named: where it should lie.
    """
    chosen, *others = [
        f"{shown_text(str(one.path.relative_to(base)))} ({one.weight.done} answered)"
        for one in ranked
    ]
    if others:
        rest = ", ".join(others[:NAMED]) + (" and more" if len(others) > NAMED else "")
        return [f"{len(ranked)} notebooks hold different answers: {chosen} was graded, not {rest}."]
    if ranked[0].path == named:
        return []
    usual = named.relative_to(base)
    reason = f"{usual} holds no answers" if os.path.lexists(named) else f"there is no {usual}"
    return [f"{chosen} was graded, since {reason}."]
