"""When work counts as handed in, and what being late costs.

tests/test_teaching.py has the penalty written into a gradebook.
"""

import shutil
from datetime import datetime

import pytest
from learners import RIGHT, notebook, save
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from odd_archives import packed

from autograder.cli import main
from autograder.common.files import REPOSITORY
from autograder.course.course import Course
from autograder.course.dates import Dates
from autograder.grading.due_dates import due_date
from autograder.grading.penalties import DAY_SECONDS
from autograder.notebooks.hand_in import HandIn
from autograder.plugins.nbgrader_dates import PercentPerDay

NAME = "01_toy.ipynb"
EARLY, LATE = "2026-01-01 09:00:00.000000 UTC", "2026-03-03 17:30:00.000000 UTC"
CAME_EARLY, CAME_LATE = datetime(2026, 1, 1, 9), datetime(2026, 3, 3, 17, 30)


@pytest.mark.parametrize(("days", "penalty"), [(0.01, 2), (1, 2), (1.25, 4), (4.5, 10), (400, 20)])
def test_each_day_that_has_begun_costs_a_tenth_of_the_score_and_never_more_than_all(days, penalty):
    assert PercentPerDay().late_submission_penalty("ada", 20.0, days * DAY_SECONDS) == penalty


@pytest.fixture
def course(tmp_path):
    """A course with nothing in it but the configuration."""
    shutil.copy(REPOSITORY / "nbgrader_config.py", tmp_path)
    return Course(tmp_path)


def hand_in(folder, text="{}", stamp=None):
    """A student's folder; `stamp` is what the student writes into the file with the date."""
    folder.mkdir(parents=True)
    (folder / NAME).write_text(text)
    if stamp is not None:
        (folder / "timestamp.txt").write_text(stamp)
    return folder / NAME


@pytest.fixture
def collect_from_exchange(nbgrader):
    def collect(course):
        for word in ("inbound", "outbound", "feedback"):
            (course.root / "exchange" / "attention" / word).mkdir(parents=True, exist_ok=True)
        exchange = f"--Exchange.root={course.root / 'exchange'}"
        nbgrader(course.root, "collect", "01_toy", "--course", "attention", "--update", exchange)

    return collect


def in_exchange(course, student, when):
    return course.root / "exchange" / "attention" / "inbound" / f"{student}+01_toy+{when}+AbC"


def test_the_date_in_the_exchange_wins_over_the_one_that_the_student_wrote_into_the_folder(
    course, collect_from_exchange
):
    hand_in(in_exchange(course, "eve", LATE), stamp=EARLY)
    hand_in(in_exchange(course, "max", LATE), stamp="no date")
    (hand_in(in_exchange(course, "tom", LATE)).parent / "timestamp.txt").mkdir()
    collect_from_exchange(course)
    found = course.submissions("01_toy")
    dates = Dates(course, "01_toy")
    assert {student: dates.of(student, path) for student, path in found.items()} == dict.fromkeys(
        ("eve", "max", "tom"), CAME_LATE
    )
    assert dates.warnings(found) == []


def test_nbgrader_itself_reads_the_date_that_collecting_recorded(course, collect_from_exchange):
    hand_in(in_exchange(course, "eve", LATE), stamp=EARLY)
    collect_from_exchange(course)
    folder = course.folder("submitted", "01_toy", "eve")
    assert CourseDirectory().get_existing_timestamp(str(folder)) == CAME_LATE


def test_a_date_in_a_platforms_file_name_is_recorded_and_none_that_is_within_an_archive(
    course, nbgrader
):
    place = course.root / "downloaded" / "01_toy" / "archive"
    place.mkdir(parents=True)
    inner = packed([(NAME, "{}"), ("timestamp.txt", EARLY)])
    (place / "all.zip").write_bytes(packed([("eve_2026-03-03T18:30+0100_work.zip", inner)]))
    pattern = r".*/(?P<student_id>\w+)_(?P<timestamp>[^_]+)_work.zip/(?P<file_id>\w+)"
    nbgrader(
        course.root, "zip_collect", "01_toy", f"--FileNameCollectorPlugin.named_regexp={pattern}"
    )
    (path,) = course.submissions("01_toy").values()
    assert Dates(course, "01_toy").of("eve", path) == CAME_LATE
    assert (path.parent / "timestamp.txt").read_text() == "2026-03-03 17:30:00 UTC"
    assert Dates(course, "01_toy").warnings({"eve": path}) == []


