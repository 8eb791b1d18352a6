"""A fault of ours costs nobody a mark: no verdict, its cause is kept, and the exit is not 0."""

import errno
import json
import multiprocessing
import os
import re
import subprocess
import sys
import time

import pytest
from processes import alive
from terminal import grade, said

from autograder.cli import main
from autograder.common.cell import Cell
from autograder.grading.journal import FAULT, Journal
from autograder.grading.session import local_executor
from autograder.judging.grader import Grader
from autograder.judging.judge import judge
from autograder.notebooks.chapter import reference, reference_cells

SETUP = Cell("setup", "import os, torch\nfrom torch import Tensor, nn")


def test_an_error_in_the_judge_is_nobodys_zero_and_can_be_looked_up(
    handed_in, in_this_process, monkeypatch, capsys
):
    judged = []

    def breaks_once(checks, *rest):
        judged.append(checks.exercise)
        if checks.exercise == "average" and judged.count("average") == 2:  # after the reference
            return 1 / 0
        return judge(checks, *rest)

    monkeypatch.setattr("autograder.judging.marker.judge", breaks_once)
    results = handed_in / "r.jsonl"
    everybody = [option for number in (1, 2, 3) for option in ("--student", f"student{number}")]
    assert grade(handed_in, "--results", str(results), *everybody) == 1
    printed = capsys.readouterr()
    assert "ZeroDivisionError: division by zero" in " ".join(printed.err.split())
    assert re.findall(r"average *│ *(.+?) *│ infrastructure", printed.out) == ["no mark yet"]
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    (unjudged,) = {row["student"] for row in rows if row["points"] is None}
    without = [row for row in rows if row["points"] is None]
    assert [(row["exercise"], row["verdict"]) for row in without] == [("average", "infrastructure")]

    entry = Journal(handed_in / ".attn" / "01_toy.jsonl").fault(unjudged)
    assert "in breaks_once" in entry[FAULT]
    assert main(["explain", unjudged, "01_toy", "average", "--root", str(handed_in)]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().out

    monkeypatch.undo()
    assert grade(handed_in) == 0
    assert Journal(handed_in / ".attn" / "01_toy.jsonl").fault(unjudged) is None


def test_an_error_in_the_diagnosis_costs_a_hint_and_no_mark(
    handed_in, in_this_process, monkeypatch, capsys
):
    results = handed_in / "r.jsonl"

    def marks():
        rows = [json.loads(line) for line in results.read_text().splitlines()]
        return [(row["student"], row["exercise"], row["points"], row["verdict"]) for row in rows]

    def breaks(*_):
        return 1 / 0

    assert grade(handed_in, "--results", str(results)) == 0
    before = marks()
    assert {points for *_, points, _ in before} > {0}
    monkeypatch.setattr("autograder.diagnosis.diagnose.diagnosis", breaks)
    assert grade(handed_in, "--results", str(results), "--force") == 0
    assert marks() == before
    assert "ZeroDivisionError" in capsys.readouterr().out


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


def test_a_limit_that_a_submission_lowered_itself_is_not_told_as_too_little_memory(
    toy, sandbox, monkeypatch
):
    monkeypatch.setattr(
        "autograder.sandbox.sandbox.STEP_SECONDS", 60.0
    )  # of a clock, on any machine
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


def test_why_the_reference_fails_is_told_with_case_error_and_what_is_allowed(
    toy, sandbox, monkeypatch
):
    less = "import torch\ndef normalise(x):\n    return x / x.sum(-1, keepdim=True) + 1e-4"
    cells = [
        Cell(cell.name, less if cell.name == "normalise" else cell.source)
        for cell in reference_cells(toy)
    ]
    monkeypatch.setattr("autograder.judging.grader.reference_cells", lambda chapter: cells)
    said = Grader(toy, "secret", sandbox).fault()
    assert "the reference solution of normalise fails: Each row should sum to 1." in said
    assert re.search(r"on case '.*', where the largest error is \S+ of .*; \S+ is allowed\.$", said)


def test_a_fault_that_passes_does_not_stay(toy, sandbox, monkeypatch):
    grader = Grader(toy, "secret", sandbox)
    with monkeypatch.context() as patch:
        fault = grader._stopped("infrastructure", "", ["normalise"])["normalise"]
        patch.setattr("autograder.judging.marker.judge", lambda *_: fault)
        assert "the reference solution of normalise fails" in grader.fault()
    assert grader.fault() == ""


def test_why_a_worker_process_cannot_grade_is_told(handed_in, capsys):
    exercise = handed_in / "solutions" / "01_toy" / "average.py"
    slip = """

@exercise.secret_cases
def secret_cases(rng):
    yield Case("of no size", {"weights": rng.normal(3, 4), "values": rng.normal(5, 2)})
"""
    exercise.write_text(exercise.read_text() + slip)
    assert grade(handed_in) == 1
    told = said(capsys)
    assert "the oracle loop fails on case 'of no size'" in told and "attn explain" in told


def test_ending_a_run_leaves_other_processes_of_the_host_program_alone(handed_in):
    theirs = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,))
    theirs.start()
    with (
        pytest.raises(KeyboardInterrupt),
        local_executor(handed_in, "s", confined=True, workers=1) as pool,
    ):
        ours = pool.submit(os.getpid).result()
        raise KeyboardInterrupt
    assert alive([ours]) == []
    assert theirs.is_alive()
    theirs.kill()


def test_who_is_started_by_one_that_has_ended_meanwhile_ends_too():
    late = """
import os
from autograder.confined import confine
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
