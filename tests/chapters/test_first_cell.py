"""The first cell of a notebook: it says what is missing where it was opened, and what to run."""

import importlib.util
import shutil
import subprocess
import sys
import types
import urllib.request
import zipfile

import pytest
import torch
from slipping import TEXT, edit
from test_published import CONFIG

from autograder.chapters.first_cell import ID, first_cell, packages
from autograder.chapters.solutions import load
from autograder.chapters.source_notebook import build
from autograder.common.files import CHECKS
from autograder.learner.public_cases import public_checks

HAS = importlib.util.find_spec
TORCH = "%pip install torch --index-url https://download.pytorch.org/whl/cpu"
ALL = "%pip install -r requirements.txt"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where a notebook was opened: with its checks, and with nothing else."""
    (tmp_path / CHECKS).touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def said(folder, monkeypatch):
    """What the cell says where some libraries are missing; None where it says nothing."""

    def run(*absent, root=folder):
        find = lambda name: None if name in absent else HAS(name)  # noqa: E731
        monkeypatch.setattr(importlib.util, "find_spec", find)
        namespace = {}
        try:
            exec(first_cell(root, "01_toy").source, namespace)
        except Exception as error:
            assert type(error).__name__ == "Missing", error
            (line,) = error._render_traceback_()
            return line
        return None

    return run


def test_where_all_is_there_it_says_nothing(said):
    assert said() is None


def test_with_the_chapters_files_beside_it_it_says_what_to_install(said, folder, monkeypatch):
    (folder / "requirements.txt").touch()
    assert said("autograder") == f"Run {ALL} in a new cell, and restart the kernel."
    monkeypatch.setattr(sys, "platform", "darwin")
    assert said("autograder", "torch") == f"Run {ALL} in a new cell, and restart the kernel."


def test_on_linux_torch_is_installed_for_the_cpu(said, folder):
    (folder / "requirements.txt").touch()
    assert f"Run {TORCH} and then {ALL} in a new cell" in said("autograder", "torch")


def test_beside_a_virtual_environment_it_names_that_as_the_kernel(said, folder, monkeypatch):
    (folder / ".venv").mkdir()
    (folder / "requirements.txt").touch()
    assert "Choose the Python of the folder .venv" in said("jaxtyping")
    monkeypatch.setattr(sys, "prefix", str(folder / ".venv"))
    assert ALL in said("jaxtyping")


def test_a_notebook_alone_says_where_its_files_are(said):
    assert f"{sys.executable}, has no jaxtyping, autograder." in said("autograder", "jaxtyping")


def test_without_its_checks_it_says_where_to_put_them(said, folder):
    (folder / CHECKS).unlink()
    assert said() == f"Put checks.safetensors, which came with this notebook, into {folder}."


def test_an_old_python_is_named_first(said, monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 9, 1))
    assert "3.11 or later is needed" in said("torch", "autograder")


@pytest.fixture
def colab(monkeypatch):
    """Colab as far as the cell sees it: keeps what is run, and has a choice of files."""
    ran, files = [], types.SimpleNamespace()
    package = types.ModuleType("google.colab")
    package.files = files
    monkeypatch.setitem(sys.modules, "google", types.ModuleType("google"))
    monkeypatch.setitem(sys.modules, "google.colab", package)
    monkeypatch.setattr(subprocess, "run", lambda command, check: ran.append(command[4:]))
    return types.SimpleNamespace(ran=ran, files=files)


def test_on_colab_a_course_without_the_engine_asks_for_the_zip_though_it_is_on_github(
    folder, with_engine
):
    shutil.rmtree(with_engine / "autograder")
    assert "Choose 01_toy.zip" in first_cell(with_engine, "01_toy").source


@pytest.fixture
def with_engine(tmp_path_factory):
    """The root of a course whose repository holds the engine, as this one does."""
    root = tmp_path_factory.mktemp("clone")
    (root / "autograder").mkdir()
    (root / "autograder" / "__init__.py").touch()
    (root / "_config.yml").write_text(CONFIG)
    return root


def test_make_learn_is_named_only_where_a_clone_of_the_course_has_it(said, with_engine):
    assert said("autograder").endswith("and open the notebook there.")
    assert said("autograder", root=with_engine).endswith("of the course, run make learn.")


def test_on_colab_the_engine_and_the_checks_come_from_github(
    said, folder, colab, with_engine, monkeypatch
):
    (folder / CHECKS).unlink()
    fetched = []
    fetch = lambda where, name: (fetched.append(where), (folder / name).touch())  # noqa: E731
    monkeypatch.setattr(urllib.request, "urlretrieve", fetch)
    assert said(root=with_engine) is None
    source = "git+https://github.com/owner/course@spring"
    assert colab.ran == [["-q", "jaxtyping", "safetensors>=0.8"], ["-q", "--no-deps", source]]
    raw = "https://raw.githubusercontent.com/owner/course/spring/exercises/01_toy"
    assert fetched == [f"{raw}/{CHECKS}"]


def test_on_colab_a_course_that_is_not_published_asks_for_the_chapters_zip(
    said, folder, colab, toy_root, capsys
):
    (folder / CHECKS).unlink()
    mine = folder / "01_toy.ipynb"
    mine.write_text("my answers")
    released = toy_root / "exercises" / "01_toy"

    def upload():
        with zipfile.ZipFile("01_toy.zip", "w") as archive:
            for name in ("01_toy.ipynb", CHECKS):
                archive.write(released / name, f"01_toy/{name}")
            archive.writestr("01_toy/engine-1-py3-none-any.whl", "")
        return {"01_toy.zip": b""}

    colab.files.upload = upload
    assert said() is None
    assert "Choose 01_toy.zip" in capsys.readouterr().out
    assert [*public_checks(folder / CHECKS)] == ["normalise", "average", "Scale"]
    assert colab.ran[-1] == ["-q", "--no-deps", "engine-1-py3-none-any.whl"]
    assert mine.read_text() == "my answers"


def test_on_colab_where_all_is_there_nothing_is_installed(said, colab):
    assert said() is None
    assert colab.ran == []


def test_pip_knows_what_a_chapter_imports_by_another_name(root):
    text = root / "solutions" / "01_toy" / TEXT
    edit(text, "import torch\nfrom", "import torch\nimport yaml\nfrom")
    assert packages(load(root, "01_toy")) == ["PyYAML"]


def test_the_cell_stands_below_the_title_in_every_notebook_and_no_mark_hangs_on_it(toy):
    cell = build(toy).cells[1]
    assert (cell.id, cell.cell_type) == (ID, "code")
    assert "nbgrader" not in cell.metadata
    assert cell.metadata["jupyter"] == {"source_hidden": True}


def test_a_library_that_is_too_old_is_named_by_the_cell(said, monkeypatch):
    monkeypatch.delitem(sys.modules, "autograder.learner")
    monkeypatch.setattr(torch, "__version__", "2.4.1")
    with pytest.raises(AssertionError, match=r"torch 2\.4\.1 is too old"):
        said()
