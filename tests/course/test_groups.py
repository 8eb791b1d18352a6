"""Groups: the newest hand-in of a member is in the folder of each, and nothing is lost."""

import os
import shutil
from datetime import datetime

import pytest

from autograder.common.errors import CourseError
from autograder.course.course import Course
from autograder.course.dates import Dates
from autograder.course.group_list import keep_groups
from autograder.course.groups import note_group, spread
from autograder.course.own_work import Folders
from autograder.notebooks.hand_in import HandIn

CHAPTER = "04_masks"
PAIR = {"ada": "A", "emmy": "A"}


@pytest.fixture
def course(tmp_path):
    for student in ("ada", "emmy", "li", "zoe"):
        (tmp_path / "submitted" / student).mkdir(parents=True)
    return Course(tmp_path)


def folder(course, student):
    return course.root / "submitted" / student / CHAPTER


def hands_in(course, student, text, when=""):
    """What collecting does: the folder is as the student has it now."""
    place = folder(course, student)
    shutil.rmtree(place, ignore_errors=True)
    (place / "data").mkdir(parents=True)
    (place / f"{CHAPTER}.ipynb").write_text(text)
    (place / "data" / "x.csv").write_text(text)
    if when:
        (place / "timestamp.txt").write_text(f"2026-03-02 {when} UTC")


def works(course):
    """What is in the notebook of each student."""
    found = sorted(course.root.glob(f"submitted/*/{CHAPTER}/{CHAPTER}.ipynb"))
    return {path.parts[-3]: path.read_text() for path in found}


def everything(root):
    return {path.relative_to(root).as_posix(): path.read_bytes()
            for path in root.rglob("*") if path.is_file()}  # fmt: skip


def test_one_hand_in_is_in_the_folder_of_each_member_with_its_date_and_says_whose_it_is(course):
    keep_groups(course, PAIR)
    hands_in(course, "ada", "a", "10:00")
    done = spread(course, CHAPTER)
    assert (done.counts, done.members, done.given) == ({"A": "ada"}, 2, ["emmy"])
    got = everything(folder(course, "emmy"))
    assert got.pop("group.txt") == b"Handed in by ada for the group A.\n"
    assert got == everything(folder(course, "ada"))


def test_done_again_it_changes_nothing(course):
    keep_groups(course, PAIR)
    hands_in(course, "ada", "a", "10:00")
    hands_in(course, "emmy", "e", "09:00")
    spread(course, CHAPTER)
    before = everything(course.root)
    assert spread(course, CHAPTER).given == []
    assert everything(course.root) == before


def test_the_newest_counts_whoever_handed_it_in_and_each_ones_own_is_kept(course):
    keep_groups(course, PAIR)
    for student, text, when in (("ada", "a1", "10:00"), ("emmy", "e2", "11:00"),
                                ("ada", "a3", "12:00"), ("emmy", "e4", "13:00")):  # fmt: skip
        hands_in(course, student, text, when)
        spread(course, CHAPTER)
        assert works(course) == dict.fromkeys(PAIR, text)
    kept = course.root / "own_hand_ins" / CHAPTER
    assert [path.read_text() for path in sorted(kept.rglob("*.ipynb"))] == ["a1", "a3", "e2"]


def test_without_dates_what_is_new_counts_and_two_new_ones_are_a_question(course):
    keep_groups(course, PAIR)
    hands_in(course, "ada", "a1")
    spread(course, CHAPTER)
    hands_in(course, "emmy", "e2")
    assert spread(course, CHAPTER).counts == {"A": "emmy"}
    hands_in(course, "ada", "a3")
    hands_in(course, "emmy", "e4")
    for _ in range(2):
        done = spread(course, CHAPTER)
        assert (done.counts, done.undecided) == ({}, {"A": ["ada", "emmy"]})
        assert works(course) == {"ada": "a3", "emmy": "e4"}
    shutil.rmtree(folder(course, "ada"))  # as the command says
    assert spread(course, CHAPTER).counts == {"A": "emmy"}
    assert works(course) == {"ada": "e4", "emmy": "e4"}