def test_a_date_in_a_file_name_that_is_not_whole_stays_as_it_is_for_a_person_to_see(
    course, nbgrader
):
    written = {"ada": "2026-03-03T17:30Z", "bob": "2026-03-03-17-30-00", "eve": "2026-03-03T24:00Z",
               "max": "9" * 20}  # fmt: skip
    place = course.root / "downloaded" / "01_toy" / "archive"
    place.mkdir(parents=True)
    names = [(f"{student}_{date}_{NAME}", "{}") for student, date in written.items()]
    (place / "all.zip").write_bytes(packed(names))
    pattern = r".*/(?P<student_id>[a-z]+)_(?P<timestamp>[^_]+)_(?P<file_id>01_toy)"
    nbgrader(
        course.root, "zip_collect", "01_toy", f"--FileNameCollectorPlugin.named_regexp={pattern}"
    )
    found, dates = course.submissions("01_toy"), Dates(course, "01_toy")
    assert {student: dates.of(student, path) for student, path in found.items()} == {
        "ada": CAME_LATE, "bob": None, "eve": None, "max": None
    }  # fmt: skip
    for student, sentence in dates.unread(found).items():
        assert f"submitted/{student}/01_toy/timestamp.txt says '{written[student]}'" in sentence


def test_in_the_exchange_a_zone_is_that_of_its_settings_and_no_name_ends_collecting(
    course, collect_from_exchange
):
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write('\nc.Exchange.timezone = "America/Chicago"\n')
    dates = {"ada": "2026-03-03 11:30:00.000000 CST", "bob": "2026-07-03 12:30:00.000000 CDT",
             "eve": "2026-03-03 11:30:00.000000 IST", "max": "2026-03-03 24:00:00 UTC",
             "tom": LATE}  # fmt: skip
    for student, date in dates.items():
        hand_in(in_exchange(course, student, date))
    hand_in(in_exchange(course, "tom", "no date"))
    collect_from_exchange(course)
    found, known = course.submissions("01_toy"), Dates(course, "01_toy")
    assert {student: known.of(student, path) for student, path in found.items()} == {
        "ada": CAME_LATE, "bob": datetime(2026, 7, 3, 17, 30), "eve": None, "max": None,
        "tom": CAME_LATE,
    }  # fmt: skip
    assert known.unread(found).keys() == {"eve", "max"}


def test_nbgrader_takes_a_due_date_only_as_a_whole_and_says_how_to_write_it(course, nbgrader):
    add = "db", "assignment", "add", "01_toy"
    nbgrader(course.root, *add, "--duedate=2026-03-02 20:00 +0200")
    (course.root / "due.csv").write_text("name,duedate\n01_toy,2026-03-02 19:00 PST\n")
    refused = {
        "2026-03-02 24:00 UTC": (*add, "--duedate=2026-03-02 24:00 UTC"),
        "2026-03-02 19:00 PST": ("db", "assignment", "import", "due.csv"),
    }
    for date, words in refused.items():
        done = nbgrader(course.root, *words, check=False)
        assert done.returncode == 1 and "Traceback" not in done.stderr
        assert (f"01_toy did not get '{date}' as its due date, which cannot be read as a date, a "
                "time and a time zone. Write it like 2026-03-02") in done.stderr  # fmt: skip
    assert due_date(course, "01_toy") == datetime(2026, 3, 2, 18)


