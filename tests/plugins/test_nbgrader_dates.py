"""Dates as nbgrader's own commands and formgrader take them, with the course's configuration."""

import shutil
from datetime import datetime
from urllib.error import HTTPError

import pytest
from learners import RIGHT, notebook, save
from nbgrader.apps.api import NbGraderAPI
from servers import formgrader, get, put

from autograder.common.files import REPOSITORY
from autograder.course.course import Course
from autograder.course.release import release
from autograder.grading.due_dates import due_date


def test_formgrader_sets_a_due_date_only_to_a_date_that_is_whole(tmp_path, kernel, nbgrader):
    shutil.copy(REPOSITORY / "nbgrader_config.py", tmp_path)
    due = {"duedate_notimezone": "2026-03-02T19:00", "duedate_timezone": "+0200"}
    with formgrader(tmp_path) as address:
        get(f"{address}/api/assignments")
        put(f"{address}/api/assignment/01_toy", due)
        for zone in ("CEST", ""):
            with pytest.raises(HTTPError, match="400"):
                put(f"{address}/api/assignment/01_toy", due | {"duedate_timezone": zone})
    assert due_date(Course(tmp_path), "01_toy") == datetime(2026, 3, 2, 17)


def test_nbgrader_autograde_forgets_an_earlier_date_where_it_understands_none(
    toy_root, tmp_path, sandbox
):
    """nbgrader leaves it in the gradebook, where it would decide about other work."""
    shutil.copytree(toy_root, tmp_path, dirs_exist_ok=True)
    shutil.copy(REPOSITORY / "nbgrader_config.py", tmp_path)
    course, when = Course(tmp_path), datetime(2026, 3, 2, 17)
    release(course, "01_toy")
    folder = tmp_path / "submitted" / "ada" / "01_toy"
    folder.mkdir(parents=True)
    save(notebook(course.released("01_toy"), RIGHT), folder / "01_toy.ipynb")
    api = NbGraderAPI(coursedir=course.directory, config=course.config)
    for text, expected in {"2026-03-02 19:00 +0200": when, "2026-03-02 24:00 UTC": None}.items():
        (folder / "timestamp.txt").write_text(text)
        assert api.autograde("01_toy", "ada")["success"]
        with course.gradebook() as book:
            assert book.find_submission("01_toy", "ada").timestamp == expected
