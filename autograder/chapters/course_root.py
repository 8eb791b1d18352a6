"""This module finds a course. It never takes the folder that this engine was installed in."""

import os
from pathlib import Path

from autograder.common.errors import CourseError

CONFIG = "nbgrader_config.py"
SOLUTIONS = "solutions"
SHARED = (CONFIG, SOLUTIONS, "exercises")  # what a class has of its course


class NoCourse(CourseError):
    """There is no course where a command looked."""


def course_root(named: Path | None = None) -> Path:
    """Return the root of the course that a command is about.

    named: what `--root` says. Without it the current folder and those above it are searched for
    one with nbgrader_config.py and solutions/, as git searches. Raises NoCourse without any.
    """
    if named is None:
        return _around(Path.cwd())
    root = named.resolve()
    if not root.is_dir():
        raise NoCourse(f"--root {named} is not a folder.")
    if not (root / SOLUTIONS).is_dir():
        raise NoCourse(
            f"There is no course in {root}: it has no folder {SOLUTIONS}/. Name another folder "
            f"with --root, or begin a course: attn new course {named}"
        )
    return root


def _around(here: Path) -> Path:
    for folder in (here, *here.parents):
        if (folder / CONFIG).is_file() and (folder / SOLUTIONS).is_dir():
            return folder
    raise NoCourse(
        f"There is no course in {here} or above it: none of these folders has {CONFIG} and "
        f"{SOLUTIONS}/. Go to the folder of a course, name it with --root, or begin one: "
        "attn new course FOLDER"
    )


def class_root(named: Path | None) -> Path:
    """Return the root for a class that is made up: a course, or a folder with links to one.

    A folder that has no course is made a class of the course around the current folder. Raises
    NoCourse where there is none.
    """
    if named is None or (named / SOLUTIONS).is_dir():
        return course_root(named)
    return link_class(_around(Path.cwd()), named.resolve())


def link_class(course: Path, root: Path) -> Path:
    """Make a folder the root of a class of a course, by links to it; returns the folder."""
    root.mkdir(parents=True, exist_ok=True)
    for name in SHARED:
        if not os.path.lexists(root / name):
            (root / name).symlink_to(os.path.relpath(course / name, root))
    return root
