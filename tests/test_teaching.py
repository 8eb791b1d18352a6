"""The page for teachers: its commands, in order, in a scratch course with a small class."""

import csv
import json
import re
from zipfile import ZipFile

import nbformat
import pytest
import standalone
from term import CHAPTER, GROUP, PAGE, STRANGER, UNREAD, WORDS, Term, blocks, git

STUDENTS = 7
ANSWER = "explain_mask_order"
NAMES = [name for name, _ in blocks()]


@pytest.fixture(scope="module")
def term(tmp_path_factory, sandbox):
    """A course after the whole page; fails with the first command that does."""
    term = Term(tmp_path_factory.mktemp("term"), STUDENTS)
    assert list(term.run()) == NAMES
    return term


def test_every_block_of_commands_on_the_page_has_a_name_and_is_run():
    assert PAGE.read_text().count("```{code-block} sh") == len(NAMES) == len(set(NAMES))
    assert not re.search(r"^```(sh|bash|console)", PAGE.read_text(), re.MULTILINE)


def test_the_private_copy_has_what_the_teacher_changed_and_the_public_one_has_not(term):
    def config(name):
        return git("show", "HEAD:nbgrader_config.py", folder=term.folder / name)

    assert "PercentPerDay" in config("private.git")
    assert "PercentPerDay" not in config("public.git")
    assert git("status", "--porcelain", folder=term.course) == ""


def test_the_roster_is_in_the_gradebook(term):
    with term.gradebook() as book:
        named = {student.id for student in book.students if student.first_name}
        assert named == set(term.students)
        assert book.find_student(term.students[2]).first_name == "Ada"
    assert term.printed["roster"] == (
        f"roster.csv: {STUDENTS} added, 0 changed, 0 as before.\n"
        f"Sections: Friday ({STUDENTS // 2}), Lab ({STUDENTS - STUDENTS // 2}), Monday "
        f"({STUDENTS - STUDENTS // 2}); 0 in none.\n"
    )


def test_a_groups_work_reaches_both_members_and_its_marks_too(term):
    first, second = term.group
    assert "1 group of 2 for all chapters." in term.printed["groups"]
    assert f"Groups of {CHAPTER}: 1 hand-in counts for 2 students." in term.printed["grade"]
    assert term.raw["grade"][first] == term.raw["grade"][second]
    assert f"for the group {GROUP}" in (
        term.course / "submitted" / second / CHAPTER / "group.txt"
    ).read_text()  # fmt: skip
    assert f"Group {GROUP} (" in term.printed["feedback-zip"]


def test_the_report_on_a_section_is_a_page_beside_that_on_the_class(term):
    page = (term.course / "reports" / f"{CHAPTER}_Monday.html").read_text()
    assert "how section Monday did" in page
    assert term.students[0] in page and term.students[1] not in page


def test_what_is_handed_out_has_no_solution(term):
    outbound = term.folder / "exchange" / "attention" / "outbound" / CHAPTER
    assert {path.name for path in outbound.iterdir()} == {
        f"{CHAPTER}.ipynb", "checks.safetensors", "AGENTS.md", "CLAUDE.md",
    }  # fmt: skip
    assert "BEGIN SOLUTION" not in (outbound / f"{CHAPTER}.ipynb").read_text()


def test_all_three_ways_of_collecting_bring_the_notebook_as_it_was_handed_in(term):
    for student in term.students:
        folder = term.course / "submitted" / student / CHAPTER
        (collected,) = folder.rglob(f"{CHAPTER}.ipynb")
        mine, theirs = (nbformat.read(path, as_version=4)
                        for path in (term.notebook(student), collected))  # fmt: skip
        assert [cell.source for cell in mine.cells] == [cell.source for cell in theirs.cells]


def test_every_accident_of_collecting_is_named_and_costs_nobody_else_anything(term):
    again, damaged, *_ = term.by_moodle
    first, second = term.printed["collect-zip"], term.printed["collect-again"]
    assert "Not collected: moodle.zip/Eve_9_assignsubmission_file fits nobody" in first
    assert "Lab group 2_78_assignsubmission_file looks like a group's hand-in" in first
    assert f"Bérg ({damaged}) was left out: work.zip is damaged" in first
    assert f"Ada O'Neil ({again}): a newer hand-in replaces the earlier one" in second
    assert "left out: work.zip" not in second
    kept = term.course / "downloaded" / CHAPTER / "replaced" / again / "1" / f"{CHAPTER}.ipynb"
    assert kept.read_bytes() == term.notebook(term.unlike(again)).read_bytes()


def test_what_arrives_while_it_is_watched_has_a_page_of_the_public_cases(term):
    lines = term.printed["watch"].splitlines()
    named = {
        who
        for who in (*term.students, STRANGER)
        for line in lines
        if f"({who}): " in line or f" {who} (not" in line
    }
    assert named == {*term.students, STRANGER}
    assert f"{STRANGER} (not in the roster): " in term.printed["watch"]
    assert "public cases, given back after" in lines[-2] and "Stopped." in lines[-1]
    assert term.raw["watch"].keys() == term.raw["grade"].keys()


