"""The real bubblewrap, the real worker, code that does not behave."""

import textwrap
from pathlib import Path

import pytest
import torch

from autograder import sandbox as sandboxes
from autograder.checks import case_to_tree
from autograder.grader import Grader
from autograder.sandbox import Sandbox, SandboxUnavailable
from autograder.spec import Case

pytestmark = pytest.mark.xdist_group("sandbox")
CASE = case_to_tree(Case("case", {"x": torch.ones(2)}))


def run(sandbox, source, calls=1, setup="import os, torch"):
    cells = [{"name": "setup", "source": setup}, {"name": "f", "source": textwrap.dedent(source)}]
    return sandbox.run({"cells": cells, "cases": [("f", CASE)] * calls})


def says(sandbox, expression, setup="import os, torch"):
    """What an expression evaluates to inside the sandbox, as text."""
    result = run(sandbox, f"def f(x):\n    return str({expression})\n", setup=setup)
    case = result.cases[0]
    return case["output"] if case["failure"] is None else case["failure"]["type"]


def test_a_call_is_observed(sandbox):
    result = run(sandbox, "def f(x):\n    return x * 3")
    assert result.end == "done"
    assert torch.equal(result.cases[0]["output"], torch.full((2,), 3.0))


def test_no_file_of_the_course_can_be_seen(sandbox):
    repository = Path(sandboxes.__file__).parent.parent
    for hidden in ("solutions", "exercises", "tests", "README.md"):
        assert says(sandbox, f"os.path.exists({str(repository / hidden)!r})") == "False"
    assert says(sandbox, "os.listdir('/engine')") == "['autograder']"


def test_no_home_no_environment_no_processes_can_be_seen(sandbox, monkeypatch):
    assert says(sandbox, "os.path.exists(os.path.expanduser('~root/.bashrc'))") == "False"
    assert "PATH" in says(sandbox, "sorted(os.environ)")
    assert (
        says(sandbox, "[name for name in os.environ if 'TOKEN' in name or 'KEY' in name]") == "[]"
    )
    assert says(sandbox, "os.listdir('/proc')") == "[]"
    assert says(sandbox, "os.getpid()") == "1"


def test_there_is_no_network(sandbox):
    probe = "socket.create_connection(('127.0.0.1', 22), timeout=1)"
    assert says(sandbox, probe, setup="import socket, os") in ("OSError", "ConnectionRefusedError")
    interfaces = says(sandbox, "socket.if_nameindex()", setup="import socket")
    assert interfaces in ("[]", "[(1, 'lo')]", "OSError")


