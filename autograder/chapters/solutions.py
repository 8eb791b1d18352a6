"""The folder `solutions/`: which chapters there are, and a chapter with its exercises imported."""

import hashlib
import importlib
import os
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from nbformat import NotebookNode

from autograder.chapters import cell_slips, settings, shared_code, slips
from autograder.chapters.course_root import SOLUTIONS
from autograder.chapters.settings import published
from autograder.common import source_location
from autograder.common.cell import EXERCISE
from autograder.common.errors import CourseError
from autograder.notebooks.chapter import Chapter

if TYPE_CHECKING:
    from autograder.exercise.spec import Exercise, Vocabulary

VOCABULARY = "vocabulary.py"  # It lies beside the chapters; a course may have none.


def solutions_folder(root: Path) -> Path:
    """Return the course's `solutions/`, where it really lies: a class may have a link to it."""
    return (root / SOLUTIONS).resolve()


def chapter_names(root: Path) -> list[str]:
    """Return all chapters that have a source notebook."""
    return sorted(
        path.parent.name
        for path in solutions_folder(root).glob("*/*.md")
        if path.stem == path.parent.name
    )


def all_chapters(root: Path) -> list[str]:
    """Return the names of all chapters. Raises CourseError where there are none."""
    if names := chapter_names(root):
        return names
    raise CourseError(f"There are no chapters in {solutions_folder(root)}.")


def refuse_unknown(root: Path, name: str) -> None:
    """Raise CourseError, with those that there are, for a chapter that the course does not have."""
    names = chapter_names(root)
    if name not in names:
        known = ", ".join(names) or "none"
        folder = solutions_folder(root)
        raise CourseError(f"There is no chapter {name!r} in {folder}; chapters: {known}.")


def load(root: Path, name: str) -> Chapter:
    """Read a chapter's notebook and import its exercises.

    A file that was changed is imported anew. Raises CourseError if there is no such chapter, if
    an exercise lacks its file, or for a slip of the author's that would cost every learner.
    """
    refuse_unknown(root, name)
    folder = solutions_folder(root) / name
    source = folder / f"{name}.md"
    written = read_text(source)
    text = parsed(source, written)
    cell_slips.refuse(source, text, written.splitlines())
    names = cell_slips.named(EXERCISE, text.cells)
    files = tuple(shared_code.files(text, folder))
    shared_code.fill(text, folder)
    package = _package(folder, files, _digest([*sorted(folder.glob("*.py")), *files]))
    exercises = {one: _with_accepted(_exercise(package, folder, one), folder) for one in names}
    slips.refuse(folder, exercises)
    course, words = settings.read(folder.parent), _vocabulary(folder.parent)
    exercises = {one: replace(known, vocabulary=words) for one, known in exercises.items()}
    exercises = _in_the_book(folder.parents[1], _by_default(exercises, course))
    return Chapter(name, folder, text, exercises)


def _by_default(
    exercises: "dict[str, Exercise]", course: settings.Settings
) -> "dict[str, Exercise]":
    """Return the exercises, with what the course says where they say nothing."""
    return {
        name: replace(one, device=course.device) if one.device is None else one
        for name, one in exercises.items()
    }


def _in_the_book(root: Path, exercises: "dict[str, Exercise]") -> "dict[str, Exercise]":
    """Give the section to read again its whole address, if the book has one."""
    book = published(root).book
    if not book:
        return exercises
    return {
        name: replace(one, read=book + one.read) if one.read else one
        for name, one in exercises.items()
    }


def _vocabulary(folder: Path) -> "Vocabulary":
    """Return the course's own words. Raises CourseError where the file says something else."""
    from autograder.diagnosis import catalogue
    from autograder.exercise.spec import NO_WORDS, Vocabulary

    path = folder / VOCABULARY
    if not path.is_file():
        return NO_WORDS
    module = _imported(_package(folder, (), _digest([path])), path)
    found = getattr(module, "vocabulary", None)
    if not isinstance(found, Vocabulary):
        raise CourseError(f"{path} must define `vocabulary = Vocabulary(…)`.")
    if unknown := ", ".join(sorted(found.words.keys() - catalogue.PATTERNS)):
        listed = f"{catalogue.__file__} lists all patterns."
        raise CourseError(f"{path} has words for {unknown}, which is no pattern. {listed}")
    return found


