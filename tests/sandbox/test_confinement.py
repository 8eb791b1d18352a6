"""What a submission can see, reach and leave behind: the real bubblewrap, the real worker."""

import os
import platform
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from processes import kill
from sandboxed import run, says

from autograder.common.files import REPOSITORY
from autograder.exercise import wire
from autograder.judging.grader import Grader
from autograder.sandbox import sandbox as sandboxes
from autograder.sandbox.bubblewrap import SandboxUnavailable, bubblewrap
from autograder.sandbox.sandbox import Sandbox


def test_a_descriptor_can_be_copied_and_inherited(sandbox):
    assert says(sandbox, "os.close(os.dup(1))") == "None"
    assert says(sandbox, "os.set_inheritable(1, True)") == "None"


def test_no_file_of_the_course_can_be_seen(sandbox):
    repository = REPOSITORY
    for hidden in ("solutions", "exercises", "tests", "README.md"):
        assert says(sandbox, f"os.path.exists({str(repository / hidden)!r})") == "False"
    assert says(sandbox, "os.listdir('/engine')") == "['autograder']"


def test_no_home_no_environment_no_processes_can_be_seen(sandbox):
    assert says(sandbox, "os.path.exists(os.path.expanduser('~root/.bashrc'))") == "False"
    assert "PATH" in says(sandbox, "sorted(os.environ)")
    assert (
        says(sandbox, "[name for name in os.environ if 'TOKEN' in name or 'KEY' in name]") == "[]"
    )
    assert says(sandbox, "os.listdir('/proc')") == "[]"
    assert says(sandbox, "os.getpid()") == "1"


def test_there_is_no_network(sandbox):
    probe = "socket.create_connection(('127.0.0.1', 22), timeout=1)"
    assert says(sandbox, probe, setup="import socket, os") == "PermissionError"
    probe = "import socket; print(socket.if_nameindex())"
    command = [*bubblewrap(), sys.executable, "-c", probe]
    inside = subprocess.run(command, capture_output=True, check=True)
    assert inside.stdout in (b"[]\n", b"[(1, 'lo')]\n")


def test_every_submission_is_confined_before_its_first_line(sandbox, monkeypatch):
    """Seen from outside, while the submission is in its first cell."""
    monkeypatch.setattr(sandboxes, "STEP_SECONDS", 300.0)
    with ThreadPoolExecutor() as pool:
        hanging = pool.submit(run, sandbox, "", setup="while True: pass")
        seen = _wait_for_child(sandbox, sandbox._process.pid)
        status, limits, namespaces = (seen[name] for name in ("status", "limits", "namespaces"))
        kill(seen["child"])
        hanging.result()
    ours = _namespaces(os.getpid())
    assert all(
        namespaces[kind] != ours[kind] for kind in ("user", "mnt", "pid", "net", "ipc", "uts")
    )
    worker = seen["worker"]
    assert all(namespaces[k] != worker[k] for k in ("user", "mnt", "pid", "net", "ipc", "uts"))
    assert status["Seccomp"] == "2" and status["NoNewPrivs"] == "1"
    assert {int(status[f"Cap{name}"], 16) for name in ("Inh", "Prm", "Eff", "Bnd", "Amb")} == {0}
    assert int(limits["Max address space"]) < 64 * 2**30
    assert int(limits["Max cpu time"]) == sandboxes.SUBMISSION_SECONDS + 1
    assert int(limits["Max processes"]) == 1
    assert int(limits["Max open files"]) <= 64
    assert int(limits["Max file size"]) <= 64 * 2**20
    assert int(limits["Max core file size"]) == 0


def _wait_for_child(sandbox, parent):
    """What /proc says of the submission's process below the worker `parent` starts."""
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline:
        chain = _descendants(parent)
        if len(chain) >= 3:
            child, worker = chain[-1], chain[-2]
            status = dict(re.findall(r"^(\w+):\s*(.*)$", _read(child, "status"), re.M))
            limits = dict(re.findall(r"^(Max [a-z ]+?) {2,}(\S+)", _read(child, "limits"), re.M))
            if status.get("Seccomp") == "2":
                spaces = {"namespaces": _namespaces(child), "worker": _namespaces(worker)}
                return {"child": child, "status": status, "limits": limits} | spaces
        time.sleep(0.01)
    raise AssertionError("no confined process was seen")


def _descendants(pid):
    """The chain of only children from `pid` down."""
    chain = [pid]
    while children := _read(chain[-1], f"task/{chain[-1]}/children").split():
        chain.append(int(children[0]))
    return chain


