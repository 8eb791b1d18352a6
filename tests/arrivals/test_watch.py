"""What arrives is graded and given back, once, whatever happens meanwhile."""

import json
import os
import shutil
import signal
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from nbgrader.api import Gradebook

from autograder.arrivals import giving_back
from autograder.arrivals.watch import Card, Trouble, Watch
from autograder.cli import main
from autograder.course.course import Course
from autograder.plugins.exchange import Collect

CHAPTER, ALL = "01_toy", (6.0, 6.0)
WRONG = "def normalise(values):\n    return values"

# Right for the shapes of the public cases alone.
PUBLIC_ONLY = (
    "def normalise(values):\n"
    "    if tuple(values.shape) in {(2, 3, 4), (3, 5)}:\n"
    "        return values / values.sum(-1, keepdim=True)\n"
    "    return torch.full_like(values, 1 / values.size(-1))"
)


@pytest.fixture
def watch(root):
    """Watches in this process; look at it, and it says what came of it."""
    with Watch(Course(root), [CHAPTER], final=False, per_hour=2, confined=True) as watch:
        yield watch


def cards(watch):
    seen = [*watch.look()]
    assert not [one for one in seen if isinstance(one, Trouble)], seen
    return {card.student: (card.points, card.final) for card in seen}


def due(root, hours):
    """Set the due date so many hours from now."""
    with Course(root).gradebook() as book:
        when = datetime.now(UTC).replace(tzinfo=None) + timedelta(hours=hours)
        book.update_or_create_assignment(CHAPTER, duedate=when)


def counted(root, name):
    """How often each student is in a file of the course."""
    lines = (root / ".attn" / name).read_text().splitlines()
    return Counter(json.loads(line)["student"] for line in lines if line)


def test_a_hand_in_is_collected_graded_and_given_back_to_its_student(watch, root, submit):
    page = submit("ada")
    assert cards(watch) == {"ada": (ALL, False)}
    assert "Provisional" in page.read_text() and "ada" in page.read_text()
    assert cards(watch) == {}
    again = submit("ada", WRONG)
    ((points, _),) = cards(watch).values()
    assert points < ALL and again.exists() and again != page


def test_secret_cases_stay_quiet_until_the_due_date_and_count_when_it_has_passed(
    watch, root, submit
):
    due(root, hours=1)
    page = submit("ada", PUBLIC_ONLY)
    assert cards(watch) == {"ada": (ALL, False)}
    due(root, hours=-1 / 3600)
    submit("bob", PUBLIC_ONLY)
    seen = cards(watch)
    assert seen.keys() == {"ada", "bob"} and all(
        points < ALL and final for points, final in seen.values()
    )
    assert "Provisional" not in page.read_text()
    with Gradebook(f"sqlite:///{root}/gradebook.db", "toys") as book:
        assert {s.student.id: s.score for s in book.assignment_submissions(CHAPTER)} == {
            student: points for student, ((points, _), _) in seen.items()
        }


def test_marks_with_the_secret_cases_stay_and_are_given_back_when_the_due_date_has_passed(
    watch, root, submit
):
    page = submit("ada", PUBLIC_ONLY)
    watch.inbox.collect()
    assert main(["grade", CHAPTER, "--root", str(root)]) == 0
    before = (root / ".attn" / "01_toy.jsonl").read_text()
    assert [*watch.look(), *watch.look()] == [] and not page.exists()
    due(root, hours=-1)
    assert cards(watch) == {"ada": (None, True)} and page.exists()
    assert (root / ".attn" / "01_toy.jsonl").read_text() == before


def test_other_marks_for_the_same_work_are_not_written_unasked(watch, root, submit):
    submit("ada", WRONG)
    cards(watch)
    journal = root / ".attn" / "01_toy.jsonl"
    entry = json.loads(journal.read_text())
    entry["fingerprint"] = "of an earlier grader"
    entry["rows"][0]["verdict"] = "passed"
    journal.write_text(json.dumps(entry) + "\n")
    before = journal.read_text()
    with Watch(Course(root), [CHAPTER], final=False, per_hour=2, confined=True) as restarted:
        (said,) = [*restarted.look(), *restarted.look()]
    assert said.student == "ada" and "attn grade 01_toy" in said.sentence
    assert journal.read_text() == before


