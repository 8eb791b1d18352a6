"""Before nbgrader converts, it needs its gradebook, a seed, and the source notebooks.

These are built from their text when it looks for them. What assistants read is written beside the
notebooks that it generates.
"""

import fnmatch
from contextlib import chdir
from pathlib import Path

from nbgrader.converters.autograde import Autograde
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.converters.generate_assignment import GenerateAssignment
from nbgrader.coursedir import CourseDirectory

from autograder.chapters.solutions import chapter_names, load
from autograder.common.errors import CourseError
from autograder.course import assistants
from autograder.course.course import Course
from autograder.course.literal_paths import take_paths_as_they_are
from autograder.course.opening import refuse, refuse_unwritable

look = BaseConverter.init_notebooks
begin = GenerateAssignment.init_assignment


class Refused(CourseError, NbGraderException):
    """Something is wrong with the course. nbgrader ends for it without a traceback."""


def build_when_needed() -> None:
    """Have every command of nbgrader that reads a chapter's source notebook build it before.

    nbgrader calls its hooks for notebooks that it found, and these need not be there yet.
    """
    BaseConverter.init_notebooks = _build_and_look
    GenerateAssignment.init_assignment = _begin_with_rule
    take_paths_as_they_are()


def _build_and_look(self: BaseConverter) -> None:
    try:
        _refuse_unusable(self)
        if self._input_directory == self.coursedir.source_directory:
            _build(self.coursedir)
    except CourseError as error:
        self.log.error("%s", error)
        raise Refused(str(error)) from None
    with chdir(self.coursedir.root):
        look(self)


def _refuse_unusable(converter: BaseConverter) -> None:
    """Raise CourseError for a gradebook, a seed or a setting that spoils the whole conversion."""
    course = converter.coursedir
    refuse(course.db_url)
    if isinstance(converter, Autograde):
        refuse_unwritable(course.db_url)
        if not converter.config.Judge.get("seed"):
            Course(Path(course.root)).seed(None)
    if isinstance(converter, GenerateAssignment):
        assistants.policy(Path(course.root), converter.config)


def _build(course: CourseDirectory) -> None:
    """Write the source notebooks of the chapters that a command is for, and of no other."""
    from autograder.chapters import source_notebook as source

    root = Path(course.root)
    for name in fnmatch.filter(chapter_names(root), course.assignment_id):
        released = course.format_path(course.release_directory, ".", name)
        source.write(load(root, name), Path(released))


def _begin_with_rule(self: GenerateAssignment, assignment_id: str, student_id: str) -> None:
    """Write the rule for assistants into the folder that nbgrader has emptied for a chapter."""
    begin(self, assignment_id, student_id)
    root = Path(self.coursedir.root)
    if assignment_id in chapter_names(root):
        folder = Path(self._format_dest(assignment_id, student_id))
        assistants.write(load(root, assignment_id), assistants.policy(root, self.config), folder)
