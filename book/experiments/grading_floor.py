"""The least that a submission can cost: fork a warm process, run the cells, make the calls.

Nothing is confined, observed, sent, judged or written. Run by grading_cost.py in a process of its
own: `grading_floor.py CALLS CELLS COUNT` prints when each was done, and the processor time by then.
"""

import contextlib
import gc
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import torch
from machine import processor

from autograder.author import Case
from autograder.confined import confine
from autograder.confined.namespace import run_cell
from autograder.confined.observe import _gradients
from autograder.confined.perform import _silence
from autograder.confined.ready import ready
from autograder.confined.worker import SLOW_IMPORTS, _import, _warm_up
from autograder.exercise import wire


def main() -> None:
    calls, submissions, count = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(1)
    _warm_up(gradient=True)
    _import(SLOW_IMPORTS)  # a worker has done so before the clock starts
    trees = wire.unpack(calls.read_bytes())
    cases = {name: [Case(**tree) for tree in items] for name, items in trees.items()}
    notebooks = json.loads(submissions.read_text())
    gc.collect()
    gc.freeze()
    confine.collapse_memory()
    marks = []
    for index in range(count):
        fork(notebooks[index % len(notebooks)], cases)
        marks.append((time.perf_counter(), processor()))
    print(json.dumps(marks))


def fork(cells: list[list[str]], cases: dict[str, list[Case]]) -> None:
    """One submission in a child of its own."""
    pid = os.fork()
    if pid == 0:
        try:
            _silence()  # what a submission prints or warns of
            submission(cells, cases)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


def submission(cells: list[list[str]], cases: dict[str, list[Case]]) -> None:
    """Run the cells and make every call once, and once more where gradients are asked for."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for name, source in cells:
        run_cell(name, source, namespace)
    for name, items in cases.items():
        for case in items:
            call(namespace.get(name), case)


def call(target: Any, case: Case) -> None:
    """A call that raises is over; the next one is made all the same."""
    with contextlib.suppress(Exception):
        function, inputs = ready(target, case, "cpu")
        function(*inputs.values())
        if case.gradient:
            _gradients(target, case, "cpu")


if __name__ == "__main__":
    main()
