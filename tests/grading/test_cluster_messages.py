"""What travels between a run and the workers of a cluster is data, and is looked at as a claim."""

import json
import pickle

import pytest

from autograder.common.errors import CourseError
from autograder.grading.cluster_messages import reply, request, submission, verdict
from autograder.grading.provenance import fingerprint
from autograder.grading.results import Graded
from autograder.notebooks.hand_in import HandIn, NotebookError, UnreadableError

NOTEBOOK = HandIn("01_toy.ipynb", b'{"cells": [\n]}\n')
MESSAGE = request("run", "01_toy", "ada", NOTEBOOK, hurry=True)
ROW = {"student": "ada", "chapter": "01_toy", "exercise": "normalise", "points": 2.0,
       "max_points": 2.0, "verdict": "passed", "misconception": None, "message": ""}  # fmt: skip
GRADED = Graded("ada", [ROW], "{}", {"check_normalise": 2.0}, {"normalise": None}, ["A note."])


def opened(answer, message=MESSAGE):
    return verdict(answer, fingerprint(message), "ada")


@pytest.mark.parametrize(
    "found", [b"", b"\x00\n{\n\xff", NotebookError("None there."), UnreadableError("Disk.")]
)
def test_a_submission_arrives_as_it_was_sent(found):
    sent = HandIn("n\n.ipynb", found, ("Found in a.zip.",))
    chapter, student, handed_in, hurry, limits = submission(
        request("run", "01_toy", "añ\nb", sent, True, {"step": 5.5})
    )
    assert handed_in.notes == ("Found in a.zip.",)
    assert (chapter, student, handed_in.name, hurry) == ("01_toy", "añ\nb", "n\n.ipynb", True)
    assert limits == {"step": 5.5}
    assert type(handed_in.found) is type(found)
    assert handed_in.found == found or str(handed_in.found) == str(found)


def test_a_request_that_is_a_pickle_is_not_opened():
    with pytest.raises(ValueError):
        submission(pickle.dumps(NOTEBOOK))


def test_a_verdict_arrives_as_it_was_given():
    assert opened(reply(MESSAGE, GRADED)) == GRADED
    slow = Graded("ada", slow=True)
    assert opened(reply(MESSAGE, slow)) == slow


@pytest.mark.parametrize("other", [
    request("an earlier run", "01_toy", "ada", NOTEBOOK, hurry=True),
    request("run", "01_toy", "ada", HandIn(NOTEBOOK.name, NOTEBOOK.data + b" "), hurry=True),
    request("run", "01_toy", "bob", NOTEBOOK, hurry=True),
    request("run", "01_toy", "ada", NOTEBOOK, hurry=False),
    request("run", "02_toy", "ada", NOTEBOOK, hurry=True),
])  # fmt: skip
def test_a_reply_to_another_run_chapter_notebook_student_or_haste_is_none(other):
    with pytest.raises(CourseError, match="no verdict on this notebook in this run"):
        opened(reply(other, GRADED))


@pytest.mark.parametrize("part", [
    {"student": "bob"}, {"student": None}, {"rows": []}, {"rows": [{}]}, {"rows": None},
    {"rows": [ROW | {"points": float("nan")}]}, {"rows": [ROW | {"points": "2"}]},
    {"rows": [ROW | {"points": None}]}, {"notebook": ""}, {"notebook": None},
    {"notebook": "\ud800"}, {"scores": {"check_normalise": "2"}}, {"scores": [1]},
    {"comments": {"normalise": 1}}, {"notes": [1]}, {"slow": 1}, {"a field of another version": 1},
])  # fmt: skip
def test_a_reply_with_another_part_is_refused_in_a_sentence(part):
    said = json.loads(reply(MESSAGE, GRADED))
    said["graded"] |= part
    with pytest.raises(CourseError, match="no verdict on this notebook in this run"):
        opened(json.dumps(said).encode())


@pytest.mark.parametrize("answer", [b"", b"\xff", b"null", b"[]", b"{}", b"[" * 100_000, 7, None])
def test_a_reply_that_is_none_at_all_is_refused_in_a_sentence(answer):
    with pytest.raises(CourseError, match="check who else can reach the scheduler"):
        opened(answer)
