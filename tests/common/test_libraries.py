"""Libraries that are missing or too old are named before one of them is loaded."""

import subprocess
import sys
import tomllib
from importlib import metadata

import pytest
import torch

from autograder.cli import main
from autograder.common import libraries
from autograder.common.errors import LibraryMissing
from autograder.common.files import REPOSITORY


def said():
    with pytest.raises(LibraryMissing) as caught:
        libraries.require()
    return str(caught.value)


def test_the_oldest_versions_are_those_of_pyproject():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    listed = {f"{name}>={oldest}" for name, oldest in libraries.needed().items()}
    assert {name.partition(">")[0] for name in listed} == set(libraries.CHECKED)
    assert listed <= set(project["dependencies"])


def test_with_what_the_tests_run_on_nothing_is_missing():
    libraries.require()


@pytest.mark.parametrize("version", ["2.6.0", "2.6.0+cpu", "2.10.1", "3.0.0a0+git1234"])
def test_a_version_is_compared_number_by_number(monkeypatch, version):
    monkeypatch.setattr(torch, "__version__", version)
    libraries.require()


@pytest.mark.parametrize("version", ["2.5.1", "2.5.1+cu121", "1.13.0", "2.0.0a0+git"])
def test_an_old_torch_is_named_with_what_is_there_what_is_needed_and_what_to_run(
    monkeypatch, version
):
    monkeypatch.setattr(torch, "__version__", version)
    monkeypatch.setattr(metadata, "version", lambda name: "0")  # all others are old, too
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    assert said() == (
        f"torch {version} is too old; 2.6 or later is needed. "
        'Run %pip install "torch>=2.6" in a cell, then restart the kernel.'
    )


def test_torch_without_cuda_stays_without(monkeypatch):
    monkeypatch.setattr(torch, "__version__", "2.5.1+cpu")
    assert f'pip install --index-url {libraries.TORCH_FOR_CPU} "torch>=2.6"' in said()


def test_one_that_is_not_there_is_named(monkeypatch):
    def version(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", version)
    monkeypatch.setattr(libraries, "CHECKED", ("jaxtyping",))
    monkeypatch.delitem(sys.modules, "jaxtyping", raising=False)
    assert said().startswith("jaxtyping is not installed; 0.3 or later is needed. Run")


def test_where_the_engine_was_not_installed_nothing_is_known_and_nothing_said(monkeypatch):
    monkeypatch.setattr(libraries, "DISTRIBUTION", "no-such-engine")
    assert libraries.needed() == {}


OLD = """
import sys, types
sys.modules["torch"] = old = types.ModuleType("torch")  # as good as empty: nothing may be asked
old.__version__ = "2.0.1"
from autograder import check
"""


def test_an_old_torch_is_named_before_anything_of_it_is_used():
    command = [sys.executable, "-c", OLD]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("autograder.LibraryMissing: torch 2.0.1 is too old")


def test_the_command_line_says_it_in_one_sentence(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(torch, "__version__", "2.0.1")
    for loaded in [name for name in sys.modules if name.startswith("autograder.learner")]:
        monkeypatch.delitem(sys.modules, loaded)
    assert main(["status", str(tmp_path)]) == 2
    assert "attn status: torch 2.0.1 is too old" in capsys.readouterr().err
