"""Gradescope's container, as its documentation describes it, made by bubblewrap from this machine.

The zip is unpacked into /autograder/source, run_autograder copied to /autograder, setup.sh run once
as root; for a submission, its files lie in /autograder/submission, and results.json is looked for:
https://gradescope-autograders.readthedocs.io/en/latest/specs/

What would be downloaded is lent: `apt-get` notes what it was asked for; pip unpacks the wheel that
it is given, and the packages of this environment lie where it would have put the others.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

DOCKER = Path(__file__).with_name("docker_like.py")
AUTOGRADER = Path("/autograder")
LENT = Path(sysconfig.get_path("purelib"))
ENGINE = AUTOGRADER / "venv" / "engine"
TOOLS = {
    "apt-get": '#!/bin/sh\necho "$@" >>/tools/apt-get.log\n',
    "python3": f"""#!/bin/sh
if [ "$1 $2" = "-m venv" ]; then
  {sys.executable} -m venv --without-pip "$3"
else
  exec {sys.executable} "$@"
fi
""",
}
PIP = """
import os, sys, zipfile
from pathlib import Path

assert sys.argv[1] == "install"
given = Path(sys.argv[sys.argv.index("-r") + 1]).read_text().split("\\n")
if "-c" in sys.argv:
    given.append("-c " + sys.argv[sys.argv.index("-c") + 1])
for line in filter(None, given):
    if line.startswith("./"):
        zipfile.ZipFile(line).extractall(os.environ["LENT_TO"])
    elif line.startswith("-c "):
        pinned = Path(line[3:]).read_text()
        assert "\\ntorch==" in pinned
    else:
        assert line.startswith("--extra-index-url https://") or line.isalpha(), line
"""


@dataclass(frozen=True)
class Ran:
    """What run_autograder did; results is None where it left none."""

    status: int
    stdout: str
    results: dict[str, Any] | None


class Container:
    """`folder` is what its /autograder lies in."""

    def __init__(self, folder: Path, package: Path):
        self.root, self.tools = folder / "autograder", folder / "tools"
        for name in ("source", "submission", "results"):
            (self.root / name).mkdir(parents=True)
        with zipfile.ZipFile(package) as archive:
            archive.extractall(self.root / "source")
        shutil.copy(self.root / "source" / "run_autograder", self.root)
        (self.root / "run_autograder").chmod(0o755)
        write_tools(self.tools)

    def build(self) -> str:
        """Run setup.sh; returns what it asked apt-get for. Raises CalledProcessError."""
        self._run("bash", "/autograder/source/setup.sh").check_returncode()
        return (self.tools / "apt-get.log").read_text()

    def submit(self, files: dict[str, bytes], like_docker: bool = False) -> Ran:
        """Run the autograder on a submission. like_docker: there may be no further namespaces."""
        for name in ("submission", "results", "scratch"):
            shutil.rmtree(self.root / name, ignore_errors=True)
        for name in ("submission", "results"):
            (self.root / name).mkdir()
        for name, content in files.items():
            (self.root / "submission" / name).write_bytes(content)
        before = [sys.executable, "/tools/docker_like.py"] if like_docker else []
        done = self._run(*before, "/autograder/run_autograder")
        results = self.root / "results" / "results.json"
        read = json.loads(results.read_text()) if results.exists() else None
        return Ran(done.returncode, done.stdout, read)

    def _run(self, *command: str) -> subprocess.CompletedProcess[str]:
        variables = {"PATH": f"/tools:{os.environ['PATH']}", "LANG": "C.UTF-8",
                     "PYTHONPATH": f"/tools:{ENGINE}", "LENT_TO": str(ENGINE)}  # fmt: skip
        return subprocess.run(
            [*self._bubblewrap(), "--chdir", "/autograder", "--", *command], env=variables,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip

    def _bubblewrap(self) -> list[str]:
        """This machine's folders, without homes and temporary files; and in them /autograder."""
        empty = {Path("/root"), Path("/tmp"), Path("/home")}
        folders = [path for path in Path("/").iterdir() if path not in empty | {AUTOGRADER}]
        shown = [
            part for path in folders
            for part in (("--symlink", path.readlink(), path) if path.is_symlink()
                         else ("--dev-bind", path, path))
        ]  # fmt: skip
        covered = [part for path in empty for part in ("--perms", "0755", "--tmpfs", path)]
        python = [part for path in dict.fromkeys((sys.base_prefix, sys.prefix))
                  for part in (*_way_to(Path(path)), "--ro-bind", path, path)]  # fmt: skip
        own = ["--bind", self.root, AUTOGRADER, "--bind", self.tools, "/tools"]
        return ["bwrap", *map(str, [*shown, *covered, *python, *own, *self._lent()])]

    def _lent(self) -> list[Path | str]:
        """The installed packages, in the place where pip would have put them."""
        site = AUTOGRADER / "venv" / LENT.relative_to(sys.prefix)
        return ["--ro-bind", LENT, site] if (self.root / "venv").exists() else []


def _way_to(path: Path) -> list[str]:
    """The folders above it, for everybody to go through; bubblewrap would make them its own."""
    return [part for above in [*path.parents][-2::-1]
            for part in ("--perms", "0755", "--dir", str(above))]  # fmt: skip


def write_tools(folder: Path) -> None:
    """The programs that are lent."""
    (folder / "pip").mkdir(parents=True)
    (folder / "pip" / "__init__.py").touch()  # else an installed pip would be found before it
    (folder / "pip" / "__main__.py").write_text(PIP)
    shutil.copy(DOCKER, folder)
    for name, text in TOOLS.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)


def require() -> None:
    """Skip, with the reason, where there can be no such container."""
    if os.geteuid() != 0:
        pytest.skip("Gradescope runs the autograder as root; so can only root here")
    for program in ("bwrap", "setpriv"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