def test_a_stranger_is_named_before_grading_and_not_exported(term):
    assert f"Not in the roster: {STRANGER}. " in term.printed["grade"]
    assert f"roster does not have them: {STRANGER}." in term.printed["export"]


def test_the_zip_of_feedback_has_the_page_of_each_student_of_moodle_where_moodle_looks(term):
    with ZipFile(term.course / "feedback" / f"{CHAPTER}-moodle.zip") as archive:
        pages = {name: archive.read(name) for name in archive.namelist()}
    assert pages == {
        f"{term.in_moodle(student)}/{CHAPTER}.html":
            (term.course / "feedback" / student / CHAPTER / f"{CHAPTER}.html").read_bytes()
        for student in term.by_moodle
    }  # fmt: skip


def results(term):
    rows = map(json.loads, (term.course / "results.jsonl").open())
    return {(row["student"], row["exercise"], row["verdict"]) for row in rows}


def test_who_is_late_loses_a_tenth_a_day_and_who_got_an_extension_does_not(term):
    extended, late = term.late
    assert term.penalty["grade"][extended] > 0 == term.penalty["extend"][extended]
    assert term.penalty["extend"][late] == pytest.approx(0.2 * term.raw["extend"][late])
    on_time = set(term.students) - {extended, late}
    assert {term.penalty["extend"][student] for student in on_time} == {0}


def test_a_date_that_cannot_be_read_is_named_and_takes_nothing_off_until_it_is_corrected(term):
    _, late = term.late
    assert f"submitted/{late}/{CHAPTER}/timestamp.txt says '{UNREAD}'" in term.printed["grade"]
    assert term.penalty["grade"][late] == 0 < term.penalty["extend"][late]
    assert UNREAD not in term.printed["extend"]


def test_a_notebook_one_folder_deeper_and_an_answer_below_its_cell_are_marked(term):
    deeper, below = term.late
    assert f"work/{CHAPTER}.ipynb" in term.printed["grade"]
    assert term.raw["grade"][deeper] > 0
    graded = term.course / "autograded" / below / CHAPTER / f"{CHAPTER}.ipynb"
    (answer,) = (cell.source for cell in nbformat.read(graded, as_version=4).cells
                 if cell.metadata.get("nbgrader", {}).get("grade_id") == ANSWER)  # fmt: skip
    assert WORDS in answer
    assert term.by_hand["mark"][below] == 1


def test_a_mark_given_on_the_page_or_in_formgrader_counts_and_stays(term):
    on_page, given = term.by_hand["mark-apply"], term.by_hand["mark"]
    assert 1.0 in on_page.values() and on_page.items() != given.items()
    assert on_page == {who: mark if on_page[who] else 0 for who, mark in given.items()}
    assert term.by_hand["extend"] == term.by_hand["regrade"] == given
    assert {who: term.raw["mark"][who] - given[who] for who in given} == term.raw["grade"]


def test_feedback_says_the_marks_and_reaches_who_handed_in_through_the_exchange(term):
    for student in term.students:
        page = (term.course / "feedback" / student / CHAPTER / f"{CHAPTER}.html").read_text()
        left = term.raw["extend"][student] - term.penalty["extend"][student]
        assert f"<strong>{round(left, 2):g} of " in page
        assert "Traceback (most recent call last)" not in page
    for student in term.by_exchange:
        (fetched,) = term.home(student).glob(f"{CHAPTER}/feedback/*/{CHAPTER}.html")
        sent = term.course / "feedback" / student / CHAPTER / f"{CHAPTER}.html"
        assert fetched.read_text() == sent.read_text()


def test_all_three_tables_have_the_same_marks(term):
    def table(name):
        with (term.course / name).open(newline="") as file:
            return list(csv.reader(file))

    ours = {row[3]: round(float(row[9]), 2) for row in table("grades.csv")[1:]}
    assert ours == {row[3]: float(row[5]) for row in table("canvas.csv")[2:]}
    assert ours == {row[2]: float(row[4]) for row in table("moodle.csv")[1:]}
    assert ours.keys() == set(term.students)


def test_a_corrected_exercise_changes_the_marks_of_those_who_solved_it_and_no_others(term):
    solved = {who for who, exercise, verdict in results(term)
              if exercise == "masked_attention" and verdict == "passed"}  # fmt: skip
    gains = {who: term.raw["regrade"][who] - term.raw["extend"][who] for who in term.students}
    assert solved and gains == {who: float(who in solved) for who in term.students}


def test_the_class_report_and_the_reason_of_a_mark_can_be_read(term):
    assert (term.course / "reports" / f"{CHAPTER}.html").is_file()
    assert "Graded again just now, it gets the same" in term.printed["explain"]


@pytest.mark.parametrize(("scheme", "width"), [("light", 320), ("dark", 1280)])
def test_feedback_keeps_nobody_out_and_asks_nothing_of_any_site(term, browser, scheme, width):
    path = term.course / "feedback" / term.students[0] / CHAPTER / f"{CHAPTER}.html"
    assert standalone.faults(browser, path, scheme, width) == []
