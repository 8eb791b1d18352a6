"""A fault of ours costs nobody a mark: no verdict, its cause is kept, and the exit is not 0."""

import errno
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress

import pytest
from processes import alive

from autograder import session
from autograder.chapter import reference, reference_cells
from autograder.checks import build
from autograder.cli import main
from autograder.course import Course
from autograder.errors import CourseError
from autograder.grade import ClassRun
from autograder.grader import Grader, Substituting
from autograder.handin import HandIn
from autograder.judge import judge
from autograder.lock import grading
from autograder.notebook import Cell
from autograder.reports import Run
from autograder.results import FAULT, Journal
from autograder.session import Graded, Session, local_executor, use
from autograder.simulate import make_class, write_class
from autograder.watchdog import OutOfTime, processor_limit
from autograder.writer import Writer

SETUP = Cell("setup", "import os, torch\nfrom torch import Tensor, nn")


@pytest.fixture
def class_root(toy, toy_root, tmp_path, sandbox):
    """A class of three whose submissions were handed in and not graded yet."""
    root = shutil.copytree(toy_root, tmp_path / "class")
    write_class(Course(root), toy, make_class(toy, 3, seed=3), seed=3)
    return root


@pytest.fixture
def in_this_process(monkeypatch):
    """Submissions are judged here, where a fault can be planted."""

    @contextmanager
    def executor(root, name, seed, confined, device="cpu"):
        graded_by = Session(root, name, seed, confined, device)
        use(graded_by)
        with ThreadPoolExecutor(1) as pool:
            yield pool
        graded_by.stop()

    monkeypatch.setattr("autograder.report.local_executor", executor)


def grade(root, *options):
    return main(["grade", "01_toy", "--root", str(root), "--seed", "s", *options])


def said(capsys):
    return " ".join(capsys.readouterr().err.split())


