"""The engine as a wheel, where it was installed from one and there is no clone."""

import subprocess
import sys
import zipfile

import pytest

from autograder.course import engine_wheel

ASK = """
import sys
from autograder.course import engine_wheel
name, content = engine_wheel.wheel()
open(name, "wb").write(content)
sys.stdout.write(name + "\\n" + engine_wheel.constraints().decode())
"""


def install(wheel, folder):
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", folder, wheel]
    subprocess.run(pip, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the engine as pip installs it, and what that engine says of its wheel."""
    folder = tmp_path_factory.mktemp("installed")
    name, content = engine_wheel.wheel()
    (folder / name).write_bytes(content)
    packages = install(folder / name, folder / "packages")
    (work := folder / "work").mkdir()
    said = subprocess.run([sys.executable, "-c", ASK], cwd=work, env={"PYTHONPATH": str(packages)},
                          check=True, capture_output=True, text=True).stdout  # fmt: skip
    return folder, said.splitlines()


def contents(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if "RECORD" not in name}


def test_an_installed_engine_makes_the_wheel_that_it_came_from(installed):
    folder, (name, *_) = installed
    assert name == engine_wheel.wheel()[0]
    assert contents(folder / "work" / name) == contents(folder / name)


def test_pip_installs_that_wheel_too(installed, tmp_path):
    folder, (name, *_) = installed
    again = install(folder / "work" / name, tmp_path / "again")
    assert (again / "autograder" / "cli.py").is_file()


def test_without_a_lock_file_the_versions_are_those_that_are_there(installed):
    _, (_, *versions) = installed
    assert {line.partition("==")[0] for line in versions} >= {"torch", "numpy", "safetensors"}
    assert not any("+" in line for line in versions)
