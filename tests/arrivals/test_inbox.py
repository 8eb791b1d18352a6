"""What lies in the exchange, where every student can write, is taken with care."""

import os
import shutil
from datetime import UTC, datetime

import pytest

from autograder.arrivals.inbox import Inbox
from autograder.course.course import Course
from autograder.plugins.exchange import Collect

CHAPTER = "01_toy"


@pytest.fixture
def inbox(root):
    return Inbox(Course(root), [CHAPTER])


@pytest.fixture
def inbound(tmp_path):
    return tmp_path / "exchange" / "toys" / "inbound"


def test_a_link_leads_nobody_to_the_work_of_another_student(inbox, inbound, root, submit):
    submit("ada")
    assert inbox.collect() == [(CHAPTER, "ada")]
    work = root / "submitted" / "ada" / CHAPTER
    submit("bob")
    (hand_in,) = inbound.glob("bob+*")
    (hand_in / f"{CHAPTER}.ipynb").unlink()
    (hand_in / f"{CHAPTER}.ipynb").symlink_to(work / f"{CHAPTER}.ipynb")
    (hand_in / "more").symlink_to(work)
    os.mkfifo(hand_in / "pipe")
    assert inbox.collect() == [(CHAPTER, "bob")]
    names = {path.name for path in (root / "submitted" / "bob" / CHAPTER).iterdir()}
    assert not names & {f"{CHAPTER}.ipynb", "more", "pipe"} and "timestamp.txt" in names


def test_a_pipe_instead_of_the_date_keeps_nobody_waiting(inbox, inbound, submit):
    submit("ada"), submit("bob")
    (hand_in,) = inbound.glob("bob+*")
    (hand_in / "timestamp.txt").unlink()
    os.mkfifo(hand_in / "timestamp.txt")
    assert inbox.collect() == [(CHAPTER, "ada")]


@pytest.mark.parametrize("name", ["*", "", "[a-z]da", " ada"])
def test_a_name_that_no_student_can_have_is_passed_over(inbox, inbound, submit, name):
    submit("ada")
    (hand_in,) = inbound.glob("ada+*")
    shutil.copytree(hand_in, inbound / hand_in.name.replace("ada", name, 1))
    assert inbox.collect() == [(CHAPTER, "ada")]


def test_a_hand_in_that_cannot_be_read_leaves_the_earlier_one_and_is_tried_again(
    inbox, root, submit, monkeypatch
):
    submit("ada")
    assert inbox.collect()
    notebook = root / "submitted" / "ada" / CHAPTER / f"{CHAPTER}.ipynb"
    before = notebook.read_bytes()
    submit("ada", "def normalise(values):\n    return values")
    with monkeypatch.context() as patch:
        patch.setattr(Collect, "copy_aside", unreadable)
        assert inbox.collect() == [] and inbox.failed == {(CHAPTER, "ada"): "no permission"}
        assert notebook.read_bytes() == before
    assert inbox.collect() == [(CHAPTER, "ada")] and notebook.read_bytes() != before


def unreadable(*_):
    raise OSError("no permission")


def test_an_exchange_that_comes_later_is_found(root, inbound, submit):
    submit("ada")
    aside = inbound.rename(inbound.with_name("aside"))
    inbox = Inbox(Course(root), [CHAPTER])
    assert inbox.collect() == [] and inbox.folder is None
    aside.rename(inbound)
    assert inbox.collect() == [(CHAPTER, "ada")] and inbox.folder == inbound


def test_where_only_what_came_before_the_due_date_counts_a_later_one_replaces_nothing(root, submit):
    config = root / "nbgrader_config.py"
    config.write_text(config.read_text() + "\nc.ExchangeCollect.before_duedate = True\n")
    inbox = Inbox(Course(root), [CHAPTER])
    submit("ada")
    assert inbox.collect() == [(CHAPTER, "ada")]
    with Course(root).gradebook() as book:
        book.update_or_create_assignment(CHAPTER, duedate=datetime.now(UTC).replace(tzinfo=None))
    submit("ada", "def normalise(values):\n    return values")
    assert inbox.collect() == []
