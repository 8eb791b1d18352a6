"""A chapter to take away: what the zip on its page holds, and that it works by itself."""

import io
import subprocess
import sys
import zipfile

import book_site
import chapter_zip
import pytest

CHAPTERS = book_site.chapters()


def run(*command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


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
    assert held.pop("README.md")
    assert held.pop("LICENSE") == (book_site.ROOT / "book" / "LICENSE").read_bytes()
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
    files = chapter_zip.contents(folder, chapter_zip.wheel(tmp_path))
    assert chapter_zip.pack(CHAPTERS[0], files) == published


def test_check_runs_from_an_unzipped_folder_that_knows_nothing_of_the_course(pages, tmp_path):
    link = pages["04_masks.html"].select_one('.bd-article a[href$="/04_masks.zip"]')
    with zipfile.ZipFile(book_site.HTML / link["href"]) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / "04_masks"
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path / "installed")
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path / "installed")!r})
import autograder
from autograder import check
assert autograder.__file__.startswith({str(tmp_path)!r})
def padding_mask(tokens, pad_id):
    return (tokens != pad_id)[:, None, None, :]
check(padding_mask)
"""
    done = run(sys.executable, "-P", "-c", code, folder=folder)
    assert done.returncode == 0, done.stderr
    assert "padding_mask" in done.stdout


def test_the_readme_of_a_zip_begins_in_three_commands_and_names_every_file(pages):
    for name in CHAPTERS:
        with zipfile.ZipFile(chapter_zip.FOLDER / f"{name}.zip") as archive:
            files = {path.removeprefix(f"{name}/") for path in archive.namelist()}
            told = archive.read(f"{name}/README.md").decode()
        assert all(f"`{path}`" in told for path in files - {"README.md"})
        assert told.count("\n    ") == 3