def test_processes_that_have_read_a_chapter_end_when_it_has_changed(watch, root, submit):
    submit("ada")
    cards(watch)
    with watch._public.workers() as before:
        pass
    (solution, *_) = sorted((root / "solutions" / CHAPTER).glob("*.py"))
    solution.write_text(solution.read_text() + "\n# changed\n")
    submit("ada", WRONG)
    assert cards(watch).keys() == {"ada"}
    with watch._public.workers() as after:
        assert after is not before


def test_a_student_who_hands_in_again_and_again_gets_so_many_cards_an_hour(watch, root, submit):
    pages = []
    for turn in range(3):
        pages.append(submit("ada", WRONG if turn else PUBLIC_ONLY))
        cards(watch)
    assert [page.exists() for page in pages] == [True, True, False] and watch.waiting == 1
    with Watch(Course(root), [CHAPTER], final=False, per_hour=2, confined=True) as restarted:
        assert not pages[2].exists() and cards(restarted) == {}
    due(root, hours=-1)
    assert cards(watch).keys() == {"ada"} and pages[2].exists()


def test_work_that_a_person_puts_into_submitted_is_graded_when_all_of_it_is_there(
    watch, root, submit
):
    submit("ada")
    watch.inbox.collect()
    folder = root / "submitted" / "ada" / CHAPTER
    whole = (folder / f"{CHAPTER}.ipynb").read_bytes()
    (folder / f"{CHAPTER}.ipynb").write_bytes(whole[:100])
    assert cards(watch) == {}
    (folder / f"{CHAPTER}.ipynb").write_bytes(whole)
    assert cards(watch) == {}
    assert cards(watch) == {"ada": (ALL, False)}


def test_a_hand_in_that_is_still_being_written_waits_and_keeps_nobody_waiting(
    watch, tmp_path, submit
):
    submit("bob", WRONG)
    submit("ada")
    inbound = tmp_path / "exchange" / "toys" / "inbound"
    (late,) = inbound.glob("ada+*")
    secret = (late / "submission_secret.txt").read_text()
    whole, date = (late / "01_toy.ipynb").read_text(), (late / "timestamp.txt").read_text()
    (late / "submission_secret.txt").unlink()
    assert cards(watch).keys() == {"bob"}
    # as while the files of a folder are copied that has a date and a secret of its own
    (late / "01_toy.ipynb").write_text(whole[:100])
    (late / "submission_secret.txt").write_text("earlier")
    (late / "timestamp.txt").write_text("2026-01-01 12:00:00 UTC")
    assert cards(watch) == {}
    (late / "01_toy.ipynb").write_text(whole)
    (late / "timestamp.txt").write_text(date)
    (late / "submission_secret.txt").write_text(secret)
    assert cards(watch) == {"ada": (ALL, False)}


def test_one_that_cannot_be_collected_or_given_back_is_told_and_keeps_nobody_waiting(
    watch, submit, monkeypatch
):
    pages = {student: submit(student) for student in ("ada", "bob", "cleo")}

    def copied(self, source, folder):
        if source.name.startswith("ada+"):
            raise OSError("no permission")
        return copy_aside(self, source, folder)

    def released(course, inbox, chapter, student):
        if student == "bob":
            raise FileNotFoundError("no such folder")
        return release(course, inbox, chapter, student)

    copy_aside, release = Collect.copy_aside, giving_back._release
    with monkeypatch.context() as patch:
        patch.setattr(Collect, "copy_aside", copied)
        patch.setattr(giving_back, "_release", released)
        said = {one.student: type(one) for one in watch.look()}
    assert said == {"ada": Trouble, "bob": Trouble, "cleo": Card}
    watch._not_before.clear()  # a minute later
    assert cards(watch).keys() == {"ada", "bob"}
    assert all(page.exists() for page in pages.values())


