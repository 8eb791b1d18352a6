"""A group's work from a platform: who the members are, whose it is, and where feedback goes."""

import csv
from zipfile import ZipFile

import pytest
from nbgrader.api import Gradebook
from odd_archives import packed
from platform_zips import download, moodle, run, run_and_left_out, submitted

from autograder.cli import main
from autograder.course.course import Course
from autograder.course.groups import spread
from autograder.platforms.feedback_zip import zip_and_tell

CHAPTER = "04_masks"
NOTEBOOK = f"{CHAPTER}/{CHAPTER}.ipynb"
OURS = "student,group\nada,Lab group 1\nMARY,Lab group 1\nli,Pair\n"
CANVAS = """name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id,group_id
"Lovelace, Ada",1042,s1,al,Lab 2,Lab group 1,77,
"O'Neil_Berg, Mary Ann",7,s2,mb,Lab 2,Lab group 1,77,
"Wu, Li",8,s3,lw,Lab 2,Pair,78,
"Wu, Li",9,s4,lw2,Lab 2,,,
"""
MOODLE = """Grouping;Group;First name;Last name;Email address
Labs;Lab group 1;Ada;Lovelace;ada@example.org
[Not in a grouping];Lab group 1;Ada;Lovelace;ada@example.org
Labs;Lab group 1;Mary Ann;O'Neil_Berg;m@example.org
Labs;Pair;Li;Wu;li@example.org
[Not in a group];No group;Li;Wu;li2@example.org
Labs;Empty;;;
"""


@pytest.fixture
def groups(course, capsys):
    """Import groups from a file's text; gives the exit code, what was printed and what is kept."""
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        for student in ("ada", "li", "li2"):
            book.update_or_create_student(student, email=f"{student}@example.org")
    (course / "solutions").mkdir()

    def imported(text, *options):
        (course / "file.csv").write_text(text)
        status = main(["groups", str(course / "file.csv"), "--root", str(course), *options])
        said = capsys.readouterr()
        kept = {}
        if (course / "groups.csv").exists():
            with (course / "groups.csv").open(newline="", encoding="utf-8-sig") as file:
                kept = {row["student"]: row["group"] for row in csv.DictReader(file)}
        return status, said.out + said.err, kept

    return imported


@pytest.mark.usefixtures("nbgrader")
@pytest.mark.parametrize("text", [OURS, CANVAS, MOODLE])
def test_groups_are_read_from_our_columns_and_from_what_canvas_and_moodle_export(groups, text):
    status, said, kept = groups(text)
    assert (status, kept) == (0, {"ada": "Lab group 1", "mary": "Lab group 1", "li": "Pair"})
    assert "2 groups of 1 to 2 for all chapters." in said
    assert "In no group, so they hand in alone: Li Wu (li2)." in said


@pytest.mark.usefixtures("nbgrader")
@pytest.mark.parametrize(("text", "status", "why"), [
    (OURS + "eve,Pair\n", 1, "Left out: line 5 (eve, group Pair) fits nobody in the roster."),
    ("name,group\nAda Lovelace,A\nLi Wu,A\n", 1, "(Li Wu, group A) fits Li Wu (li) and Li"),
    (OURS + "Ada,Pair\n", 2, "Ada Lovelace (ada) is in two groups, 'Lab group 1' and 'Pair'."),
    ("username,groups\nada,\"A, B\"\n", 2, "Ada Lovelace (ada) is in two groups, 'A' and 'B'."),
    ("student,room\nada,1\n", 2, "has no column for groups, or no lines; its first line has: "),
    ("student,group\neve,A\n", 2, "has no student of the roster in a group"),
])  # fmt: skip
def test_whoever_is_not_clear_is_named_and_a_student_in_two_groups_is_an_error(
    groups, text, status, why
):
    told, said, kept = groups(text)
    assert told == status and why in " ".join(said.split())
    assert bool(kept) == (status == 1)