def _read(pid, name):
    try:
        return Path(f"/proc/{pid}/{name}").read_text()
    except OSError:
        return ""


def _namespaces(pid):
    kinds = ("user", "mnt", "pid", "net", "ipc", "uts")
    return {kind: Path(f"/proc/{pid}/ns/{kind}").readlink() for kind in kinds}


def test_a_call_by_another_architecture_ends_the_process(sandbox):
    """int 0x80 reaches the 32-bit call table, whose numbers mean other things."""
    code = """
    import ctypes, mmap
    def f(x):
        page = mmap.mmap(-1, 4096, prot=7)
        page.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")  # getpid, 32 bit
        address = ctypes.addressof(ctypes.c_char.from_buffer(page))
        return ctypes.CFUNCTYPE(ctypes.c_int)(address)()
    """
    if platform.machine() != "x86_64":
        pytest.skip("the bytes are for x86-64")
    result = run(sandbox, code)
    assert (result.end, result.detail) == ("signal", "SIGSYS")


@pytest.mark.parametrize(
    "attempt",
    [
        "os.fork()",
        "threading.Thread(target=print).start()",
        "os.execv('/bin/true', ['true'])",
        "socket.socket()",
        "os.memfd_create('x')",
        "call(272, 0x10000000)",  # unshare
        "fcntl.fcntl(0, fcntl.F_SETLEASE, fcntl.F_WRLCK)",
        "call(101, 0, 0, 0, 0)",  # ptrace
        "call(165, 0, 0, 0, 0)",  # mount
        "call(425, 1, 0)",  # io_uring_setup
        "call(321, 0, 0, 0)",  # bpf
        "call(248, 0, 0, 0)",  # add_key
        "call(323, 0)",  # userfaultfd
        "call(298, 0, 0, 0, 0)",  # perf_event_open
    ],
)
def test_what_is_no_computation_is_refused(sandbox, attempt):
    if platform.machine() != "x86_64":
        pytest.skip("the numbers of the system calls are for x86-64")
    setup = """import ctypes, fcntl, os, socket, threading
libc = ctypes.CDLL(None, use_errno=True)
def call(*numbers):
    if libc.syscall(*numbers) == -1:
        raise OSError(ctypes.get_errno(), "refused")
"""
    assert says(sandbox, attempt, setup=setup) in ("PermissionError", "RuntimeError")


def test_nothing_but_scratch_space_can_be_written(sandbox):
    for folder in ("/tmp", "/engine", "/usr", "", "/etc"):
        assert says(sandbox, f"open('{folder}/planted-by-a-test', 'w')") in (
            "OSError",
            "PermissionError",
            "FileNotFoundError",
        )


def test_nothing_written_survives_into_the_next_submission(sandbox):
    assert says(sandbox, "open('/scratch/note', 'w').write('answer')") == "6"
    assert says(sandbox, "os.listdir('/scratch')") == "[]"


def test_nothing_patched_survives_into_the_next_submission(sandbox):
    run(sandbox, "torch.softmax = None\ndef f(x):\n    return x")
    assert says(sandbox, "torch.softmax is None") == "False"


def test_privileges_cannot_be_regained(sandbox):
    unshare = "ctypes.CDLL(None).mount(b'none', b'/scratch', b'tmpfs', 0, b'')"
    assert says(sandbox, unshare, setup="import ctypes") == "-1"


def test_no_answer_can_be_found_in_the_memory_of_the_process(sandbox):
    answers = ("Checks", "CheckedCase", "Exercise", "Misconception", "Verdict", "Implementation")
    found = f"[type(o).__name__ for o in gc.get_objects() if type(o).__name__ in {answers}]"
    assert says(sandbox, found, setup="import gc") == "[]"
    assert says(sandbox, "[m for m in sys.modules if 'solutions' in m]", "import sys") == "[]"


def test_what_a_case_is_called_is_not_told(toy, sandbox):
    calls = wire.unpack(Grader(toy, "secret", sandbox).calls)
    told = {(tree["name"], tree["public"]) for trees in calls.values() for tree in trees}
    assert calls.keys() == toy.exercises.keys() and told == {("", True)}


def test_memory_is_limited(sandbox):
    assert says(sandbox, "len(bytearray(8 * 2**30))") == "MemoryError"


def test_without_bubblewrap_nothing_runs_and_the_way_out_is_named(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(SandboxUnavailable, match="apt install bubblewrap"):
        Sandbox().check()
