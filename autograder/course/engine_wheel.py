"""The engine as a wheel, and versions to use it with, for places without this repository.

The book's zips and the packages of `attn package` hold it. The same sources give the same bytes.
"""

import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from base64 import urlsafe_b64encode
from functools import cache
from importlib import metadata
from pathlib import Path

from autograder.common import libraries
from autograder.common.errors import CourseError
from autograder.common.files import DISTRIBUTION, PACKAGE, REPOSITORY

EPOCH = "315532800"  # 1980-01-01, before which a zip has no dates
MAKE_WHEEL = "import sys; from setuptools import build_meta as b; b.build_wheel(sys.argv[1])"
LOCK = REPOSITORY / "requirements.lock"
# Its torch has no CUDA, and is a tenth of the size; it counts as the version that the lock names.
TORCH_FOR_CPU = f"--extra-index-url {libraries.TORCH_FOR_CPU}"


OF_PIP = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}  # not as they were in the wheel


@cache
def wheel() -> tuple[str, bytes]:
    """Name and bytes of the engine's wheel: built from a clone, else made from what was installed.

    Raises CourseError where it cannot be made.
    """
    return _built() if (REPOSITORY / "pyproject.toml").is_file() else _packed_again()


def constraints() -> bytes:
    """Versions to use it with, for pip: those of the lock file, else those that are here."""
    if LOCK.is_file():
        return LOCK.read_bytes()
    needed = [line for line in metadata.requires(DISTRIBUTION) or () if "extra ==" not in line]
    names = [found[0] for line in needed if (found := re.match(r"[\w.-]+", line))]
    versions = {name: metadata.version(name).partition("+")[0] for name in names}
    return "".join(f"{name}=={version}\n" for name, version in versions.items()).encode()


def _built() -> tuple[str, bytes]:
    """Build from a copy, since a build leaves files beside its sources."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "source")
        for path in files():
            copy = source / path.relative_to(REPOSITORY)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
            copy.chmod(0o644)
        done = subprocess.run(
            [sys.executable, "-c", MAKE_WHEEL, folder],
            cwd=source,
            capture_output=True,
            text=True,
            env=os.environ | {"SOURCE_DATE_EPOCH": EPOCH},
            check=False,
        )
        if done.returncode:
            raise CourseError(f"The engine's wheel cannot be built: {done.stderr[-500:]}")
        built = next(Path(folder).glob("*.whl"))
        return built.name, built.read_bytes()


def _packed_again() -> tuple[str, bytes]:
    """Return the files that pip took out of a wheel, in a wheel again."""
    own = metadata.distribution(DISTRIBUTION)
    paths = [path for path in own.files or () if _was_in_wheel(path)]
    held = {path.as_posix(): Path(str(path.locate())).read_bytes() for path in paths}
    info = next((path.parts[0] for path in paths if path.name == "WHEEL"), "")
    if not info:
        raise CourseError(f"{PACKAGE} was not installed by pip, which this needs. Install it so.")
    record = [f"{name},sha256={_digest(content)},{len(content)}" for name, content in held.items()]
    held[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in held.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return f"{info.removesuffix('.dist-info')}-py3-none-any.whl", buffer.getvalue()


def _was_in_wheel(path: metadata.PackagePath) -> bool:
    inside = path.parts[0] == PACKAGE.name or path.parts[0].endswith(".dist-info")
    return inside and path.suffix != ".pyc" and path.name not in OF_PIP


def _digest(content: bytes) -> str:
    return urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")


def files() -> list[Path]:
    """List what the wheel is built from."""
    found = [path for path in PACKAGE.rglob("*") if path.is_file()]
    engine = [path for path in sorted(found) if "__pycache__" not in path.parts]
    return [REPOSITORY / "pyproject.toml", REPOSITORY / "LICENSE", *engine]