def test_nothing_but_scratch_space_can_be_written(sandbox):
    for place in ("/tmp/x", "/engine/x", "/usr/x", "/x", "/etc/x"):
        assert says(sandbox, f"open({place!r}, 'w')") in (
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


def test_an_endless_loop_is_stopped_and_the_next_submission_runs(sandbox, monkeypatch):
    monkeypatch.setattr(sandboxes, "STEP_SECONDS", 0.5)
    loop = """
    def f(x):
        while True:
            try:
                while True: pass
            except BaseException: pass
    """
    assert run(sandbox, loop).end == "timeout"
    assert run(sandbox, "def f(x):\n    return x").end == "done"


@pytest.mark.parametrize(
    ("source", "end"),
    [
        ("def f(x):\n    os._exit(0)", "done"),
        ("def f(x):\n    os.kill(os.getpid(), 9)\n    os._exit(1)", "exited"),
        ("import ctypes\ndef f(x):\n    ctypes.string_at(0)", "signal"),
        (
            """
            def f(x):
                for descriptor in range(3, 60):
                    try: os.write(descriptor, b"x" * 99)
                    except OSError: pass
            """,
            "garbled",
        ),
    ],
)
def test_a_process_that_ends_itself_or_the_protocol_harms_no_other(sandbox, source, end):
    result = run(sandbox, source)
    assert (result.end, result.cases) == (end, {}) or result.cases[0]["failure"]
    assert run(sandbox, "def f(x):\n    return x").end == "done"


@pytest.mark.parametrize("index", ["Infinity", "1", "-1", "true", '"0"', "0.0"])
def test_a_step_out_of_order_or_with_a_strange_number_is_not_believed(sandbox, index):
    forged = f"""
    import safetensors.torch, struct
    def f(x):
        tree = '{{"dict": {{"step": "case", "index": {index}, "content": null}}}}'
        frame = safetensors.torch.save({{}}, metadata={{"tree": tree}})
        for descriptor in range(3, 60):
            try: os.write(descriptor, struct.pack("<Q", len(frame)) + frame)
            except OSError: pass
        return x
    """
    result = run(sandbox, forged)
    assert (result.end, result.cases) == ("garbled", {})


def test_dripping_bytes_does_not_buy_time(sandbox, monkeypatch):
    monkeypatch.setattr(sandboxes, "STEP_SECONDS", 1.0)
    drip = """
    import struct, time
    def f(x):
        for descriptor in range(3, 60):
            try: os.write(descriptor, struct.pack("<Q", 10**6))
            except OSError: continue
            while True:
                os.write(descriptor, b" ")
                time.sleep(0.3)
    """
    assert run(sandbox, drip).end == "timeout"


@pytest.mark.parametrize(
    ("body", "end"),
    [("os._exit(3)", "exited"), ("os.closerange(3, 64); time.sleep(99)", "timeout")],
)
def test_no_submission_can_pass_off_its_end_as_a_fault_of_the_grader(sandbox, body, end):
    assert run(sandbox, f"import time\ndef f(x):\n    {body}").end == end
    assert run(sandbox, "def f(x):\n    return x").end == "done"


def test_what_a_case_is_called_is_not_told(toy, sandbox):
    request = Grader(toy, "secret", sandbox)._request([], list(toy.exercises))
    assert {(tree["name"], tree["public"]) for _, tree in request["cases"]} == {("", True)}


def test_what_one_exercise_sets_globally_does_not_matter_to_another(sandbox):
    source = """
    torch.set_default_dtype(torch.float64)
    torch.set_grad_enabled(False)
    def f(x):
        return torch.zeros(1), torch.is_grad_enabled()
    """
    zeros, enabled = run(sandbox, source).cases[0]["output"]
    assert zeros.dtype == torch.float32 and enabled


def test_memory_is_limited(sandbox):
    assert says(sandbox, "len(bytearray(8 * 2**30))") == "MemoryError"


def test_what_is_printed_goes_nowhere(sandbox):
    result = run(
        sandbox,
        "import sys\nprint('x' * 10**6)\ndef f(x):\n    sys.stderr.write('y')\n    return x",
    )
    assert result.end == "done"


def test_a_cell_that_raises_does_not_stop_the_others(sandbox):
    result = run(sandbox, "def f(x):\n    return x\n1 / 0")
    assert result.cells[1]["type"] == "ZeroDivisionError"
    assert result.cells[1]["line"] == 3
    assert result.cases[0]["failure"] is None


def test_magics_are_passed_over(sandbox):
    source = "%matplotlib inline\n!pip list\ntorch.tril?\ndef f(x):\n    return x"
    assert run(sandbox, source).cells[1] is None


def test_a_line_of_python_that_begins_like_a_magic_is_python(sandbox):
    source = "def f(x):\n    return (\n        x\n        != 0\n    )"
    assert run(sandbox, source).cases[0]["output"].all()


def test_without_bubblewrap_nothing_runs_and_the_way_out_is_named(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(SandboxUnavailable, match="apt install bubblewrap"):
        Sandbox().check()


def test_without_a_sandbox_the_same_request_gives_the_same_answer():
    with Sandbox(confined=False) as unconfined:
        result = run(unconfined, "def f(x):\n    return x * 3")
    assert torch.equal(result.cases[0]["output"], torch.full((2,), 3.0))
