"""The source notebooks, as nbgrader needs them: built from their text when it looks for them."""

import fnmatch
from pathlib import Path

from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory

from autograder.calls.errors import CourseError
from autograder.course.solutions import chapter_names, load

look = BaseConverter.init_notebooks


class NotBuilt(CourseError, NbGraderException):
    """A source notebook cannot be built. nbgrader ends for it without a traceback."""


def build_when_needed() -> None:
    """Have every command of nbgrader that reads a chapter's source notebook build it before.

    nbgrader calls its hooks for notebooks that it found, and these need not be there yet.
    """
    BaseConverter.init_notebooks = _build_and_look


def _build_and_look(self: BaseConverter) -> None:
    if self._input_directory == self.coursedir.source_directory:
        try:
            _build(self.coursedir)
        except CourseError as error:
            self.log.error("%s", error)
            raise NotBuilt(str(error)) from None
    look(self)


def _build(course: CourseDirectory) -> None:
    """Write the source notebooks of the chapters that a command is for, and of no other."""
    from autograder.course import (
        source_notebook as source,  # and torch, which few of nbgrader's commands need
    )

    root = Path(course.root)
    for name in fnmatch.filter(chapter_names(root), course.assignment_id):
        released = course.format_path(course.release_directory, ".", name)
        source.write(load(root, name), Path(released))
