"""A file of public checks and the engine that reads it: each of another version says what to do."""

import subprocess
import sys
import tomllib
from dataclasses import fields

import pytest

from autograder.author import Case, Group, Vocabulary, Word
from autograder.common.errors import CheckFailed
from autograder.common.files import REPOSITORY
from autograder.exercise import properties, stateful, wire
from autograder.exercise.observation import Cost, Failure, Observation
from autograder.judging import checks, checks_file

PROJECT = REPOSITORY / "pyproject.toml"
HELD = (checks.Checks, checks.CheckedCase, Case, Vocabulary, Word, Group, Observation, Failure,
        Cost, *stateful.KINDS.values(), *properties.KINDS.values())  # fmt: skip
# What a file of each format holds. Where it changes, so do `checks_file.FORMAT` and the version.
LAYOUTS = {
    "0.7.0": {
        "Checks": "exercise points returns read forbids properties hints cases minutes builds_on "
        "groups vocabulary",
        "CheckedCase": "case expected wrong",
        "Case": "name inputs gradient public traced placed construct state terms training through "
        "tolerance",
        "Vocabulary": "words selecting confused",
        "Word": "name hint",
        "Group": "name points cases properties",
        "Observation": "output failure devices changed gradients gradient_failure clash used cost",
        "Failure": "type message line source within",
        "Cost": "flops matmuls largest peak",
        "Model": "source state construct training gradients leaves_gradients",
        "Optimizer": "kind of settings state",
        "Generator": "seed draws",
        "Finite": "",
        "SumsTo": "output dim sentence",
        "Drawn": "output sentence",
        "Witness": "output holds shape least most sentence",
        "CostAtMost": "counter factor sentence",
    }
}


def numbers(version):
    return tuple(map(int, version.split(".")))


def test_what_a_file_holds_changes_only_with_its_format():
    held = {kind.__name__: " ".join(field.name for field in fields(kind)) for kind in HELD}
    assert held == LAYOUTS[checks_file.FORMAT]


def test_the_packages_version_grows_with_the_format_so_that_pip_replaces_the_engine():
    version = tomllib.loads(PROJECT.read_text())["project"]["version"]
    assert numbers(checks_file.UNSAID) < numbers(checks_file.FORMAT) <= numbers(version)


@pytest.fixture
def folder(toy_root, tmp_path):
    """A learner's, with a function that writes its checks as an engine of another version does."""
    data = (toy_root / "exercises" / "01_toy" / "checks.safetensors").read_bytes()
    trees = [tree | {"unheard_of": 1} for tree in wire.unpack(data)]

    def write(**version):
        (tmp_path / "checks.safetensors").write_bytes(wire.seal(wire.pack(trees), **version))
        return tmp_path

    return write


def said(folder):
    source = "from autograder import check\ncheck(print)"
    command = [sys.executable, "-c", source]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    return done.stderr.splitlines()[-1]


def test_an_engine_older_than_the_file_says_what_to_install(folder):
    where = folder(format="9.10.0")
    assert said(where) == (
        f"autograder.CheckFailed: {where}/checks.safetensors needs version 9.10.0 of the "
        "course's engine, and an older one is installed. In the folder that came with it, run: "
        "pip install -r requirements.txt (in a clone of the course: make setup). Then restart the "
        "kernel."
    )


@pytest.mark.parametrize("version", [{}, {"format": "0.1.9"}])
def test_an_engine_newer_than_the_file_says_what_to_download(folder, version):
    where = folder(**version)
    sentence = said(where)
    assert f"made for version {version.get('format', '0.1.0')} of the course's engine" in sentence
    assert "Download the chapter again and replace that file" in sentence


def test_the_newer_of_two_versions_is_told_by_its_numbers(folder, monkeypatch):
    monkeypatch.setattr(checks_file, "FORMAT", "0.10.0")
    from autograder.learner.public_cases import public_checks

    with pytest.raises(CheckFailed, match="made for version"):
        public_checks(folder(format="0.9.0") / "checks.safetensors")
