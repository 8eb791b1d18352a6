"""A record of what a mark was computed from and where, to explain and reproduce it."""

import hashlib
import json
import platform
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import NotRequired, TypedDict

import torch

from autograder.chapters import settings, shared_code, solutions
from autograder.common.files import DISTRIBUTION, PACKAGE
from autograder.course.course import Course

# The rooms that decide a mark. A change to any other alters none.
DECIDE = ("common", "exercise", "confined", "sandbox", "notebooks", "judging", "chapters")


class Sources(TypedDict):
    """Digests of all that decides about a submission but the seed; and the device.

    exercises: by name, of the files of each. Before a GPU could grade, no device was noted.
    """

    exercises: dict[str, str]
    chapter: str
    release: str
    engine: str
    device: NotRequired[str]


class Record(Sources):
    """The sources of a mark. graded: when, in UTC. submission, seed: digests of them."""

    graded: str
    submission: str | None
    seed: str
    environment: dict[str, str]


def record(
    submission: str | None, sources: Sources, seed: str, environment: dict[str, str]
) -> Record:
    """Make the record of a submission that was graded just now."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {
        "graded": now,
        "submission": submission,
        **sources,
        "seed": seed,
        "environment": environment,
    }


def sources(course: Course, name: str, device: str = "cpu") -> Sources:
    """Digests of all that decides about a submission but the seed, and the device.

    Raises CourseError where the chapter is missing or was never released.
    """
    chapter = solutions.load(course.root, name)
    folder = chapter.folder
    released = json.dumps(course.released(name), sort_keys=True)
    return {
        "exercises": {
            exercise: _files([folder / f"{exercise}.py", folder / f"{exercise}_misconceptions.py"])
            for exercise in chapter.exercises
        },
        "chapter": _files(
            [
                *sorted(folder.glob("*.py")),
                folder / f"{name}.md",
                folder.parent / settings.FILE,
                *shared_code.files(chapter.text, folder),
            ]
        ),
        "release": hashlib.sha256(released.encode()).hexdigest(),
        "engine": engine(),
        "device": device,
    }


@cache  # slow on purpose, and asked for with each batch of a class
def seed(secret: str) -> str:
    """Return a slow digest: a seed that a person made up could be found by trying many."""
    return hashlib.scrypt(secret.encode(), salt=b"attn grade", n=2**14, r=8, p=1).hex()[:16]


@cache
def engine() -> str:
    """Return a digest of the rooms that decide a mark, as they were when this was first called."""
    return _files(path for room in DECIDE for path in sorted((PACKAGE / room).rglob("*.py")))


def environment(device: str = "cpu") -> dict[str, str]:
    """Return the versions on which a verdict may depend, and the GPU if one is used."""
    try:
        engine = metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:  # run from a folder, not installed
        engine = "not installed"
    gpu = {"GPU": torch.cuda.get_device_name()} if device == "cuda" else {}
    return {
        "python": sys.version.split()[0],
        "torch": torch.__version__,
        "platform": platform.platform(),
        "kernels": torch.backends.cpu.get_cpu_capability(),  # which torch picks by the processor
        "engine version": engine,
        **gpu,
    }


def _files(paths: Iterable[Path]) -> str:
    """Return a digest of those files that exist, with their names."""
    existing = [path for path in paths if path.is_file()]
    return fingerprint(*(part for p in existing for part in (p.name.encode(), p.read_bytes())))


def fingerprint(*parts: bytes) -> str:
    """Return a digest of everything a verdict depends on: submission, exercises, engine, seed."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()
