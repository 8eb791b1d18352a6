"""A chapter to take away: its notebook, its public checks, and the engine that runs them.

```{chapter-zip} 04_masks
```

A zip of the same bytes each time, so that a rebuilt site changes nothing. It needs neither this
repository nor anything of the course but what it holds.
"""

import io
import os
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

import yaml
from docutils import nodes
from myst_lines import parsed
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
from autograder.course import engine_wheel  # noqa: E402  (of this repository)
from autograder.course.published import Published, published  # noqa: E402  (of this repository)

FOLDER = ROOT / "build" / "book" / "notebooks"
FILES = ("{name}.ipynb", "checks.safetensors")  # of exercises/NAME; a learner's own are not sent
BESIDE_ENGINE = ("jupyterlab", "matplotlib")  # what the notebooks need, and the engine does not
TEXT = """\
Download {{download}}`{name}.zip <{target}>` ({size}): the notebook, its public checks and the
engine that runs them. Unzip it, and in its folder, with Python 3.11 or later:

```sh
pip install -r requirements.txt
jupyter lab {name}.ipynb
```

Most of what is downloaded is torch with CUDA, several GB. A torch that is there already, as in a
hosted notebook, is used as it is. On a computer without a GPU, install torch's build for the CPU
before: [pytorch.org](https://pytorch.org/get-started/locally/) gives the command.

(In a clone of the course, `make learn` does it all.) Each exercise comes with three hints, folded,
and a check that names the mistake."""
README = """\
# {title}

A chapter of *{course}* to work on: functions to write, each with a check that says what is wrong.

In this folder, with Python 3.11 or later:

    python -m venv .venv && . .venv/bin/activate
    pip install -r requirements.txt
    jupyter lab {name}.ipynb

(On Windows the first line is: py -m venv .venv; .venv\\Scripts\\activate)

| file | what it is |
|---|---|
| `{name}.ipynb` | the notebook; your answers go into it |
| `checks.safetensors` | the public cases, which `check` runs your functions on |
| `{engine}` | the engine behind `check`, which `requirements.txt` names |
| `LICENSE` | of the text; the code is under the MIT licence |

`progress.json` will be here once you have checked something. It is yours, and nothing sends it
anywhere; the book's page of all exercises can show it.

{book}
"""


class ChapterZip(SphinxDirective):
    """How to get the notebook of the chapter that the argument names."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        path = FOLDER / f"{self.arguments[0]}.zip"
        target = os.path.relpath(path, self.env.srcdir)
        size = f"{path.stat().st_size / 1000:,.0f} kB"
        text = TEXT.format(name=path.stem, target=target, size=size)
        opens = launches(path.stem, published(ROOT))
        return parsed(self, [*text.splitlines(), *(["", opens] if opens else [])])


def launches(name: str, place: Published) -> str:
    """A sentence of links that open the notebook elsewhere; "" where it is not published."""
    links = [f"[{site}]({address})" for site, address in place.launches(name).items()]
    return f"Or open it, with nothing to install, in {' or '.join(links)}." if links else ""


def write_zips(app: Sphinx) -> None:
    """Before the pages, which say how large the zips are."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        engine = wheel(Path(folder))
        for chapter in sorted((ROOT / "exercises").glob("[0-9]*")):
            content = pack(chapter.name, contents(chapter, engine))
            (FOLDER / f"{chapter.name}.zip").write_bytes(content)


def wheel(folder: Path) -> Path:
    """The engine's wheel, in `folder`."""
    name, content = engine_wheel.wheel()
    path = folder / name
    path.write_bytes(content)
    return path


def contents(chapter: Path, engine: Path) -> dict[str, bytes]:
    """Name -> bytes of what a learner of this chapter gets."""
    names = [name.format(name=chapter.name) for name in FILES]
    found = {name: (chapter / name).read_bytes() for name in names}
    found[engine.name] = engine.read_bytes()
    found["LICENSE"] = (ROOT / "book" / "LICENSE").read_bytes()
    found["README.md"] = readme(chapter.name, engine.name, published(ROOT)).encode()
    found["requirements.txt"] = requirements(engine.name).encode()
    return found


def readme(name: str, engine: str, place: Published) -> str:
    """What is in the zip, how to begin, and where the book is."""
    course = yaml.safe_load((ROOT / "_config.yml").read_text())["title"]
    lines = (ROOT / "book" / f"{name}.md").read_text().splitlines()
    title = next(line[2:] for line in lines if line.startswith("# "))
    page = f"{place.book}{name}.html"
    book = (
        f"The chapter itself: <{page}>"
        if place.book
        else "The chapter is the page of the book that offered this."
    )
    return README.format(title=title, course=course, name=name, engine=engine, book=book)


def requirements(engine: str) -> str:
    """The engine from the file beside it, the rest from the package index."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    course = project["optional-dependencies"]["course"]
    lines = ["# In this folder: pip install -r requirements.txt", f"./{engine}"]
    return "\n".join(lines + [one for one in course if one.startswith(BESIDE_ENGINE)]) + "\n"


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
    app.add_config_value("course_hub", "", "env")  # published.py reads it
    app.add_directive("chapter-zip", ChapterZip)
    app.connect("builder-inited", write_zips)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
