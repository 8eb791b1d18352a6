"""This module knows which libraries the engine needs, and whether they are there. It loads none.

pyproject.toml says which versions, and nothing else does: pip keeps its list with what it installs.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from importlib import metadata

from autograder.common.errors import LibraryMissing
from autograder.common.files import DISTRIBUTION

# What a check loads, and the notebooks: Colab keeps an IPython of its own, which does as well.
CHECKED = ("torch", "numpy", "safetensors", "jaxtyping")
# What a submission may import where it is graded, beside Python's own library.
GRADED = frozenset({"torch", "numpy", "jaxtyping", "matplotlib", "IPython", "autograder"})
NAMED = "torch, numpy, jaxtyping, matplotlib, IPython"
BROUGHT = frozenset({"typing_extensions", "safetensors", "rich", "nbformat"})  # by these
AT_LEAST = re.compile(r"([\w.-]+)>=([\d.]+)(?:; extra == ['\"](\w+)['\"])?")  # as pip keeps it
TORCH_FOR_CPU = "https://download.pytorch.org/whl/cpu"  # where Linux has torch without CUDA


def needed() -> dict[str, str]:
    """Library -> the oldest version that will do; none where the engine was not installed."""
    oldest = _listed()
    return {name: oldest[name] for name in CHECKED if name in oldest}


def _listed(extra: str | None = None) -> dict[str, str]:
    """Return what pyproject.toml lists for every use, or for an extra."""
    try:
        lines = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return {}
    found = filter(None, map(AT_LEAST.fullmatch, lines))
    return {place[1]: place[2] for place in found if place[3] == extra}


def oldest_python() -> str:
    """Return the oldest Python that the course is for, "" where the engine was not installed."""
    try:
        wanted = metadata.metadata(DISTRIBUTION)["Requires-Python"] or ""
    except metadata.PackageNotFoundError:
        return ""
    return wanted.removeprefix(">=")


def require() -> None:
    """Raise LibraryMissing for the first library that will not do, torch before all others."""
    for sentence in _lacking(needed()):
        raise LibraryMissing(sentence)


def require_extra(extra: str) -> None:
    """Raise LibraryMissing for the first library of an extra of pyproject.toml that will not do."""
    for sentence in _lacking(_listed(extra)):
        raise LibraryMissing(sentence)


def has(more: Iterable[str] = ()) -> str:
    """Name what a submission may import where it is graded. more: what this course brings."""
    return f"{', '.join([NAMED, *more])} and Python's own library"


def is_graded_with(module: str) -> bool:
    """Tell whether a submission may import a top-level module where it is graded."""
    return module in GRADED | BROUGHT or module in sys.stdlib_module_names


def _lacking(libraries: dict[str, str]) -> Iterator[str]:
    for name, oldest in libraries.items():
        there = _version(name)
        if not there:
            yield f"{name} is not installed; {oldest} or later is needed. {_install(name, oldest)}"
        elif _numbers(there) < _numbers(oldest):
            yield (
                f"{name} {there} is too old; {oldest} or later is needed. "
                f"{_install(name, oldest, there)}"
            )


def _version(name: str) -> str:
    """Return the version that is loaded, which may be older than the installed one; else that."""
    loaded = getattr(sys.modules.get(name), "__version__", None)
    if loaded:
        return str(loaded)
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _numbers(version: str) -> list[int]:
    """Return the release as numbers: 2, 6 and 0 for 2.6.0+cpu and for 2.6.0a0+git."""
    release = re.match(r"\d+(\.\d+)*", version)
    return [int(part) for part in release[0].split(".")] if release else []


def _install(name: str, oldest: str, there: str = "") -> str:
    """Say what to run; torch for the CPU stays so, since torch with CUDA is several GB."""
    only = f"--index-url {TORCH_FOR_CPU} " if there.endswith("+cpu") else ""
    command = f'pip install {only}"{name}>={oldest}"'
    if "ipykernel" in sys.modules:
        return f"Run %{command} in a cell, then restart the kernel."
    return f"Run: python -m {command} (here python is {sys.executable})"