def test_what_another_account_hands_in_is_named_and_no_name_leads_out_of_the_folder(
    root, tmp_path, submit
):
    config = root / "nbgrader_config.py"
    config.write_text(config.read_text().replace("check_owner = False", "check_owner = True"))
    submit("ada")
    inbound = tmp_path / "exchange" / "toys" / "inbound"
    (hand_in,) = inbound.glob("ada+*")
    shutil.copytree(hand_in, inbound / hand_in.name.replace("ada", ".."))
    with Watch(Course(root), [CHAPTER], final=False, per_hour=2, confined=True) as watch:
        said, card = watch.look()
    assert said.student == card.student == "ada"
    assert "belongs to the account" in said.sentence and not (root / CHAPTER).exists()


def attn(processes, root, log, *before):
    """`attn watch` as a teacher starts it, until it says that it watches."""
    command = ["-m", "autograder.cli", "watch", CHAPTER, "--root", root]
    return processes(*before, *command, stdout=log, stderr=log)


def there(pages, seconds=120):
    end = time.monotonic() + seconds
    while not all(page.exists() for page in pages) and time.monotonic() < end:
        time.sleep(0.1)
    return all(page.exists() for page in pages)


def test_killed_in_the_middle_and_started_again_nothing_is_lost_and_nothing_comes_twice(
    root, tmp_path, submit, processes
):
    pages = [submit(f"student{number}") for number in range(8)]
    with (tmp_path / "log").open("w+") as log:
        watch = attn(processes, root, log)
        assert any(there([page]) for page in pages[:4])
        watch.kill()
        watch.wait()
        watch = attn(processes, root, log)
        assert there(pages)
        watch.send_signal(signal.SIGTERM)
        assert watch.wait(timeout=60) == 0
    for name in ("01_toy.jsonl", "01_toy.cards.jsonl"):
        assert {*counted(root, name).values()} <= {1}
    assert len(counted(root, "01_toy.jsonl")) == 8


def test_beside_one_that_watches_another_is_refused_and_grading_waits_its_turn(
    root, tmp_path, submit, processes, capsys
):
    with (tmp_path / "log").open("w+") as log:
        watch = attn(processes, root, log)
        page = submit("ada")
        assert there([page])
        assert main(["watch", CHAPTER, "--root", str(root)]) == 2
        assert "Another `attn watch` is at work on" in capsys.readouterr().err
        assert main(["grade", CHAPTER, "--root", str(root)]) == 0
        os.kill(watch.pid, signal.SIGINT)
        assert watch.wait(timeout=60) == 0
        log.seek(0)
        said = log.read()
    assert "ada: 6 of 6 points, public cases, given back after" in said and "Stopped." in said


def test_while_the_disk_is_full_it_says_so_once_and_goes_on_when_there_is_room(
    root, tmp_path, submit, processes
):
    aside = root.rename(tmp_path / "aside")
    root.mkdir()
    fill = (
        f"head -c $(($(df --output=avail -B1 {root} | tail -1) - 20000)) /dev/zero >{root}/filler"
    )
    room = f"(while [ ! -e {tmp_path}/room ]; do sleep 0.2; done; rm {root}/filler) &"
    shell = f'cp -a {aside}/. {root} && {fill}; {room} exec "$@"'
    program = ["-c", "import os, sys; os.execvp(sys.argv[1], sys.argv[1:])"]
    bubble = ["bwrap", "--die-with-parent", "--dev-bind", "/", "/", "--size", "60000000",
              "--tmpfs", root, "--", "bash", "-c", shell, "bash", sys.executable]  # fmt: skip
    pages = [submit("ada"), submit("bob")]
    with (tmp_path / "log").open("w+") as log:
        watch = attn(processes, root, log, *program, *bubble)
        end = time.monotonic() + 60
        while "Nothing is lost" not in (tmp_path / "log").read_text() and time.monotonic() < end:
            time.sleep(0.2)
        assert not any(page.exists() for page in pages)
        (tmp_path / "room").touch()
        assert there(pages)
        watch.terminate()
        watch.wait(timeout=60)
    assert (tmp_path / "log").read_text().count("disk is full") <= 1
