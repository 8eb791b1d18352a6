"""Grading that is killed or stopped at any moment ends like grading that was left alone."""

import random
import signal
import sqlite3
import time

from processes import alive, command, descendants, kill
from whole_runs import STUDENTS, finished, outcome, start, wait_for_progress

KILLS = 2
AUTOMATIC = "select id, auto_score from grade order by id"


def test_killed_again_and_again_it_goes_on_and_grading_anew_changes_nothing(
    class_root, alone, all_cores
):
    chance = random.Random(1)
    for attempt in range(KILLS):
        before, process = finished(class_root), start(class_root)
        if attempt == 0:
            time.sleep(chance.uniform(0.2, 6))  # while it starts
        else:
            wait_for_progress(class_root, process, before, chance.randrange(1, 5))
            time.sleep(chance.random() * 0.3)
        below = descendants(process.pid)
        kill(process.pid)
        process.wait()
        assert alive(below) == []
        assert finished(class_root) >= before
    assert finished(class_root) > 0
    assert start(class_root).wait(timeout=300) == 0
    assert outcome(class_root) == alone
    marks_and_comments_of_a_person_stay(class_root)


def marks_and_comments_of_a_person_stay(root):
    with sqlite3.connect(root / "gradebook.db") as book:
        book.execute("update grade set manual_score = 0.5, extra_credit = 0.25, "
                     "needs_manual_grade = 0 where rowid % 3 = 0")  # fmt: skip
        book.execute("update comment set manual_comment = 'well done' where rowid % 2 = 0")
        before, automatic = by_hand(book), book.execute(AUTOMATIC).fetchall()
    assert start(root, "--force").wait(timeout=300) == 0
    with sqlite3.connect(root / "gradebook.db") as book:
        assert by_hand(book) == before
        assert book.execute(AUTOMATIC).fetchall() == automatic
        waiting = book.execute("select distinct needs_manual_grade from grade "
                               "where manual_score is not null").fetchall()  # fmt: skip
        assert waiting == [(0,)]  # no answer has changed since


def test_where_workers_are_killed_others_take_their_place(class_root, alone):
    process = start(class_root)
    for running in (sandboxes, judges):
        wait_for_progress(class_root, process, finished(class_root), 1)
        kill(running(process.pid)[0])
    assert process.wait(timeout=300) == 0, process.stderr.read()
    assert outcome(class_root) == alone


def judges(pid):
    """The processes that judge; the server that forked them comes before them."""
    return [below for below in descendants(pid) if "forkserver" in command(below)][1:]


def sandboxes(pid):
    return [below for below in descendants(pid) if "autograder.confined.worker" in command(below)]


def test_stopped_by_hand_it_keeps_what_is_finished_and_leaves_no_process(
    class_root, sandbox, all_cores
):
    process = start(class_root)
    wait_for_progress(class_root, process, 0, 3)
    below = descendants(process.pid)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=300) == 130
    assert "What is finished is kept" in process.stderr.read()
    assert alive(below) == []
    assert 0 < finished(class_root) < STUDENTS


def by_hand(book):
    grades = book.execute("select id, manual_score, extra_credit from grade order by id")
    comments = book.execute("select id, manual_comment from comment order by id")
    return grades.fetchall(), comments.fetchall()
