"""Which pages of the book are executed again, and what else has to notice a changed file."""

import io
import os
import re
import shutil
import subprocess
import sys
import zipfile

import book_site
import cell_cache
import pytest

from autograder.course import engine_wheel

ROOM = "autograder/room"
ROOM_FILES = ["autograder/__init__.py", f"{ROOM}/__init__.py", f"{ROOM}/templates/page.html"]

PAGES = {
    "a": "import one, json\nprint(one.two.NUMBER, json.load(open('measured/read.json')))",
    "b": "import three\nprint(three.NUMBER)",
}
FILES = {
    "one.py": "import rooms.two as two",
    "rooms/two.py": "NUMBER = 2",
    "three.py": "NUMBER = 3",
    "alone.py": "NUMBER = 4",
    "measured/read.json": "5",
    "measured/other.json": "6",
}
CONF = """
import sys
sys.path.insert(0, "_ext")
extensions = ["myst_nb", "parallel_cells"]
exclude_patterns = ["index.*", "_*"]
root_doc = "a"
nb_execution_mode = "cache"
"""
PAGE = """\
---
kernelspec: {{name: python3, display_name: Python 3, language: python}}
file_format: mystnb
---
# Page {name}

```{{code-cell}} ipython3
{code}
```
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A book with the extension that runs cells, built once."""
    folder = tmp_path_factory.mktemp("root") / "book"
    for name in ("cell_cache.py", "parallel_cells.py", "watch_files.py"):
        write(folder / "_ext" / name, (book_site.BOOK / "_ext" / name).read_text())
    for name, text in FILES.items():
        write(folder / name, text)
    for name, code in PAGES.items():
        write(folder / f"{name}.md", PAGE.format(name=name, code=code))
    write(folder / "conf.py", CONF)
    return folder


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def executed(book):
    """The pages whose cells a build executes, and finishes; what Python compiles is kept."""
    command = [sys.executable, "-m", "sphinx", "-a", "-E", book, book / "_build" / "html"]
    kept = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=book, env=kept)
    return re.findall(r"(\w+)\.md: Executed notebook", done.stdout)


def test_a_page_is_executed_again_only_for_what_it_reads(book):
    assert executed(book) == ["a", "b"]
    for name in ("alone.py", "measured/other.json"):
        write(book / name, "0")
    assert executed(book) == []
    write(book / "rooms/two.py", "NUMBER = 22")
    assert executed(book) == ["a"]
    write(book / "measured/read.json", "55")
    write(book / "three.py", "NUMBER = 33")
    assert executed(book) == ["a", "b"]
    for page, text in (("a", "22 55"), ("b", "33")):
        assert text in (book / "_build" / "html" / f"{page}.html").read_text()


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """The engine with a room in it, and what is built from the engine."""
    for name in ("LICENSE", "Makefile", "pyproject.toml"):
        shutil.copy(book_site.ROOT / name, tmp_path)
    write(tmp_path / ROOM / "templates" / "page.html", "<p>")
    for folder in ("autograder", ROOM):
        write(tmp_path / folder / "__init__.py", "")
    monkeypatch.setattr(cell_cache, "ROOT", tmp_path)
    monkeypatch.setattr(engine_wheel, "REPOSITORY", tmp_path)
    monkeypatch.setattr(engine_wheel, "PACKAGE", tmp_path / "autograder")
    monkeypatch.setattr(engine_wheel, "wheel", engine_wheel.wheel.__wrapped__)  # as if first asked
    return tmp_path


def of_the_engine(paths):
    return sorted(path for path in paths if path.startswith("autograder/"))


def test_the_book_is_built_again_for_a_file_in_a_room_of_the_engine(repository):
    assert of_the_engine(cell_cache.sources()) == ROOM_FILES


def test_the_exercises_are_released_again_for_a_file_in_a_room_of_the_engine(repository):
    command = ["make", "--eval", "show: ; @echo $(ENGINE)", "show"]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True)
    assert of_the_engine(done.stdout.split()) == ROOM_FILES


def test_the_wheel_has_the_files_in_the_rooms_of_the_engine(repository):
    with zipfile.ZipFile(io.BytesIO(engine_wheel.wheel()[1])) as wheel:
        assert of_the_engine(wheel.namelist()) == ROOM_FILES