def test_nbgrader_and_formgrader_leave_out_a_date_that_is_not_whole(course):
    course.config  # noqa: B018, which also does what a course's configuration does
    early = hand_in(course.folder("submitted", "01_toy", "ada"), stamp=EARLY).parent
    odd = hand_in(course.folder("submitted", "01_toy", "eve"), stamp="2026-03-02 24:00 CEST").parent
    stamps = [course.directory.get_existing_timestamp(str(folder)) for folder in (early, odd)]
    assert stamps == [CAME_EARLY, None]
    api = NbGraderAPI(course.directory)
    assert [api.get_submitted_timestamp("01_toy", who) for who in ("ada", "eve", "max")] == [
        CAME_EARLY, None, None
    ]  # fmt: skip


def test_a_recorded_date_is_that_of_the_very_notebook_and_of_no_other(course):
    path = hand_in(course.folder("submitted", "01_toy", "eve"), "{}", EARLY)
    dates = Dates(course, "01_toy")
    dates.record("eve", CAME_LATE, [HandIn.at(path).digest])
    assert Dates(course, "01_toy").of("eve", path) == CAME_LATE
    path.write_text("{ }")
    assert Dates(course, "01_toy").of("eve", path) == CAME_EARLY
    assert Dates(course, "01_toy").warnings({"eve": path}) != []


def test_half_a_line_that_a_killed_command_left_costs_no_other_line(course):
    path = hand_in(course.folder("submitted", "01_toy", "eve"))
    dates = Dates(course, "01_toy")
    dates.record("ada", CAME_EARLY, ["0"])
    with dates.path.open("a") as file:
        file.write('\n{"student": "ma')
    dates.record("eve", CAME_LATE, [HandIn.at(path).digest])
    assert Dates(course, "01_toy").of("eve", path) == CAME_LATE


def test_a_stamp_of_a_hundred_megabytes_is_no_date(course):
    path = hand_in(course.folder("submitted", "01_toy", "eve"), stamp="9" * 10**8)
    assert Dates(course, "01_toy").of("eve", path) is None


def test_grading_takes_the_recorded_date_and_tells_whose_date_came_with_the_work(
    toy_root, released, sandbox, collect_from_exchange, tmp_path, capsys
):
    shutil.copytree(toy_root, tmp_path, dirs_exist_ok=True)
    shutil.copy(REPOSITORY / "nbgrader_config.py", tmp_path)
    course = Course(tmp_path)
    hand_in(in_exchange(course, "eve", LATE), stamp=EARLY)
    save(notebook(released, RIGHT), in_exchange(course, "eve", LATE) / NAME)
    collect_from_exchange(course)
    for student, stamp in {"bob": EARLY, "max": "no date", "ada": None}.items():
        hand_in(course.folder("submitted", "01_toy", student), stamp=stamp)
    assert main(["grade", "01_toy", "--root", str(tmp_path)]) == 0
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as book:
        when = {one.student.id: one.timestamp for one in book.assignment_submissions("01_toy")}
    assert when == {"eve": CAME_LATE, "bob": CAME_EARLY, "max": None, "ada": None}
    told = capsys.readouterr()
    said, asked = (" ".join(text.split()) for text in told)
    assert ("The date of hand-in is that of the timestamp.txt in their folder, and whoever made "
            "the folder chose it: bob.") in said  # fmt: skip
    assert (
        "max: submitted/max/01_toy/timestamp.txt says 'no date', which cannot be read as a date,"
        in asked
    )


def test_of_a_long_list_of_students_the_first_are_named_and_the_others_counted(course):
    found = {}
    for number in range(25):
        student = f"student{number:02}"
        found[student] = hand_in(course.folder("submitted", "01_toy", student), stamp=EARLY)
    (sentence,) = Dates(course, "01_toy").warnings(found | {"ada": course.root / "ada" / NAME})
    assert "student00, student01" in sentence and sentence.endswith("student19 and 5 more.")
    (sentence,) = Dates(course, "01_toy").warnings(found)
    assert sentence.endswith(" chose it: everybody.")
