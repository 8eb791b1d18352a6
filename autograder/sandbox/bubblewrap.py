"""The worker starts inside bubblewrap, which decides what it can see of this machine."""

import os
import shutil
import site
import sys
import tempfile
from pathlib import Path

from autograder.common.errors import SandboxUnavailable
from autograder.common.files import PACKAGE
from autograder.confined import confine

SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives")
ENGINE = "/engine"
DRIVER = ("LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES")  # how this machine finds its GPU
KERNELS = ("ATEN_CPU_CAPABILITY", "MKL_ENABLE_INSTRUCTIONS", "ONEDNN_MAX_CPU_ISA")
INSTALL = (
    "Grading needs bubblewrap to confine the code it runs, and `bwrap` was not found. "
    "Install it (Debian and Ubuntu: apt install bubblewrap), or pass --no-sandbox to run "
    "submissions unconfined as yourself, which is safe only for code that you trust."
)


def command(confined: bool, gpu: bool = False) -> list[str]:
    """Return the worker's command line. Raises SandboxUnavailable where bubblewrap is missing."""
    given = ["--gpu"] if gpu else []
    return [*bubblewrap(gpu), *worker(*given)] if confined else worker(*given, "--unconfined")


def worker(*options: str) -> list[str]:
    """Return the worker's command line without what confines it."""
    return [sys.executable, "-P", "-m", "autograder.confined.worker", *options]


def bubblewrap(gpu: bool = False) -> list[str]:
    """Return the command that confines the one after it. Raises SandboxUnavailable without it."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxUnavailable(INSTALL)
    return [bwrap, *_mounts(gpu), "--"]


def refuse_to_show(*folders: Path) -> None:
    """Raise SandboxUnavailable if a folder lies in what a submission sees of this machine."""
    for folder in folders:
        for shown in map(Path, _shown()):
            if folder.resolve().is_relative_to(shown.resolve()):
                raise SandboxUnavailable(
                    f"{folder} lies in {shown}, which submissions must be able to read. "
                    "Move it, or make the Python environment in a folder of its own."
                )


def _shown() -> list[str]:
    """Folders that Python and torch need; never a course folder, a home or `solutions/`."""
    python = [Path(sys.prefix), Path(sys.base_prefix), *map(Path, site.getsitepackages())]
    return [str(p) for p in dict.fromkeys([*map(Path, SYSTEM), *python]) if p.exists()]


def _mounts(gpu: bool) -> list[str]:
    """Read-only, and of namespaces and privileges none that are shared; of devices the GPU only."""
    binds = [part for path in _shown() for part in ("--ro-bind", path, path)]
    return [
        "--unshare-all", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox",
        "--die-with-parent", "--new-session", "--cap-drop", "ALL",
        *binds, "--ro-bind", str(PACKAGE), f"{ENGINE}/{PACKAGE.name}",
        "--proc", "/proc", "--dev", "/dev", *(_gpu_mounts() if gpu else []),
        "--tmpfs", confine.SCRATCH, "--chdir", confine.SCRATCH,
        "--remount-ro", "/dev", "--remount-ro", "/",
    ]  # fmt: skip


def _gpu_mounts() -> list[str]:
    """Return the GPU's devices, and /sys, where the driver reads about them."""
    devices = [str(path) for path in sorted(Path("/dev").glob("nvidia*"))]
    opened = [part for path in devices for part in ("--dev-bind", path, path)]
    return [*opened, "--ro-bind", "/sys", "/sys"]


def environment(confined: bool, gpu: bool = False) -> dict[str, str]:
    """Return the worker's variables: nothing of the instructor's environment reaches a submission.

    But for which instructions torch may use: what is compared is computed alike. gpu: and for where
    the driver lies, and which GPU is to be used. Else there is none: where torch sees one, it
    refuses the backward pass after a fork.
    """
    passed = (*KERNELS, *DRIVER) if gpu else KERNELS
    shared = {name: os.environ[name] for name in passed if name in os.environ}
    shared |= {} if gpu else {"CUDA_VISIBLE_DEVICES": ""}
    scratch = confine.SCRATCH if confined else tempfile.gettempdir()
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": scratch,
        "TMPDIR": scratch,
        "LANG": "C.UTF-8",
        "PYTHONPATH": ENGINE if confined else str(PACKAGE.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_THREAD_LIMIT": "1",  # a submission that asks for more threads goes on with one
        "TORCHDYNAMO_DISABLE": "1",  # what is compiled is called as it was written
        "MPLBACKEND": "Agg",
        "USER": "submission",  # torch 2.11 asks for the name, and the sandbox has no list of users
        **shared,
    }
