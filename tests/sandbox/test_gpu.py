"""What grading on a GPU rests on, as far as it shows on a machine without one.

The sandbox is the one that a GPU gets; the calls in it are made on the CPU.
"""

import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pytest
import torch
from sandboxed import run, says

from autograder.cli import main
from autograder.common.cell import Cell
from autograder.confined import gpu
from autograder.judging.budget import Limits
from autograder.judging.grader import Grader
from autograder.notebooks.chapter import reference_cells
from autograder.sandbox.sandbox import Sandbox

RESERVE = (
    "len(mmap.mmap(-1, 2**40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, "
    "prot=mmap.PROT_READ))"
)


class Lent(Sandbox):
    """The sandbox of a GPU, with the CPU in its place; notes who was to run alone."""

    def __init__(self, confined=True):
        super().__init__(confined, device="cuda")
        self.turns = []

    def _turn(self):
        self.turns.append(self.alone)
        return nullcontext()

    def _run(self, request, calls, *limits):
        return super()._run(request | {"device": "cpu"}, calls, *limits)


@pytest.fixture
def lent(sandbox):
    with Lent() as box:
        yield box


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_where_there_is_no_gpu_one_sentence_says_so_and_nothing_is_graded(
    toy_root, tmp_path, capsys
):
    root = shutil.copytree(toy_root, tmp_path / "class")
    (root / "submitted" / "ada" / "01_toy").mkdir(parents=True)
    assert main(["grade", "01_toy", "--root", str(root), "--device", "cuda"]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert gpu.NO_GPU in error and "Traceback" not in error
    assert not (root / "autograded").exists()


def test_what_is_right_on_the_cpu_is_asked_of_the_gpu_and_nothing_else(toy, sandbox, lent):
    """A result that is on the CPU shows that the GPU was asked."""
    wrong = Cell("normalise", "def normalise(values):\n    return values\n")
    cells = [wrong if cell.name == "normalise" else cell for cell in reference_cells(toy)]
    found = Grader(toy, "seed", sandbox, lent).grade(cells)
    asked = {name for name, item in found.items() if item.sentence.startswith("Right on the CPU.")}
    assert "normalise" not in asked and asked
    for name in asked:
        assert found[name].kind == "wrong" and "expected" in found[name].sentence


def test_too_little_memory_is_believed_only_of_one_that_ran_alone(toy, sandbox, lent):
    greedy = (
        "import os\ndef normalise(values):\n    if os.path.isdir('/sys/bus'):  # on a GPU only\n"
    )
    greedy += "        raise MemoryError\n    return values / values.sum(-1, keepdim=True)\n"
    cells = [
        Cell(cell.name, greedy) if cell.name == "normalise" else cell
        for cell in reference_cells(toy)
    ]
    found = Grader(toy, "seed", sandbox, lent).grade(cells)
    assert found["normalise"].kind == "memory"
    half = len(lent.turns) // 2
    assert lent.turns == [False] * half + [True] * half


def test_a_right_answer_that_asks_for_single_numbers_has_more_time_on_a_gpu(toy, sandbox, lent):
    grader = Grader(toy, "seed", sandbox, lent)
    assert grader.gpu.limits == grader.limits.on_gpu()
    grader.hold_to(Limits(step=7.0, together=80.0))
    assert (grader.gpu.limits.step, grader.gpu.limits.together) == (70.0, 800.0)


def test_a_submission_may_have_threads_but_no_process_and_no_network(lent):
    assert says(lent, "threading.Thread(target=list).start()", "import threading") == "None"
    assert says(lent, "os.fork()") == "PermissionError"
    assert says(lent, "subprocess.run(['true'])", "import subprocess") == "PermissionError"
    assert says(lent, "socket.socket()", "import socket") == "PermissionError"
    assert says(lent, "os.listdir('/proc')") == "[]"


def test_a_submission_can_end_no_process_though_it_shares_theirs(lent):
    """CUDA does not start in a namespace of processes below that of /proc."""
    assert says(lent, "os.getpid()") != "1"
    assert says(lent, "os.kill(os.getppid(), 9)") == "PermissionError"
    limit = "resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (0, 0))"
    assert says(lent, limit, "import os, resource") == "PermissionError"
    assert says(lent, "resource.getrlimit(resource.RLIMIT_CORE)", "import resource") == "(0, 0)"


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_why_a_submission_could_not_be_confined_is_said(toy, sandbox, monkeypatch):
    monkeypatch.setattr(Sandbox, "_turn", lambda box: nullcontext())
    with Sandbox(device="cuda") as box:
        found = Grader(toy, "seed", sandbox, box).grade(reference_cells(toy))
    assert {verdict.kind for verdict in found.values()} == {"infrastructure"}
    assert all("confinement failed: " in verdict.sentence for verdict in found.values())


def test_of_devices_there_is_none_but_the_gpu(lent):
    shown = set(eval(says(lent, "os.listdir('/dev')")))
    usual = {"console", "core", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr",
             "stdin", "stdout", "tty", "urandom", "zero"}  # fmt: skip
    assert all(name.startswith("nvidia") for name in shown - usual)


def test_memory_that_is_written_is_limited_and_addresses_are_not(lent):
    assert says(lent, "len(bytearray(3 * 2**30))") == "MemoryError"
    assert says(lent, RESERVE, "import mmap") == str(2**40)


def test_without_confinement_addresses_are_not_limited_either(unconfined):
    with Lent(confined=False) as box:
        assert says(box, RESERVE, "import mmap") == str(2**40)


def test_what_has_ended_leaves_its_place_with_nothing_running(lent):
    assert run(lent, "def f(x):\n    return x").end == "done"
    assert not lent._unreaped


def test_no_more_use_the_gpu_than_there_are_places_and_one_can_have_all():
    lock, using, most = threading.Lock(), [], []

    def use(alone):
        with gpu.place(3, alone):
            with lock:
                using.append(alone)
                most.append(list(using))
            time.sleep(0.02)
            with lock:
                using.remove(alone)

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(use, [False, False, True] * 8))
    assert max(map(len, most)) == 3
    assert all(len(together) == 1 for together in most if True in together)
