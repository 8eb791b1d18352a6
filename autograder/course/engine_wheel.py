"""The engine as a wheel, and versions to use it with, for places without this repository.

The book's zips and the packages of `attn package` hold it. The same sources give the same bytes.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from autograder.calls import libraries
from autograder.calls.errors import CourseError
from autograder.calls.files import PACKAGE, REPOSITORY

EPOCH = "315532800"  # 1980-01-01, before which a zip has no dates
MAKE_WHEEL = "import sys; from setuptools import build_meta as b; b.build_wheel(sys.argv[1])"
LOCK = REPOSITORY / "requirements.lock"
# Its torch has no CUDA, and is a tenth of the size; it counts as the version that the lock names.
TORCH_FOR_CPU = f"--extra-index-url {libraries.TORCH_FOR_CPU}"


@cache
def wheel() -> tuple[str, bytes]:
    """Name and bytes of the engine's wheel, built from a copy: a build leaves files beside it.

    Raises CourseError where this engine is no clone of the course, or it cannot be built.
    """
    if not (REPOSITORY / "pyproject.toml").is_file():
        raise CourseError(f"{REPOSITORY} is no clone of the course, which this needs. Clone it.")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "source")
        for path in files():
            copy = source / path.relative_to(REPOSITORY)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
            copy.chmod(0o644)
        done = subprocess.run(
            [sys.executable, "-c", MAKE_WHEEL, folder], cwd=source, capture_output=True, text=True,
            env=os.environ | {"SOURCE_DATE_EPOCH": EPOCH}, check=False,
        )  # fmt: skip
        if done.returncode:
            raise CourseError(f"The engine's wheel cannot be built: {done.stderr[-500:]}")
        built = next(Path(folder).glob("*.whl"))
        return built.name, built.read_bytes()


def files() -> list[Path]:
    """What the wheel is built from."""
    found = [path for path in PACKAGE.rglob("*") if path.is_file()]
    engine = [path for path in sorted(found) if "__pycache__" not in path.parts]
    return [REPOSITORY / "pyproject.toml", REPOSITORY / "LICENSE", *engine]
