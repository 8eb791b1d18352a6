"""A course knows its folders and files, as nbgrader's configuration says."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from tempfile import NamedTemporaryFile

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config, PyFileConfigLoader

from autograder.chapters.course_root import CONFIG
from autograder.common.errors import CourseError
from autograder.common.files import JOURNALS, SEED, TEMPLATES
from autograder.course.literal_paths import address, refuse_variables
from autograder.course.nbgrader_errors import RESTORE, GradebookError, file_of
from autograder.course.opening import opened
from autograder.notebooks import discovery
from autograder.notebooks.candidates import Found
from autograder.notebooks.discovery import Discovered

NO_CONFIG = TEMPLATES / "new_nbgrader_config.py.txt"  # what a new course begins with


@dataclass(frozen=True)
class Course:
    """One course root: submitted/, autograded/, feedback/ and the gradebook lie in it."""

    root: Path

    @cached_property
    def config(self) -> Config:
        """Read the root's nbgrader_config.py, or that of a new course where it has none."""
        refuse_variables(self.root)
        own = self.root / CONFIG
        path = own if own.is_file() else NO_CONFIG
        config: Config = PyFileConfigLoader(path.name, path=str(path.parent)).load_config()
        config.CourseDirectory.root = str(self.root)
        # nbgrader's own default is a course that its gradebook does not have; only SQLite bears it
        config.CourseDirectory.setdefault("course_id", "default_course")
        config.CourseDirectory.setdefault("db_url", address(self.root))
        return config

    @cached_property
    def directory(self) -> CourseDirectory:
        """nbgrader's own view of the folders."""
        return CourseDirectory(config=self.config)

    def folder(self, step: str, chapter: str, student: str = ".") -> Path:
        """Return the folder of a chapter in a step such as "submitted"; may not exist."""
        return Path(self.directory.format_path(step, student, chapter)).resolve()

    def journal(self, chapter: str) -> Path:
        """Return the file that remembers what of a chapter was graded; may not exist."""
        return self.root / JOURNALS / f"{chapter}.jsonl"

    @contextmanager
    def gradebook(self) -> Iterator[Gradebook]:
        """nbgrader's gradebook, made where there is none.

        Raises GradebookError where it cannot be used, now or in what is done with it.
        """
        self._refuse_emptied()
        with opened(self.directory.db_url, self.directory.course_id) as book:
            yield book

    def _refuse_emptied(self) -> None:
        """nbgrader would take an empty file for a new gradebook."""
        file, journals = file_of(self.directory.db_url), (self.root / JOURNALS).glob("*.jsonl")
        emptied = file and file.is_file() and not file.stat().st_size
        if emptied and any("." not in path.stem for path in journals):
            raise GradebookError(
                f"The gradebook {file} is an empty file, though marks were given. {RESTORE}"
            )

    @property
    def has_gradebook(self) -> bool:
        """Tell whether there is one; what a server keeps is taken to be there."""
        file = file_of(self.directory.db_url)
        return file is None or file.exists()

    def released(self, chapter: str) -> NotebookNode:
        """Return the notebook that learners got. Raises CourseError if it was never released."""
        return nbformat.read(self.release(chapter) / f"{chapter}.ipynb", as_version=4)

    def release(self, chapter: str) -> Path:
        """Return the folder that learners got. Raises CourseError if it was never released."""
        step = self.directory.release_directory
        folder = self.folder(step, chapter)
        notebook = folder / f"{chapter}.ipynb"
        if not notebook.is_file():
            raise CourseError(f"{notebook} does not exist; make it with: attn release {chapter}")
        return folder

    def submissions(self, chapter: str) -> dict[str, Path]:
        """Return the notebook path of every student who has a folder for the chapter, sorted.

        Raises CourseError if there are none.
        """
        return self.discovered(chapter).notebooks

    def discovered(self, chapter: str) -> Discovered:
        """Find what was handed in, with what there is to say of where it lies.

        Raises CourseError if there is nothing.
        """
        discovered = self._discovered(chapter)
        if not discovered.found:
            place = f"{self._submitted}/STUDENT/{chapter}/"
            raise CourseError(" ".join([f"No submissions in {place}.", *discovered.passed_over]))
        return discovered

    def handed_in(self, chapter: str) -> list[str]:
        """Name who has a folder for the chapter, sorted; nobody if there are no submissions."""
        return list(self._discovered(chapter).found)

    def submitting(self) -> list[str]:
        """Name who has a folder in `submitted/`, of whatever chapter, sorted."""
        folders = self._submitted.iterdir() if self._submitted.is_dir() else ()
        return sorted(path.name for path in folders if path.is_dir())

    def passed_over(self, chapter: str) -> list[str]:
        """Say of each entry of the submissions' folder why nothing in it can be graded."""
        return self._discovered(chapter).passed_over

    def notebook(self, chapter: str, student: str) -> Found | None:
        """Return the notebook of one student, None without any work for the chapter."""
        home = self._submitted / student
        released = cache(lambda: self.released(chapter))
        return discovery.of_student(home, chapter, released, self.chapters)[0]

    def around(self, student: str, notebook: Path) -> Path:
        """Return the folder in the student's own in which a notebook lies, however deep.

        It is the chapter's as a rule. What says when the work was handed in lies in it.
        """
        home = self._submitted / student
        if not notebook.is_relative_to(home):
            return notebook.parent
        return Path(home, *notebook.relative_to(home).parts[:-1][:1])

    def _discovered(self, chapter: str) -> Discovered:
        if not self._submitted.is_dir():
            return Discovered()
        return discovery.submissions(
            self._submitted, chapter, lambda: self.released(chapter), self.chapters
        )

    @property
    def chapters(self) -> set[str]:
        """The names of all chapters that were written or released."""
        released = Path(self.root, self.directory.release_directory)
        sources = Path(self.root, self.directory.source_directory)
        return {path.name for folder in (sources, released) for path in folder.glob("*/")}

    @property
    def _submitted(self) -> Path:
        return Path(self.root, self.directory.submitted_directory)

    def seed(self, given: str | None) -> str:
        """Return the secret seed of the graded cases: as given, else kept beside the gradebook.

        Raises CourseError for one that is no secret.
        """
        from autograder.judging.checks import PUBLIC_SEED  # and torch, which few commands need

        path = self.root / SEED
        if given is None and not os.path.lexists(path):
            _make_seed(path)
        secret = (_read_seed(path) if given is None else given).strip()
        if secret in ("", PUBLIC_SEED):
            raise CourseError(
                f"The seed {secret!r} is no secret: anybody can guess it. Give another with "
                f"--seed, or put the right one back into {path}; delete that file only if nothing "
                "was graded yet."
            )
        return secret


def _read_seed(path: Path) -> str:
    """Raise CourseError for a file that holds none."""
    try:
        if secret := path.read_text("utf-8-sig").strip():
            return secret
        why = "it is empty"
    except UnicodeDecodeError:
        why = "it is not UTF-8 text"
    except OSError as error:
        why = str(error.strerror)
    raise CourseError(
        f"The seed in {path} cannot be read: {why}. Put back the one that graded so far, or give "
        "it with --seed. Delete that file only if nothing was graded yet."
    )


def _make_seed(path: Path) -> None:
    """All of it appears at once, whoever else makes one and whenever this is killed."""
    with NamedTemporaryFile("w", dir=path.parent, prefix=f"{path.name}.") as file:  # its owner's
        file.write(secrets.token_hex(16) + "\n")
        file.flush()
        os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(file.name, path)