def test_who_leaves_has_the_own_earlier_hand_in_again_or_none_and_who_joins_gets_the_groups(course):
    keep_groups(course, PAIR | {"li": "A"})
    hands_in(course, "emmy", "e1", "09:00")
    hands_in(course, "ada", "a2", "10:00")
    spread(course, CHAPTER)
    assert works(course) == {"ada": "a2", "emmy": "a2", "li": "a2"}
    keep_groups(course, {"ada": "A", "zoe": "A"})
    done = spread(course, CHAPTER)
    assert (done.given, done.back, done.without) == (["zoe"], ["emmy"], ["li"])
    assert works(course) == {"ada": "a2", "emmy": "e1", "zoe": "a2"}
    assert not (folder(course, "emmy") / "group.txt").exists()


def test_where_the_one_who_handed_in_leaves_the_others_have_what_they_handed_in(course):
    keep_groups(course, PAIR | {"li": "A"})
    hands_in(course, "li", "l1", "08:00")
    hands_in(course, "emmy", "e2", "09:00")
    spread(course, CHAPTER)
    keep_groups(course, {"ada": "A", "li": "A"})
    done = spread(course, CHAPTER)
    assert (done.counts, done.given, done.back) == ({"A": "li"}, ["ada"], ["li"])
    assert works(course) == {"ada": "l1", "emmy": "e2", "li": "l1"}


def test_work_that_came_for_the_whole_group_stays_with_those_who_are_in_it(course):
    keep_groups(course, PAIR)
    hands_in(course, "ada", "ours")
    note_group(course, CHAPTER, "A", "ada")
    assert spread(course, CHAPTER).counts == {"A": ""}
    keep_groups(course, {"emmy": "A", "li": "A"})
    done = spread(course, CHAPTER)
    assert (done.given, done.without) == (["li"], ["ada"])
    assert works(course) == {"emmy": "ours", "li": "ours"}
    keep_groups(course, {"emmy": "B", "li": "B"})  # the group has another name
    assert spread(course, CHAPTER).without == [] and set(works(course).values()) == {"ours"}


def test_a_newer_work_of_the_whole_group_replaces_the_older_one_which_is_not_lost(course):
    keep_groups(course, PAIR)
    for text in ("v1", "v2"):
        hands_in(course, "ada", text)
        note_group(course, CHAPTER, "A", "ada")
        spread(course, CHAPTER)
        assert works(course) == {"ada": text, "emmy": text}
    (kept,) = (course.root / "own_hand_ins").rglob("replaced-1/*.ipynb")
    assert kept.read_text() == "v1"


def test_a_note_that_a_student_wrote_does_not_make_their_work_somebody_elses(course):
    hands_in(course, "emmy", "e1", "09:00")
    hands_in(course, "ada", "a2", "10:00")
    (folder(course, "emmy") / "group.txt").write_text("Handed in by ada for the group A.\n")
    keep_groups(course, PAIR)
    spread(course, CHAPTER)
    keep_groups(course, {"ada": "A"})
    assert spread(course, CHAPTER).back == ["emmy"]
    assert works(course) == {"ada": "a2", "emmy": "e1"}


def test_a_date_that_collecting_knows_is_that_of_all_members(course):
    keep_groups(course, PAIR)
    hands_in(course, "ada", "a")
    notebook = folder(course, "ada") / f"{CHAPTER}.ipynb"
    when = datetime(2026, 3, 2, 10)
    Dates(course, CHAPTER).record("ada", when, [HandIn.at(notebook).digest])
    spread(course, CHAPTER)
    assert Dates(course, CHAPTER).of("emmy", folder(course, "emmy") / notebook.name) == when


