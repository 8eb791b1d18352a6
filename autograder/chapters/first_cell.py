"""The first code cell of a notebook: what is missing where it was opened, and what to run."""

import json
from collections.abc import Iterable
from importlib.metadata import packages_distributions
from pathlib import Path

from nbformat import NotebookNode, v4

from autograder.chapters.settings import published
from autograder.common.files import CHECKS, PACKAGE
from autograder.common.libraries import TORCH_FOR_CPU
from autograder.notebooks.chapter import Chapter, libraries

TEMPLATES = PACKAGE / "templates"
ID = "start"
COLAB, LIBRARIES = "# COLAB\n", "# LIBRARIES\n"  # lines of the template
IN_CLONE = "; in a clone of the course, run make learn"
FOLDED = {"jupyter": {"source_hidden": True}}  # in JupyterLab: it is there to be run, not read


def packages(chapter: Chapter) -> list[str]:
    """Name what pip installs for the imports of a chapter, beside those of every course."""
    return [*_packages(libraries(chapter)).values()]


def first_cell(root: Path, chapter: str, libraries: Iterable[str] = ()) -> NotebookNode:
    """No mark hangs on it, and the grader does not run it.

    libraries: what the notebook imports beside those of every course.
    On Colab it installs what is missing: from GitHub where the course is published there with the
    engine, else from the chapter's zip, which it asks for.
    """
    source = _text("start").replace("{index}", TORCH_FOR_CPU)
    source = source.replace("{clone}", IN_CLONE if _has_engine(root) else "")
    source = source.replace(COLAB, _on_colab(root, chapter))
    source = source.replace(LIBRARIES, _of_libraries(libraries))
    return v4.new_code_cell(source.strip(), id=ID, metadata=FOLDED)


def _of_libraries(names: Iterable[str]) -> str:
    found = _packages(names)
    return _text("libraries").format(packages=json.dumps(found)) if found else ""


def _packages(names: Iterable[str]) -> dict[str, str]:
    """Python imports a library by one name, and pip may install it by another."""
    installed = packages_distributions()
    return {name: installed.get(name, [name])[0] for name in names}


def _on_colab(root: Path, chapter: str) -> str:
    place = published(root)
    if not (place.on_github and _has_engine(root)):
        return _text("colab_from_zip").format(name=chapter)
    return _text("colab_from_github").format(
        repository=f"https://github.com/{place.on_github}",
        branch=place.branch,
        checks=place.raw(f"exercises/{chapter}/{CHECKS}"),
    )


def _has_engine(root: Path) -> bool:
    """Tell whether the engine lies in the course's repository, as it does where it was written."""
    return (root / PACKAGE.name / "__init__.py").is_file()


def _text(name: str) -> str:
    return (TEMPLATES / f"{name}.py.txt").read_text("utf-8")