def accepted_folder(folder: Path, exercise: str) -> Path:
    """Return the folder where a chapter keeps accepted answers; it may not exist."""
    return folder / "accepted" / exercise


def _with_accepted(exercise: "Exercise", folder: Path) -> "Exercise":
    from autograder.exercise.spec import Accepted

    paths = sorted(accepted_folder(folder, exercise.name).glob("*.py"))
    kept = tuple(Accepted(path.stem, read_text(path), path) for path in paths)
    return replace(exercise, accepted=kept) if kept else exercise


def read_text(source: Path) -> str:
    """Raise CourseError for a file in another encoding than UTF-8."""
    try:
        return source.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise CourseError(f"{source} is not in UTF-8: {error.reason}. Save it as that.") from error


def parsed(source: Path, text: str) -> NotebookNode:
    """Return the notebook of a MyST text; its metadata has the line of each cell, as `source_map`.

    Raises CourseError, which names `source`, for a text that is none.
    """
    # A learner, who has the engine only, need not have it.
    from jupytext.myst import myst_to_notebook

    try:
        return myst_to_notebook(text, add_source_map=True)
    except Exception as error:
        said = " ".join(str(error).split())
        raise CourseError(f"{source} cannot be read as a notebook: {said} Correct it.") from error


def _digest(paths: list[Path]) -> str:
    """Digest all that a chapter's exercises may import from its folder, and what it is given."""
    files = [(path.name, path.read_bytes()) for path in paths]
    return hashlib.sha256(repr(files).encode()).hexdigest()


@cache
def _package(folder: Path, given_files: tuple[Path, ...], digest: str) -> str:
    """Return the name under which the files of a chapter are imported, and can import each other.

    They can import what the chapter is given, too. The name is of this content alone: what was
    changed gets another, and is read anew.
    """
    package = types.ModuleType(f"solutions_{str(folder).encode().hex()}_{digest}")
    package.__path__ = [str(folder), *{str(path.parent): None for path in given_files}]
    sys.modules[package.__name__] = package
    importlib.invalidate_caches()
    return package.__name__


@cache
def _exercise(package: str, folder: Path, name: str) -> "Exercise":
    from autograder.exercise.spec import Exercise  # and torch, which finding chapters does not need

    path = folder / f"{name}.py"
    if not path.is_file():
        raise CourseError(f"Exercise {name!r} of {folder.name} needs {path}, which does not exist.")
    module = _imported(package, path)
    more = folder / f"{name}_misconceptions.py"  # a file of their own where they are long
    if more.is_file():
        _imported(package, more)
    exercise = getattr(module, "exercise", None)
    if not isinstance(exercise, Exercise) or exercise.name != name:
        raise CourseError(f"{path} must define `exercise = Exercise({name!r}, …)`.")
    return exercise


def _imported(package: str, path: Path) -> types.ModuleType:
    """Import a file of an exercise. Raises CourseError, with the line, if it is no Python."""
    try:
        with _nothing_compiled_is_kept():
            return importlib.import_module(f"{package}.{path.stem}")
    except CourseError:
        raise
    except Exception as error:
        at = source_location.of_error(error, path)
        what = error.msg if isinstance(error, SyntaxError) else error
        raise CourseError(f"{at}: {type(error).__name__}: {what}. Correct it.") from error


@contextmanager
def _nothing_compiled_is_kept() -> Iterator[None]:
    """Else Python takes it for that of a file which was edited and is as long and as old.

    What was compiled before lies beside the file; it is not looked for there.
    """
    before = sys.dont_write_bytecode, sys.pycache_prefix
    sys.dont_write_bytecode, sys.pycache_prefix = True, os.devnull
    try:
        yield
    finally:
        sys.dont_write_bytecode, sys.pycache_prefix = before