def test_a_corrected_date_reaches_the_members_and_one_given_to_a_member_alone_stays(course):
    keep_groups(course, PAIR)
    hands_in(course, "ada", "a", "10:00")
    spread(course, CHAPTER)
    stamps = [folder(course, one) / "timestamp.txt" for one in PAIR]
    stamps[0].write_text("2026-03-02 11:00 UTC")
    spread(course, CHAPTER)
    assert stamps[1].read_text() == "2026-03-02 11:00 UTC"
    stamps[1].write_text("2026-03-02 09:00 UTC")
    spread(course, CHAPTER)
    assert stamps[1].read_text() == "2026-03-02 09:00 UTC"


def test_the_secret_of_a_members_feedback_stays_the_members(course):
    keep_groups(course, PAIR)
    for student, text, when in (("emmy", "e", "09:00"), ("ada", "a", "10:00")):
        hands_in(course, student, text, when)
        (folder(course, student) / "submission_secret.txt").write_text(text * 128)
    spread(course, CHAPTER)
    assert works(course)["emmy"] == "a"
    assert (folder(course, "emmy") / "submission_secret.txt").read_text() == "e" * 128


def test_a_link_is_copied_as_a_link_and_a_pipe_is_not_waited_for(course, tmp_path):
    keep_groups(course, PAIR)
    hands_in(course, "ada", "a")
    (folder(course, "ada") / "solutions").symlink_to(tmp_path / "solutions")
    os.mkfifo(folder(course, "ada") / "pipe")
    spread(course, CHAPTER)
    assert (folder(course, "emmy") / "solutions").is_symlink()
    assert not (folder(course, "emmy") / "pipe").exists()


def test_a_student_in_two_groups_is_named_with_both_and_nothing_is_changed(course):
    hands_in(course, "ada", "a")
    (course.root / "groups.csv").write_text("student,group\nada,A\nemmy,A\nADA,B\n")
    with pytest.raises(CourseError, match=r"ada is in two groups, 'A' and 'B'. Correct groups.csv"):
        spread(course, CHAPTER)
    assert works(course) == {"ada": "a"}
    (course.root / "groups.csv").write_text("student,group\nada,A\nemy,A\n")
    with pytest.raises(CourseError, match=r"groups.csv: There is no student 'emy'"):
        spread(course, CHAPTER)


def test_a_chapter_with_groups_of_its_own_has_only_these(course):
    keep_groups(course, PAIR)
    keep_groups(course, {"ada": "X", "li": "X"}, CHAPTER)
    hands_in(course, "ada", "a")
    assert spread(course, CHAPTER).given == ["li"]
    keep_groups(course, {"li": "Y", "zoe": "Y"})  # again, for all others
    assert spread(course, CHAPTER).members == 2 and works(course) == {"ada": "a", "li": "a"}


def test_who_is_in_no_group_is_named_once(course):
    keep_groups(course, PAIR)
    hands_in(course, "ada", "a")
    hands_in(course, "zoe", "z")
    assert [spread(course, CHAPTER).alone for _ in range(2)] == [["zoe"], []]


@pytest.mark.parametrize("step", ["put_away", "give", "remove", "bring_back"])
def test_however_it_is_interrupted_the_next_time_brings_it_about(course, step, monkeypatch):
    keep_groups(course, PAIR | {"li": "A"})
    hands_in(course, "emmy", "e1", "09:00")
    hands_in(course, "ada", "a2", "10:00")
    if step in ("remove", "bring_back"):
        spread(course, CHAPTER)
        keep_groups(course, {"ada": "A"})
    whole = getattr(Folders, step)

    def stopped(*given):
        whole(*given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Folders, step, stopped)
        with pytest.raises(KeyboardInterrupt):
            spread(course, CHAPTER)
    spread(course, CHAPTER)
    keep_groups(course, {"ada": "A"})
    spread(course, CHAPTER)
    assert works(course) == {"ada": "a2", "emmy": "e1"}


def test_a_damaged_record_is_named(course):
    keep_groups(course, PAIR)
    hands_in(course, "ada", "a")
    spread(course, CHAPTER)
    (course.root / ".attn" / f"{CHAPTER}.groups.json").write_text("{")
    with pytest.raises(CourseError, match=r"groups.json is damaged. It says which folders"):
        spread(course, CHAPTER)
