"""A chapter to take away: its notebook, its public checks, the engine, and the rule for assistants.

```{chapter-zip} 04_masks
```

A zip of the same bytes each time, so that a rebuilt site changes nothing. It needs neither this
repository nor anything of the course but what it holds.
"""

import io
import os
import sys
import zipfile
from pathlib import Path

from docutils import nodes
from myst_lines import parsed
from plain_text import reading
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from taking_away import UV, UV_ITSELF, for_uv, readme, requirements

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
from autograder.chapters.settings import Published, published  # noqa: E402
from autograder.course import assistants, engine_wheel  # noqa: E402  (of this repository)

FOLDER = ROOT / "build" / "book" / "notebooks"
# Of exercises/NAME; a learner's own are not sent.
FILES = ("{name}.ipynb", "checks.safetensors", *assistants.FILES)
TEXT = """\
Download {{download}}`{name}.zip <{target}>` ({size}): the notebook, its public checks and the
engine that runs them. Unzip it. With {uv_itself}, type in its folder:

```sh
{uv}
```

Without it, `README.md` there has three lines for each of Linux, macOS and Windows, with Python 3.11
or later. Either way torch is its build for the CPU, 0.2 GB; with CUDA it would be several.

(In a clone of the course, `make learn` does it all.) Each exercise comes with three hints, folded,
and a check that names the mistake."""


class ChapterZip(SphinxDirective):
    """How to get the notebook of the chapter that the argument names."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        path = FOLDER / f"{self.arguments[0]}.zip"
        target = os.path.relpath(path, self.env.srcdir)
        size = f"{path.stat().st_size / 1000:,.0f} kB"
        text = TEXT.format(
            name=path.stem, target=target, size=size,
            uv=UV.format(name=path.stem), uv_itself=UV_ITSELF,
        )  # fmt: skip
        opens = launches(path.stem, published(ROOT))
        return parsed(self, [*text.splitlines(), *(["", opens] if opens else [])])


def launches(name: str, place: Published) -> str:
    """A sentence of links that open the notebook elsewhere; "" where it is not published."""
    links = [f"[{site}]({address})" for site, address in place.launches(name).items()]
    return f"Or open it, with nothing to install, in {' or '.join(links)}." if links else ""


def write_zips(app: Sphinx) -> None:
    """Before the pages, which say how large the zips are."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for chapter in sorted((ROOT / "exercises").glob("[0-9]*")):
        (FOLDER / f"{chapter.name}.zip").write_bytes(pack(chapter.name, contents(chapter)))


def contents(chapter: Path) -> dict[str, bytes]:
    """Name -> bytes of what a learner of this chapter gets."""
    engine, wheel = engine_wheel.wheel()
    names = [name.format(name=chapter.name) for name in FILES]
    found = {name: (chapter / name).read_bytes() for name in names}
    found[engine] = wheel
    found["reading.md"] = reading(chapter).encode()
    found["LICENSE"] = (ROOT / "book" / "LICENSE").read_bytes()
    found["README.md"] = readme(chapter.name, engine, published(ROOT)).encode()
    found["requirements.txt"] = requirements(engine).encode()
    found["pyproject.toml"] = for_uv(chapter.name, engine).encode()
    return found


def pack(name: str, files: dict[str, bytes]) -> bytes:
    """A zip with one folder, `name`, sorted and without dates."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, content in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{name}/{path}")  # of 1980-01-01
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_config_value("course_hub", "", "env")  # settings.py reads it
    app.add_directive("chapter-zip", ChapterZip)
    app.connect("builder-inited", write_zips)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
