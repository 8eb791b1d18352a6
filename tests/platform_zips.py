"""Zips of learning platforms, and nbgrader's command that collects from them."""

import logging
from zipfile import ZipInfo

import pytest
from nbgrader.apps import ZipCollectApp
from odd_archives import packed

ROSTER = {"ada": ("Ada", "Lovelace", "1042"), "mary": ("Mary Ann", "O'Neil_Berg", "7"),
          "li": ("Li", "Wu", "8"), "li2": ("Li", "Wu", "9")}  # fmt: skip


def collect(course, platform, names):
    """Collect a zip in which each file holds its own name; gives what is in submitted/ then."""
    download(course, packed((name, name) for name in names))
    assert run(platform) == 0
    return submitted(course)


def download(course, data, name="submissions.zip"):
    """Put a file where it is collected from."""
    place = course / "downloaded" / "04_masks" / "archive"
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(data)


def run(platform, *arguments):
    """The command in this process; gives the exit code with which it ends."""
    app = ZipCollectApp()
    app.initialize(
        ["04_masks", "--collector", f"autograder.nbgrader_plugins.{platform}", *arguments]
    )
    app.log.propagate = True
    with pytest.raises(SystemExit) as ended:
        app.start()
    return ended.value.code


def run_and_left_out(platform, caplog, *arguments):
    """Collect while something cannot be; gives the sentences."""
    caplog.clear()
    with caplog.at_level(logging.ERROR):
        assert run(platform, *arguments) == 1
    return [record.getMessage() for record in caplog.records]


def submitted(course):
    return {path.relative_to(course / "submitted").as_posix(): path.read_text()
            for path in course.glob("submitted/*/*/*")}  # fmt: skip


def moodle(*files, year=2026):
    """A download: folder and content of each notebook, packed in a year."""

    def member(folder, name="04_masks.ipynb"):
        return ZipInfo(f"{folder}_assignsubmission_file/{name}", (year, 3, 2, 12, 0, 0))

    return packed([(member(folder), content) for folder, content in files])
