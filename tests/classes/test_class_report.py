"""What a teacher is told about a class: `attn report`."""

import json
import shutil
from datetime import datetime, timedelta

import pytest
import standalone
from bs4 import BeautifulSoup
from made_up import ALL, SLIP, made_up
from nbgrader.api import Gradebook

from autograder.authoring.simulate import make_class, write_class
from autograder.classes import advice
from autograder.classes import statistics as numbers
from autograder.classes.class_results import ClassResults, Member, without_names
from autograder.classes.page import report_page
from autograder.classes.statistics import bars, day_bars
from autograder.cli import main
from autograder.course.course import Course
from autograder.course.roster import Roster

HOSTILE = "<img src=x onerror=alert(1)>"
DUE = datetime(2026, 1, 11)


@pytest.fixture(scope="module")
def graded(toy, toy_root, tmp_path_factory, sandbox):
    """Ten students, one of them hostile, graded by the real command; then one more hands in."""
    root = tmp_path_factory.mktemp("class")
    shutil.copytree(toy_root, root, dirs_exist_ok=True)
    course = Course(root)
    students = make_class(toy, 9, seed=3, accidents=("stub", "exception", "deleted cell"))
    write_class(course, toy, students, seed=3)
    hand_in(root, HOSTILE, "not a notebook")
    assert main(["grade", "01_toy", "--root", str(root)]) == 0
    hand_in(root, "zoe", "handed in after grading")
    with course.gradebook() as book:  # the roster, of two who handed in and one who did not
        for student, first in {"student1": "Ada", "student2": "Emmy", "mary": "Mary"}.items():
            book.update_or_create_student(student, first_name=first, last_name="Lovelace")
    return course


def hand_in(root, student, text):
    folder = root / "submitted" / student / "01_toy"
    folder.mkdir(parents=True)
    (folder / f"{HOSTILE}.ipynb").write_text(text)


@pytest.fixture
def gradebook(graded, nbgrader):
    with Gradebook(graded.directory.db_url, graded.directory.course_id) as book:
        yield book


@pytest.fixture
def report(graded, capsys):
    """Run the command; what it prints, without line breaks, and the page as text."""

    def report(*options):
        name = "01_toy_anonymous" if "--anonymous" in options else "01_toy"
        assert main(["report", "01_toy", "--root", str(graded.root), *options]) == 0
        page = (graded.root / "reports" / f"{name}.html").read_text()
        return " ".join(capsys.readouterr().out.split()), page

    return report


def text_of(page):
    return " ".join(BeautifulSoup(page, "html.parser").get_text().split())


def test_page_and_terminal_tell_the_same_numbers_as_the_journal(graded, report):
    journal = graded.root / ".attn" / "01_toy.jsonl"
    rows = [row for line in journal.read_text().splitlines() for row in json.loads(line)["rows"]]
    passed = sum(row["verdict"] == "passed" for row in rows if row["exercise"] == "normalise")
    printed, page = report()
    assert f"{passed} of 10" in printed and f"{passed} of 10" in text_of(page)
    assert "11 submissions, 10 with verdicts." in printed


def test_the_page_needs_nothing_from_elsewhere_and_runs_nothing(report):
    page = BeautifulSoup(report()[1], "html.parser")
    assert page.find_all(["script", "link", "img", "iframe", "object"]) == []
    assert [tag for tag in page.find_all(True) if tag.has_attr("src") or tag.has_attr("href")] == []
    assert "url(" not in page.style.string and "@import" not in page.style.string


def test_what_a_student_chose_to_be_called_is_text_in_the_page(report):
    page = report()[1]
    assert HOSTILE not in page and HOSTILE in text_of(page)


def test_who_handed_in_nothing_and_who_is_not_in_the_roster_is_named(report):
    printed, page = report()
    for said in (printed, text_of(page)):
        assert "1 of the 3 students in the roster handed in nothing: Mary Lovelace (mary)." in said
        assert "9 students handed in and are not in the roster: " in said
    table = BeautifulSoup(page, "html.parser").find(class_="scroll")
    rows = {row.th.get_text(): row.get_text(" ", strip=True) for row in table.find_all("tr")}
    assert rows["Mary Lovelace mary"].endswith("handed in nothing")
    assert rows["zoe"].endswith("no verdict yet") and "Ada Lovelace student1" in rows


