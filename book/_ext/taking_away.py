"""What the files of a chapter's zip say that are about it: how to begin, and what to install."""

import json
import sys
import tomllib
from pathlib import Path
from textwrap import indent
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
from autograder.chapters.settings import Published  # noqa: E402
from autograder.common.libraries import TORCH_FOR_CPU  # noqa: E402  (of this repository)

BESIDE_ENGINE = ("jupyterlab", "matplotlib")  # what the notebooks need, and the engine does not
BEGIN = {
    "Linux": """\
python3 -m venv .venv
.venv/bin/pip install torch --index-url {index} && .venv/bin/pip install -r requirements.txt
.venv/bin/jupyter lab {name}.ipynb""",
    "macOS": """\
python3 -m venv .venv
.venv/bin/pip install -r requirements.txt
.venv/bin/jupyter lab {name}.ipynb""",
    "Windows": """\
py -m venv .venv
.venv\\Scripts\\pip install -r requirements.txt
.venv\\Scripts\\jupyter lab {name}.ipynb""",
}
UV_ITSELF = "[uv](https://docs.astral.sh/uv/)"
UV = "uv run jupyter lab {name}.ipynb"  # on each of them
README = """\
# {title}

A chapter of *{course}* to work on: functions to write, each with a check that says what is wrong.

Open a terminal in this folder and type the lines of your system. They need Python 3.11 or later.

{systems}

The next time, the last line is enough. This torch is for the CPU, which is all that the exercises
need: on Linux, pip would take several GB of CUDA with it by itself.

| file | what it is |
|---|---|
| `{name}.ipynb` | the notebook; your answers go into it |
| `checks.safetensors` | the public cases, which `check` runs your functions on |
| `AGENTS.md`, `CLAUDE.md` | what a coding assistant may do here; both say the same |
| `{engine}` | the engine behind `check` |
| `reading.md` | what the exercises name of the book, as text |
| `requirements.txt` | what pip installs: the engine from this folder, and JupyterLab |
| `pyproject.toml` | the same for uv |
| `LICENSE` | of the text; the code is under the MIT licence |

`progress.json` will be here once you have checked something. It is yours, and nothing sends it
anywhere; the book's page of all exercises can show it.

After `pip install "{tutor}"` in this environment, the assistant in your editor can ask `attn tutor`
to run `check`, for hints and for `reading.md`. The book's page of all exercises says how.

{book}
"""
PROJECT = """\
# For uv: `{run}`
[project]
name = "{name}"
version = "{version}"
requires-python = "{python}"
dependencies = {dependencies}

[tool.uv]
package = false

[tool.uv.sources]
{distribution} = {{ path = "{engine}" }}
torch = [{{ index = "torch-for-cpu", marker = "sys_platform != 'darwin'" }}]

[[tool.uv.index]]
name = "torch-for-cpu"
url = "{index}"
explicit = true
"""


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
    return README.format(
        title=title, course=course, name=name, engine=engine, book=book, systems=systems(name),
        tutor=tutor(),
    )  # fmt: skip


def systems(name: str) -> str:
    """What to type on each system, as Markdown."""
    blocks = {f"{system}:": text.format(name=name, index=TORCH_FOR_CPU)
              for system, text in BEGIN.items()}  # fmt: skip
    blocks[f"On any of them, with {UV_ITSELF}, which brings Python:"] = UV.format(name=name)
    return "\n\n".join(f"{title}\n\n{indent(text, '    ')}" for title, text in blocks.items())


def requirements(engine: str) -> str:
    """The engine from the file beside it, the rest from the package index."""
    lines = ["# In this folder: pip install -r requirements.txt", f"./{engine}", *beside_engine()]
    return "\n".join(lines) + "\n"


def for_uv(name: str, engine: str) -> str:
    """The same as uv reads it, which takes torch's build for the CPU from where that is."""
    own = project()
    torch = next(one for one in own["dependencies"] if one.startswith("torch"))
    return PROJECT.format(
        run=UV.format(name=name), name=name.replace("_", "-"), version=own["version"],
        python=own["requires-python"], distribution=own["name"], engine=engine,
        dependencies=json.dumps([own["name"], torch, *beside_engine()]), index=TORCH_FOR_CPU,
    )  # fmt: skip


def beside_engine() -> list[str]:
    """What the notebooks need and the engine does not, with versions."""
    course = project()["optional-dependencies"]["course"]
    return [one for one in course if one.startswith(BESIDE_ENGINE)]


def tutor() -> str:
    """What `attn tutor` needs beside the engine, with its version."""
    (needed,) = project()["optional-dependencies"]["tutor"]
    return str(needed)


def project() -> dict[str, Any]:
    """What pyproject.toml says of this engine."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return found
