"""A chapter to take away: what the zip on its page holds, and that it works by itself."""

import io
import os
import subprocess
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import book_site
import chapter_zip
import pytest

from autograder.common.libraries import TORCH_FOR_CPU

CHAPTERS = book_site.chapters()


def run(*command, folder, **how):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **how)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_offers_a_zip_and_says_how_large_it_is(pages, name):
    link = pages[f"{name}.html"].select_one(f'.bd-article a[href$="/{name}.zip"]')
    content = (book_site.HTML / link["href"]).read_bytes()
    assert f"({len(content) / 1000:,.0f} kB)" in link.parent.text


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_zip_holds_what_is_committed_and_the_engine_and_nothing_else(pages, name):
    link = pages[f"{name}.html"].select_one(f'.bd-article a[href$="/{name}.zip"]')
    with zipfile.ZipFile(book_site.HTML / link["href"]) as archive:
        held = {path.removeprefix(f"{name}/"): archive.read(path) for path in archive.namelist()}
    folder = book_site.ROOT / "exercises" / name
    listed = run("git", "ls-files", folder=folder)
    if listed.returncode == 0:
        assert sorted(listed.stdout.split()) == sorted(
            f.format(name=name) for f in chapter_zip.FILES
        )
    engine = next(path for path in held if path.endswith(".whl"))
    assert held.pop("requirements.txt").decode().splitlines()[1] == f"./{engine}"
    assert held.pop("README.md") and held.pop("pyproject.toml")
    assert held.pop("LICENSE") == (book_site.ROOT / "book" / "LICENSE").read_bytes()
    assert held.pop("reading.md").decode().startswith(f"<!-- {name}.html -->\n")
    with zipfile.ZipFile(io.BytesIO(held.pop(engine))) as wheel:
        inside = {path.partition("/")[0] for path in wheel.namelist()}
        assert (
            wheel.read("autograder/learner/public_cases.py")
            == (book_site.ROOT / "autograder" / "learner" / "public_cases.py").read_bytes()
        )
    assert {path.partition("-")[0] for path in inside} == {"autograder", "attention_measured"}
    assert held == {path: (folder / path).read_bytes() for path in held}
    assert sorted(held) == sorted(one.format(name=name) for one in chapter_zip.FILES)


def test_a_zip_has_the_same_bytes_each_time(book, tmp_path):
    published = (chapter_zip.FOLDER / f"{CHAPTERS[0]}.zip").read_bytes()
    folder = book_site.ROOT / "exercises" / CHAPTERS[0]
    files = chapter_zip.contents(folder)
    assert chapter_zip.pack(CHAPTERS[0], files) == published


@pytest.fixture
def unzipped(pages, tmp_path):
    """The folder of one chapter, as a learner has it."""
    with zipfile.ZipFile(chapter_zip.FOLDER / "04_masks.zip") as archive:
        archive.extractall(tmp_path)
    return tmp_path / "04_masks"


def told(readme, system):
    """The lines that the README has for a system."""
    after = readme.partition(f"{system}:\n\n")[2]
    return [line.removeprefix("    ") for line in after.partition("\n\n")[0].splitlines()]


def environment(folder):
    """A virtual environment in which pip finds all that the tests run on but the engine."""
    venv.create(folder / ".venv", with_pip=False)
    (installed := folder.parent / "installed").mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if "attention_measured" not in path.name:
            (installed / path.name).symlink_to(path)
    (place,) = (folder / ".venv").glob("lib/*/site-packages")
    (place / "theirs.pth").write_text(f"{installed}\n")
    pip = folder / ".venv" / "bin" / "pip"
    pip.write_text('#!/bin/sh\nexec "$(dirname "$0")/python" -m pip "$@"\n')
    pip.chmod(0o755)


FIRST_CHECK = """
import autograder, json
cells = json.load(open("04_masks.ipynb"))["cells"]
for cell in [cell for cell in cells if cell["cell_type"] == "code"][:2]:
    exec("".join(cell["source"]))
assert ".venv" in autograder.__file__
def padding_mask(tokens, pad_id):
    return (tokens != pad_id)[:, None, None, :]
check(padding_mask)
"""


def test_on_linux_the_readme_installs_the_engine_and_the_notebook_checks(unzipped):
    """Offline: what else the commands name is there already. Its own needs are in the wheel."""
    make, install, begin = told((unzipped / "README.md").read_text(), "Linux")
    assert make == "python3 -m venv .venv" and begin == ".venv/bin/jupyter lab 04_masks.ipynb"
    environment(unzipped)
    offline = {**os.environ, "PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1"}
    offline.pop("PYTHONPATH", None)
    done = run("sh", "-c", install, folder=unzipped, env=offline)
    assert done.returncode == 0, done.stderr
    assert "Successfully installed attention-measured" in done.stdout
    done = run(".venv/bin/python", "-c", FIRST_CHECK, folder=unzipped, env=offline)
    assert done.returncode == 0, done.stderr
    assert "all 4 cases pass" in done.stdout
    done = run(".venv/bin/attn", "tutor", folder=unzipped, env=offline, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_what_uv_installs_is_what_pip_installs_with_torch_for_the_cpu(unzipped):
    given = tomllib.loads((unzipped / "pyproject.toml").read_text())
    named = (unzipped / "requirements.txt").read_text().splitlines()[1:]
    sources = given["tool"]["uv"]["sources"]
    assert named[0] == f"./{sources['attention-measured']['path']}"
    assert (unzipped / named[0]).is_file()
    assert given["project"]["dependencies"] == ["attention-measured", "torch>=2.6", *named[1:]]
    (index,) = given["tool"]["uv"]["index"]
    assert (sources["torch"][0]["index"], index["url"]) == (index["name"], TORCH_FOR_CPU)
    assert index["explicit"]


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_readme_of_a_zip_has_three_lines_for_each_system_and_names_every_file(pages, name):
    with zipfile.ZipFile(chapter_zip.FOLDER / f"{name}.zip") as archive:
        files = {path.removeprefix(f"{name}/") for path in archive.namelist()}
        readme = archive.read(f"{name}/README.md").decode()
    assert all(f"`{path}`" in readme for path in files - {"README.md"})
    for system in ("Linux", "macOS", "Windows"):
        lines = told(readme, system)
        assert len(lines) == 3
        assert lines[-1].endswith(f"jupyter lab {name}.ipynb")
        assert (TORCH_FOR_CPU in "".join(lines)) == (system == "Linux")
    assert "\\" in "".join(told(readme, "Windows")) and "uv run jupyter lab" in readme