def test_a_submission_without_a_verdict_is_told_and_has_no_score(report):
    printed, page = report()
    assert "no verdict" in printed and numbers.NO_VERDICT in text_of(page)


def test_no_name_is_left_in_an_anonymous_report(graded, report, capsys):
    names = [path.name for path in (graded.root / "submitted").iterdir()] + ["mary", "Lovelace"]
    printed, page = report("--anonymous")
    for said in (printed, text_of(page)):
        assert [name for name in names if name in said] == []
        assert HOSTILE not in said


def test_pseudonyms_stay_the_same_and_their_order_is_not_that_of_the_names(toy):
    results = made_up(toy, *((f"student{number:02}", {}) for number in range(20)))
    one, again, other = (without_names(results, secret) for secret in ("a", "a", "b"))
    signs = [member.student for member in one.members]
    assert signs == [member.student for member in again.members] == sorted(signs)
    assert not set(signs) & {member.student for member in other.members}
    stuck = {item.student for item in numbers.stuck(one)}
    assert stuck == set(signs)


def test_a_written_answer_waits_until_a_person_has_marked_it(graded, gradebook, report):
    waiting = [item for item in gradebook.submission_dicts("01_toy") if item["needs_manual_grade"]]
    assert f"{len(waiting)} students have an answer that waits" in report()[0]
    for item in waiting:
        grade = gradebook.find_grade("why", "01_toy", "01_toy", item["student"])
        grade.manual_score, grade.needs_manual_grade = 2, False
    gradebook.db.commit()
    assert "No answer waits for a person" in report()[0]


def test_who_is_late_follows_the_due_date_and_extensions(graded, gradebook, report):
    assert "The gradebook has no due date" in report()[0]
    gradebook.find_assignment("01_toy").duedate = DUE
    gradebook.db.commit()
    late = [item["student"] for item in gradebook.submission_dicts("01_toy")
            if item["timestamp"] and item["timestamp"] > DUE]  # fmt: skip
    assert f"{len(late)} of 9 were late" in report()[0]
    gradebook.grant_extension("01_toy", late[0], days=30)
    assert f"{len(late) - 1} of 9 w" in report()[0]


def test_discrimination_is_the_correlation_of_passing_with_the_rest(toy):
    # passes 1 1 0 0, rest 4 1 3 0: deviations .5 .5 -.5 -.5 and 2 -1 1 -2, so 1 / sqrt(1 * 10)
    strong = {"average": "passed", "Scale": "passed", "normalise": "passed"}
    results = made_up(toy, ("a", strong), ("b", {"normalise": "passed", "Scale": "passed"}),
                      ("c", {"average": "passed"}), ("d", {}))  # fmt: skip
    assert numbers.exercises(results)[0].discrimination == pytest.approx(10**-0.5)


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("passed", "passed", "undefined: all passed"),
        ("", "", "undefined: nobody passed"),
        ("passed", "", "undefined: all have the same points elsewhere"),
    ],
)
def test_discrimination_that_is_undefined_says_why(toy, one, other, why):
    results = made_up(toy, ("a", {"Scale": one}), ("b", {"Scale": other}))
    found = numbers.exercises(results)[2]
    assert found.discrimination is None and found.undefined == why
    assert why in text_of(report_page(results))


def test_an_exercise_that_came_after_grading_is_told_as_not_graded(toy):
    results = made_up(toy, ("a", ALL), ("b", {}))
    for member in results.members:
        del member.rows[2]
    assert "undefined: nobody's was graded" in text_of(report_page(results))


def test_quartiles_of_five_scores_are_the_second_third_and_fourth():
    found = numbers.spread([1, 2, 3, 4, 10])
    assert (found.lower, found.median, found.upper, found.mean) == (2, 3, 4, 4)
    assert numbers.spread([7.0]).median == 7 and numbers.spread([]) is None


