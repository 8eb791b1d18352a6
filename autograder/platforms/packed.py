"""Files for a platform, written whole or not at all."""

import io
import zipfile
from pathlib import Path
from string import Template
from tempfile import NamedTemporaryFile

from autograder.common.files import PACKAGE

TEMPLATES = PACKAGE / "templates"


def filled(template: str, **values: object) -> bytes:
    """Return a template of `autograder/templates/` with its names filled in."""
    return Template((TEMPLATES / template).read_text("utf-8")).substitute(values).encode()


def zipped(files: dict[str, bytes], programs: tuple[str, ...]) -> bytes:
    """Zip these files, sorted and without dates; `programs` are those that can be run."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name)  # of 1980-01-01
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100755 if name in programs else 0o100644) << 16
            archive.writestr(entry, content)
    return buffer.getvalue()


def write(path: Path, content: bytes) -> None:
    """All of it appears at once, and for its owner only. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        made = Path(file.name)
    try:
        made.write_bytes(content)
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)