@pytest.mark.usefixtures("nbgrader")
def test_a_groups_folder_from_moodle_goes_to_all_members_again_and_with_other_members(
    course, groups
):
    groups(OURS)
    download(course, moodle(("Lab group 1_77", "v1"), ("Li Wu Wu_3", "?")))
    run("Moodle")
    assert spread(Course(course), CHAPTER).counts == {"Lab group 1": ""}
    notebooks = {who: text for who, text in submitted(course).items() if who.endswith("ipynb")}
    assert notebooks == {f"ada/{NOTEBOOK}": "v1", f"mary/{NOTEBOOK}": "v1"}
    groups(OURS.replace("ada,Lab group 1", "li2,Lab group 1"))
    download(course, moodle(("Lab group 1_77", "v2"), year=2027), "later.zip")
    run("Moodle")
    done = spread(Course(course), CHAPTER)
    assert done.without == ["ada"]
    notebooks = {who: text for who, text in submitted(course).items() if who.endswith("ipynb")}
    assert notebooks == {f"li2/{NOTEBOOK}": "v2", f"mary/{NOTEBOOK}": "v2"}


@pytest.mark.usefixtures("nbgrader")
def test_those_who_are_in_no_group_of_moodle_can_be_given_its_default_group(course, groups, caplog):
    download(course, moodle(("Default group", "ours"), ("Ada Lovelace_2", "ada")))
    assert "comes from the default group" in run_and_left_out("Moodle", caplog)[0]
    groups("student,group\nli,Default group\nli2,Default group\n")
    assert run("Moodle") == 0
    spread(Course(course), CHAPTER)
    assert submitted(course)[f"li2/{NOTEBOOK}"] == "ours"


@pytest.mark.usefixtures("nbgrader")
@pytest.mark.parametrize("number", [7, 6])  # of Mary; of somebody whom the roster does not have
def test_a_groups_file_from_canvas_goes_to_all_members_by_a_members_number_or_the_name(
    course, groups, number
):
    groups(OURS)
    download(course, packed([(f"labgroup1_LATE_{number}_88231_{CHAPTER}-2.ipynb", "ours")]))
    assert run("Canvas") == 0
    assert spread(Course(course), CHAPTER).counts == {"Lab group 1": ""}
    texts = {who: text for who, text in submitted(course).items() if who.endswith("ipynb")}
    assert texts == {f"ada/{NOTEBOOK}": "ours", f"mary/{NOTEBOOK}": "ours"}


@pytest.mark.usefixtures("nbgrader")
@pytest.mark.parametrize(("platform", "files", "pages", "why"), [
    ("Moodle", moodle(("Lab group 1_77", "ours"), ("Li Wu li_3417", "li")),
     {"Li Wu li_3417_assignsubmission_file/04_masks.html": "li"},
     "Group Lab group 1 (Ada Lovelace (ada), Mary Ann O'Neil_Berg (mary)): not in the zip"),
    ("Canvas", packed([("labgroup1_7_88_04_masks.ipynb", "ours"), ("wuli_8_89_a.ipynb", "li")]),
     {"labgroup1_7_88_04_masks.html": "mary", "wuli_8_89_04_masks.html": "li"},
     "Group Lab group 1 (Ada Lovelace (ada)): Canvas shows them the page of the member in whose"),
])  # fmt: skip
def test_a_zip_of_feedback_names_no_page_by_a_groups_number(
    course, groups, capsys, platform, files, pages, why
):
    groups(OURS)
    download(course, files)
    assert run(platform) == 0
    spread(Course(course), CHAPTER)
    for student in ("ada", "mary", "li"):
        page = course / "feedback" / student / CHAPTER / f"{CHAPTER}.html"
        page.parent.mkdir(parents=True)
        page.write_text(student)
    zip_and_tell(Course(course), CHAPTER, platform)
    with ZipFile(course / "feedback" / f"{CHAPTER}-{platform.lower()}.zip") as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == pages
    assert why in capsys.readouterr().err
