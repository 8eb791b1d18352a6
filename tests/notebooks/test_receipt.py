"""Of what a student hands in beside the notebook, only receipts of nbgrader's exchange go on."""

import pytest

from autograder.notebooks.hand_in import keep_receipts

SECRET = "0123456789abcdef" * 8


@pytest.fixture
def folders(tmp_path):
    submitted, autograded = tmp_path / "submitted", tmp_path / "autograded"
    submitted.mkdir()
    autograded.mkdir()
    return submitted, autograded


def kept(submitted, autograded):
    keep_receipts(submitted, autograded)
    return {path.name: path.read_text() for path in autograded.iterdir()}


def test_the_time_and_the_secret_are_kept(folders):
    (folders[0] / "timestamp.txt").write_text("2026-01-12 10:00:00.123456 UTC\n")
    (folders[0] / "submission_secret.txt").write_text(SECRET)
    assert kept(*folders) == {"timestamp.txt": "2026-01-12 10:00:00.123456 UTC\n",
                              "submission_secret.txt": SECRET}  # fmt: skip


def test_anything_else_of_those_names_is_not(folders, tmp_path):
    (tmp_path / "password").write_text(SECRET)
    (folders[0] / "submission_secret.txt").symlink_to(tmp_path / "password")
    (folders[0] / "timestamp.txt").write_text("<script>alert(1)</script>")
    (folders[0] / "notes.txt").write_text("2026-01-12")
    assert kept(*folders) == {}


def test_an_old_receipt_goes_when_the_new_work_has_none(folders):
    (folders[1] / "submission_secret.txt").write_text(SECRET)
    (folders[1] / "submission_secret.txt").chmod(0o444)
    assert kept(*folders) == {}