def test_an_error_in_the_judge_is_nobodys_zero_and_can_be_looked_up(
    class_root, in_this_process, monkeypatch, capsys
):
    judged = []

    def breaks_at_the_second_submission(checks, seen, device):
        judged.append(checks.exercise)
        if len(judged) == 5:  # after the reference's three
            return 1 / 0
        return judge(checks, seen, device)

    monkeypatch.setattr("autograder.grader.judge", breaks_at_the_second_submission)
    results = class_root / "r.jsonl"
    assert grade(class_root, "--results", str(results)) == 1
    assert "ZeroDivisionError: division by zero" in said(capsys)
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    (unjudged,) = {row["student"] for row in rows if row["points"] is None}
    assert {row["verdict"] for row in rows if row["student"] == unjudged} == {"infrastructure"}
    assert all(row["points"] is not None for row in rows if row["student"] != unjudged)

    entry = Journal(class_root / ".attn" / "01_toy.jsonl").fault(unjudged)
    assert "in breaks_at_the_second_submission" in entry[FAULT]
    assert main(["explain", unjudged, "01_toy", "average", "--root", str(class_root)]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().out

    monkeypatch.undo()
    assert grade(class_root) == 0
    assert Journal(class_root / ".attn" / "01_toy.jsonl").fault(unjudged) is None


@pytest.mark.parametrize(("rows", "public"), [(3, True), (1, False)])
def test_too_little_memory_is_told_as_such_in_whichever_case_it_shows(toy, sandbox, rows, public):
    wrong = f"""
def normalise(values):
    if values.shape[0] == {rows}:
        return torch.ones(2**50)
    return values / values.sum(dim=-1, keepdim=True)
"""
    sources = reference(toy) | {"normalise": wrong}
    cells = [SETUP, *(Cell(name, source) for name, source in sources.items())]
    verdict = Grader(toy, "secret", sandbox).grade(cells)["normalise"]
    assert (verdict.kind, verdict.public) == ("memory", public)
    assert verdict.passed != ()


def test_a_limit_that_a_submission_lowered_itself_is_not_told_as_too_little_memory(toy, sandbox):
    lowers = """
import resource
resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
while True:
    pass
"""
    cells = [
        Cell(cell.name, lowers if cell.name == "normalise" else cell.source)
        for cell in reference_cells(toy)
    ]
    verdict = Grader(toy, "secret", sandbox).grade(cells)["normalise"]
    assert verdict.kind == "crashed"
    assert verdict.sentence == "The kernel stopped it: it reached a limit, or memory ran out."


def test_of_two_that_grade_one_course_the_second_is_refused(class_root, capsys):
    with grading(Course(class_root)):
        assert grade(class_root) == 2
    assert "Another `attn grade` is at work on" in said(capsys)
    assert not (class_root / ".attn" / "01_toy.jsonl").exists()


@pytest.fixture
def little_room():
    """A limit to the length of files, as a full disk is one."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    @contextmanager
    def limited(size):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        yield
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    yield limited
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def entry(student, mark="mark", points=1):
    return {"student": student, "fingerprint": mark, "rows": [{"points": points}], "notes": []}


def test_what_could_not_be_appended_to_the_journal_is_not_finished(tmp_path, little_room):
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    journal.add([entry("ada")])
    with little_room(path.stat().st_size + 20), pytest.raises(OSError):
        journal.add([entry("bob"), entry("cleo")])
    assert "bob" not in journal and Journal(path).damaged == 0
    journal.add([entry("cleo", points=3)])
    for known in (journal, Journal(path)):
        assert known.entry("ada")["rows"] == [{"points": 1}]
        assert known.entry("cleo")["rows"] == [{"points": 3}] and "bob" not in known


def test_a_full_disk_ends_in_a_sentence_and_the_next_run_goes_on(class_root, monkeypatch, capsys):
    append = Journal._append

    def full(self, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))

    monkeypatch.setattr(Journal, "_append", full)
    assert grade(class_root) == 2
    assert "No space left on device" in said(capsys)
    monkeypatch.setattr(Journal, "_append", append)
    assert grade(class_root) == 0


def test_a_damaged_journal_is_told_of_and_mended(class_root, capsys):
    assert grade(class_root) == 0
    path = class_root / ".attn" / "01_toy.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"rows"', b'"r\xffws"', 1))
    assert main(["report", "01_toy", "--root", str(class_root)]) == 2
    assert "is damaged: 1 of its lines cannot be read" in said(capsys)
    assert grade(class_root) == 1
    assert "was damaged: 1 of its lines could not be read" in said(capsys)
    assert grade(class_root) == 0
    assert len(path.read_bytes().splitlines()) == 3


def test_the_seed_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("os.link", killed)
        with pytest.raises(KeyboardInterrupt):
            Course(tmp_path).seed(None)
    assert list(tmp_path.iterdir()) == []
    assert len(Course(tmp_path).seed(None)) == 32


def test_all_who_ask_for_the_first_time_at_once_get_the_same_seed(tmp_path):
    with ThreadPoolExecutor(50) as pool:
        found = set(pool.map(lambda _: Course(tmp_path).seed(None), range(500)))
    assert len(found) == 1 and [path.name for path in tmp_path.iterdir()] == [".grading_seed"]


@pytest.mark.parametrize("seed", ["", "\n", "public"])
def test_a_seed_that_everybody_knows_is_refused(tmp_path, seed):
    (tmp_path / ".grading_seed").write_text(seed)
    with pytest.raises(CourseError, match="is no secret"):
        Course(tmp_path).seed(None)
    with pytest.raises(CourseError, match="is no secret"):
        Course(tmp_path).seed(seed)


def test_the_cause_of_a_fault_of_the_sandbox_is_told(toy, sandbox, monkeypatch):
    grader = Grader(toy, "secret", sandbox)

    def none_left():
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as patch:
        patch.setattr("os.pipe", none_left)
        found = grader.grade(reference_cells(toy))
    assert {verdict.kind for verdict in found.values()} == {"infrastructure"}
    assert "Too many open files" in found["normalise"].sentence
    assert {verdict.kind for verdict in grader.grade(reference_cells(toy)).values()} == {"passed"}


def test_a_fault_that_passes_does_not_stay(toy, sandbox, monkeypatch):
    grader = Grader(toy, "secret", sandbox)
    with monkeypatch.context() as patch:
        fault = grader._stop("infrastructure", "", "normalise")
        patch.setattr("autograder.grader.judge", lambda *_: fault)
        assert "fails here" in grader.fault()
    assert grader.fault() == ""


def test_why_a_worker_process_cannot_grade_is_told(class_root, capsys):
    exercise = class_root / "solutions" / "01_toy" / "average.py"
    slip = """

@exercise.secret_cases
def secret_cases(rng):
    yield undefined(rng)
"""
    exercise.write_text(exercise.read_text() + slip)
    assert grade(class_root) == 1
    told = said(capsys)
    assert "undefined" in told and "attn explain" in told


def test_ending_a_run_leaves_other_processes_of_the_host_program_alone(class_root):
    theirs = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,))
    theirs.start()
    with (
        pytest.raises(KeyboardInterrupt),
        local_executor(class_root, "01_toy", "s", confined=True, workers=1) as pool,
    ):
        ours = pool.submit(os.getpid).result()
        raise KeyboardInterrupt
    assert alive([ours]) == []
    assert theirs.is_alive()
    theirs.kill()


def test_who_is_started_by_one_that_has_ended_meanwhile_ends_too():
    late = """
import os
from autograder import confine
child = os.fork()
if child == 0:
    os._exit(0)
gone = os.pidfd_open(child)
os.waitpid(child, 0)
try:
    confine.die_with_parent(gone)
except confine.ConfinementError:
    os._exit(7)
"""
    assert subprocess.run([sys.executable, "-c", late], check=False).returncode == 7


class Slow:
    """A sandbox in which every run takes 40 seconds and ends without a word."""

    device = "cpu"

    def __init__(self):
        self.runs = 0

    def run(self, cells, calls, names, patience, longest):
        self.runs += 1
        return Run(end="timeout", ready=True, seconds=40.0, cells=dict.fromkeys(range(len(cells))))


def test_a_submission_has_one_budget_for_all_its_runs(toy):
    box = Slow()
    checks = {name: build(item, "s") for name, item in toy.exercises.items()}
    found = Substituting(toy, checks, box).grade(reference_cells(toy))
    assert box.runs == 2
    assert [verdict.kind for verdict in found.values()] == ["timeout"] * 3
    assert "all of the 60 seconds" in found["Scale"].sentence


def test_an_endless_reader_is_a_fault_for_its_submission_alone(class_root, monkeypatch):
    splice = session.notebooks.splice
    graded_by = Session(class_root, "01_toy", "s", confined=True)
    submissions = Course(class_root).submissions("01_toy")
    first, second, *_ = submissions

    def endless(released, submission):
        while True:
            with suppress(Exception):
                time.time()

    monkeypatch.setattr("autograder.session.processor_limit", lambda: processor_limit(0.3))
    monkeypatch.setattr(session.notebooks, "splice", endless)
    unjudged = graded_by.grade(first, HandIn.at(submissions[first]))
    assert {row["points"] for row in unjudged.rows} == {None} and "in endless" in unjudged.fault
    monkeypatch.setattr(session.notebooks, "splice", splice)
    monkeypatch.setattr("autograder.session.processor_limit", nullcontext)
    assert graded_by.grade(second, HandIn.at(submissions[second])).notebook
    graded_by.stop()


def test_who_finishes_within_the_limit_is_left_alone():
    with processor_limit(60):
        pass
    with pytest.raises(OutOfTime), processor_limit(0.1):
        while True:
            time.time()


def test_a_call_that_never_looks_up_ends_its_process():
    deaf = """
import hashlib
from autograder.watchdog import processor_limit
with processor_limit(0.1):
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)
"""
    assert subprocess.run([sys.executable, "-c", deaf], check=False).returncode < 0


class Fragile(Executor):
    """It breaks, with all that it was given, as soon as it is given the work of one student."""

    def __init__(self, fatal, given):
        self.fatal, self.given, self.running = fatal, given, []

    def submit(self, work, student, handed_in, hurry):
        self.given.append(student)
        future = Future()
        self.running.append((future, student))
        if student == self.fatal:
            for other, _ in self.running:
                other.set_exception(BrokenExecutor("its process was killed"))
        elif self.fatal in self.given and self.given.index(self.fatal) < len(self.given) - 1:
            self.running.pop()
            future.set_result(Graded(student, [], "{}"))
        return future


def test_of_those_graded_when_a_process_was_killed_only_the_one_that_did_it_has_no_verdict(
    class_root, monkeypatch
):
    run, given, written = ClassRun(Course(class_root), "01_toy", "s"), [], []
    fatal = sorted(run.submissions)[-1]
    monkeypatch.setattr(Writer, "take", lambda _, graded, entry: written.append(graded.student))
    list(run.grade(lambda: nullcontext(Fragile(fatal, given))))
    assert set(run.unjudged) == {fatal}
    assert sorted(written) == sorted(run.submissions.keys() - {fatal})
    assert given.count(fatal) == 3  # once with others, then twice alone
