"""The sandbox of a container that may create no namespaces: Docker's default, as on Gradescope.

Instead of namespaces there is another account: a submission runs as a user who owns nothing, beside
trusted processes and files that are root's alone. Limits, seccomp, no privileges and the wire are
those of every submission. `LOST` says what this does not do; use it for one submission in a
container of its own, which ends with it.
"""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import torch

from autograder.common.errors import SandboxUnavailable
from autograder.confined.syscalls import require_filter
from autograder.exercise import wire
from autograder.sandbox.bubblewrap import environment, worker
from autograder.sandbox.sandbox import Sandbox

ACCOUNT = 65534  # nobody, on every Linux
LOST = (
    "CONFINED WITHOUT NAMESPACES: this container may create none, so bubblewrap cannot be used "
    "({why}). A submission runs as the user nobody, without privileges, network, further "
    "processes, and rights to the solutions, the seed and the results. It can read whatever "
    "everybody in this container may read, see that other processes run, and fill folders that "
    "everybody may write to."
)
NOT_ROOT = (
    "Without namespaces a submission has to run as another user, to whom the solutions are closed. "
    "Only root can start it so, and this is user {user}."
)
ASKS = """
import os, sys
with open(sys.argv[1], "rb"):
    ways = os.R_OK, os.W_OK, os.X_OK
for path in sys.argv[2:]:
    if any(os.access(path, way) for way in ways):
        print(path)
"""


class WithoutNamespaces(Sandbox):
    """A worker that runs submissions as ACCOUNT. scratch: the only folder that is theirs.

    home: the worker's own. It is root's, and reads what lies in its home.
    """

    def __init__(self, scratch: Path):
        super().__init__(confined=False)
        self.scratch, self.home = scratch, scratch.with_name(f"{scratch.name}-of-worker")

    def check(self, *private: Path) -> None:
        """Raise SandboxUnavailable unless ACCOUNT exists here and `private` is closed to it."""
        if os.geteuid() != 0:
            raise SandboxUnavailable(NOT_ROOT.format(user=os.geteuid()))
        require_filter()
        for folder in (self.scratch, self.home):
            folder.mkdir(mode=0o700, exist_ok=True)
        os.chown(self.scratch, ACCOUNT, ACCOUNT)
        if opened := self._opened([*private, self.home]):
            raise SandboxUnavailable(f"A submission could reach {', '.join(opened)} here.")

    def _opened(self, private: Iterable[Path]) -> list[str]:
        """Ask the kernel as ACCOUNT, and return what of `private` is not closed to it."""
        try:
            asked = subprocess.run(
                [sys.executable, "-I", "-S", "-c", ASKS, torch.__file__, *map(str, private)],
                user=ACCOUNT,
                group=ACCOUNT,
                extra_groups=[],
                env=self._environment(),
                cwd=self.scratch,
                capture_output=True,
                text=True,
                check=True,
            )
        except (OSError, subprocess.CalledProcessError) as error:
            raise SandboxUnavailable(f"User {ACCOUNT} cannot use Python here: {error}") from None
        return asked.stdout.splitlines()

    def _command(self) -> list[str]:
        return worker("--account", str(ACCOUNT), str(self.scratch))

    def _environment(self) -> dict[str, str]:
        own = str(self.home)
        return {**environment(confined=False), "HOME": own, "TMPDIR": own}

    def _folder(self) -> str:
        return str(self.home)


def strongest(scratch: Path, *private: Path) -> tuple[Sandbox, str]:
    """Return the sandbox with namespaces, else the one without, and what is lost by that or "".

    `private`: folders that no submission may see. Raises SandboxUnavailable where neither can be.
    """
    try:
        return _tried(Sandbox(), private), ""
    except SandboxUnavailable as error:
        why = str(error)
    return _tried(WithoutNamespaces(scratch), private), LOST.format(why=why)


def _tried(sandbox: Sandbox, private: Iterable[Path]) -> Sandbox:
    """Return the sandbox, once nothing ran in it well. Raises SandboxUnavailable."""
    sandbox.check(*private)
    run = sandbox.run([], wire.pack({}), [])
    if not run.ready:
        sandbox.stop()
        raise SandboxUnavailable(f"No process could be confined. {run.detail}".strip())
    return sandbox