@pytest.mark.parametrize(
    ("students", "sentences"),
    [
        ([ALL] * 9, ["Nothing: all 9 students passed every exercise."]),
        ([SLIP] * 3 + [ALL] * 9, [
            "Begin with average: 3 of 12 students were told of the same mistake there. “You left "
            "the weights as they are: they must sum to 1.”"]),
        ([SLIP] + [ALL] * 9, [
            "No two students were told of the same mistake in the same exercise: help those who "
            "erred one by one."]),
        ([SLIP] * 2 + [ALL] * 98, [
            "No mistake is common: none was named in the answers of more than 2 of 100 students. "
            "Help those who erred one by one."]),
        ([{**ALL, "Scale": ""}] * 2 + [ALL], [
            "No answer shows a known misconception; look at the exercises that were failed.",
            "Only 1 of 3 passed Scale."]),
    ],
)  # fmt: skip
def test_what_to_teach_on_monday_follows_the_counts(toy, students, sentences):
    results = made_up(toy, *((f"s{at}", passed) for at, passed in enumerate(students)))
    assert advice.what_to_reteach(results) == sentences


def test_who_passed_fewer_than_half_or_repeats_a_misconception_is_stuck(toy):
    twice = {"Scale": "passed", "normalise": "Adds", "average": "Adds"}
    half = {"normalise": "passed", "average": "passed", "Scale": "Adds"}
    results = made_up(toy, ("half", half), ("twice", {**half, **twice}), ("none", {}))
    assert [item.student for item in numbers.stuck(results)] == ["none", "twice"]
    assert numbers.stuck(results)[1].repeated == ("Adds",)


def test_a_timeout_needs_a_person_and_a_wrong_answer_does_not(toy):
    results = made_up(toy, ("a", {**ALL, "Scale": "timeout"}), ("b", {**ALL, "Scale": ""}))
    assert [(item.student, item.verdict) for item in numbers.concerns(results)] == [
        ("a", "timeout")
    ]


def test_bars_hold_every_number_once_and_are_few():
    values = [0, 0.5, 3, 24, 23.5]
    found = bars(values, 0, 24)
    assert sum(bar.count for bar in found) == len(values) and len(found) <= 13
    far = day_bars([-(10.0**6), 0.5, 10.0**6])
    assert sum(bar.count for bar in far) == 3 and len(far) <= 13
    assert 0 in {bar.low for bar in far}


@pytest.mark.parametrize(
    ("prepare", "sentence"),
    [
        (lambda root: None, "No submissions in"),
        (lambda root: hand_in(root, "ada", ""), "Nothing of 01_toy has been graded yet"),
    ],
)
def test_a_class_of_which_nothing_is_known_gets_one_sentence(
    toy_root, tmp_path, capsys, prepare, sentence
):
    shutil.copytree(toy_root, tmp_path, dirs_exist_ok=True)
    prepare(tmp_path)
    assert main(["report", "01_toy", "--root", str(tmp_path)]) == 2
    assert sentence in " ".join(capsys.readouterr().err.split())


def test_a_page_that_cannot_be_written_is_told_in_one_sentence(graded, capsys):
    taken = graded.root / "submitted"
    assert main(["report", "01_toy", "--root", str(graded.root), "--output", str(taken)]) == 2
    assert "cannot be written: Is a directory." in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 320)])
def test_axe_finds_nothing_and_the_page_fits_its_screen(browser, toy, tmp_path, scheme, width):
    name = "a_name_without_any_place_to_break_it" * 3
    students = [(f"{name}{at}", SLIP if at % 2 else {"Scale": "timeout"}) for at in range(40)]
    results = made_up(toy, *students)
    early = [
        Member(member.student, member.rows, [], float(at), 0.0, True,
               DUE - timedelta(hours=7 * at), DUE - timedelta(days=1))
        for at, member in enumerate(results.members)
    ]  # fmt: skip
    path = tmp_path / "page.html"
    known = Roster({students[0][0]: "Ada Lovelace", "mary": name}, frozenset({"mary"}))
    found = ClassResults(toy, early, 8.0, [name], results.graded_until, roster=known,
                         absent=["mary"], strangers=[students[1][0]])  # fmt: skip
    path.write_text(report_page(found))
    assert standalone.faults(browser, path, scheme, width) == []


def test_a_folder_that_is_nearly_a_students_is_told_of_with_what_differs(toy):
    known = Roster({"Ada": "Ada Lovelace"}, frozenset({"Ada"}))
    found = made_up(toy, ("ada", ALL), roster=known, absent=["Ada"], strangers=["ada"])
    told = "The folder ada may be that of Ada Lovelace (Ada): the id has other capitals."
    assert advice.attendance(found)[-1] == told
    assert "Ada" not in " ".join(advice.attendance(without_names(found, "secret")))
