"""Code that does not behave, in the real worker: what is observed of it, and what of the next."""

import socket
import subprocess

import pytest
import torch
from sandboxed import CASE, run, says

from autograder.confined.observe import observe
from autograder.exercise.observation import Observation
from autograder.sandbox import sandbox as sandboxes
from autograder.sandbox.bubblewrap import SandboxUnavailable
from autograder.sandbox.sandbox import Sandbox


def test_a_call_is_observed(sandbox):
    result = run(sandbox, "def f(x):\n    return x * 3")
    assert result.end == "done"
    assert torch.equal(result.exercises[0][0]["output"], torch.full((2,), 3.0))


@pytest.mark.parametrize("returned", ["[x] * 4_000", "[x + n for n in range(900)]",
                                      "[x] * 100", "'a' * 3_000_000", "x.repeat(1_000_000)",
                                      "(x.repeat(60_000), x)"])  # fmt: skip
def test_what_is_large_is_sent_or_told_of_just_as_a_check_in_the_notebook_has_it(sandbox, returned):
    found = run(sandbox, f"def f(x):\n    return {returned}", calls=60).exercises[0]
    own = observe(eval(f"lambda x: {returned}"), CASE)
    for tree in found:
        sent = Observation.from_tree(tree)
        assert (sent.failure, str(sent.output)) == (None, str(own.output))
        assert sent.devices == own.devices


def test_a_worker_computes_with_the_kernels_of_the_process_that_judges(sandbox, monkeypatch):
    """So that what is compared is computed alike."""
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "default")
    with Sandbox() as older:
        assert says(older, "torch.backends.cpu.get_cpu_capability()") == "DEFAULT"


@pytest.mark.parametrize(
    ("source", "end"),
    [
        ("def f(x):\n    os._exit(0)", "done"),
        ("def f(x):\n    os._exit(3)", "exited"),  # as the worker says that it refused
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
    assert (result.end, result.exercises) == (end, {}) or result.exercises[0][0]["failure"]
    assert run(sandbox, "def f(x):\n    return x").end == "done"


@pytest.mark.parametrize("index", ["Infinity", "1", "-1", "true", '"0"', "0.0"])
def test_a_step_out_of_order_or_with_a_strange_number_is_not_believed(sandbox, index):
    forged = f"""
    import safetensors.torch, struct
    def f(x):
        tree = '{{"dict": {{"step": "exercise", "index": {index}, "content": null}}}}'
        frame = safetensors.torch.save({{}}, metadata={{"tree": tree}})
        for descriptor in range(3, 60):
            try: os.write(descriptor, struct.pack("<Q", len(frame)) + frame)
            except OSError: pass
        return x
    """
    result = run(sandbox, forged)
    assert (result.end, result.exercises) == ("garbled", {})


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
    assert result.exercises[0][0]["failure"] is None


def test_magics_are_passed_over(sandbox):
    source = "%matplotlib inline\n!pip list\ntorch.tril?\ndef f(x):\n    return x"
    assert run(sandbox, source).cells[1] is None


def test_a_line_of_python_that_begins_like_a_magic_is_python(sandbox):
    source = "def f(x):\n    return (\n        x\n        != 0\n    )"
    assert run(sandbox, source).exercises[0][0]["output"].all()


def test_a_worker_that_is_killed_as_it_starts_is_started_again(unconfined, monkeypatch):
    start = sandboxes.command
    ends = iter(["kill -9 $$"] * (sandboxes.STARTS - 1))

    def killed_at_first(*how):
        end = next(ends, None)
        return ["sh", "-c", end] if end else start(*how)

    monkeypatch.setattr(sandboxes, "command", killed_at_first)
    with Sandbox(confined=False) as box:
        assert run(box, "def f(x):\n    return x").exercises[0][0]["output"].all()


def test_a_worker_that_never_starts_is_reported_with_its_last_words(monkeypatch):
    monkeypatch.setattr(sandboxes, "command", lambda *how: ["sh", "-c", "echo no torch >&2"])
    with pytest.raises(SandboxUnavailable, match="did not start: no torch"):
        run(Sandbox(confined=False), "def f(x):\n    return x")


def test_without_a_sandbox_the_same_request_gives_the_same_answer(unconfined):
    result = run(unconfined, "def f(x):\n    return x * 3")
    assert torch.equal(result.exercises[0][0]["output"], torch.full((2,), 3.0))


def test_an_answer_may_use_an_optimiser_which_imports_more_of_torch(sandbox):
    source = """
    def f(x):
        layer = torch.nn.Linear(2, 1)
        optimiser = torch.optim.Adam(layer.parameters())
        layer(x).sum().backward()
        optimiser.step()
        return len(optimiser.state)
    """
    (case,) = run(sandbox, source).exercises[0]
    assert (case["failure"], case["output"]) == (None, 2)


def test_a_submission_does_not_wait_for_the_compiler_of_torch(processes):
    """It would be imported anew by each, before its first line."""
    program = """
import sys
from autograder.confined.perform import _usual_state
with _usual_state():
    print([name for name in ("torch._dynamo", "torch._inductor", "sympy") if name in sys.modules])
"""
    done = processes("-c", program, stdout=subprocess.PIPE)
    assert done.communicate()[0].strip() == "[]"


def test_of_two_lines_of_the_worker_that_come_together_the_second_is_kept():
    """It says how much time a submission has taken, and in the same moment that it has ended."""
    box = Sandbox()
    ours, workers = socket.socketpair()
    with ours, workers:
        workers.sendall(b'{"seconds": "1.5"}\n{"end": "done"}\n')
        assert [box._hear(ours, 60), box._hear(ours, 60)] == [{"seconds": "1.5"}, {"end": "done"}]
