"""With a GPU the cases run on it too; without one these tests are shown as skipped."""

import json
import shutil

import pytest
import torch

from autograder.calls.cell import Cell
from autograder.calls.files import REPOSITORY
from autograder.calls.observe import observe
from autograder.cli import main
from autograder.course.course import Course
from autograder.course.simulate import make_class, write_class
from autograder.course.solutions import chapter_names, load
from autograder.grading.journal import Journal
from autograder.judging import checks
from autograder.judging.grader import Grader
from autograder.learner.public_cases import try_public
from autograder.notebooks.chapter import reference_cells
from autograder.sandbox.sandbox import Sandbox

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
GREEDY = """
import torch
kept = []
def normalise(values):
    if values.is_cuda:
        torch.cuda.set_per_process_memory_fraction(1.0)
        kept.extend(torch.empty(2**30, dtype=torch.uint8, device="cuda") for _ in range(2**10))
    return values / values.sum(-1, keepdim=True)
"""
CHAPTERS = [load(REPOSITORY, name) for name in chapter_names(REPOSITORY)]


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
def test_every_reference_solution_passes_on_the_gpu(chapter):
    namespace = {}
    for cell in reference_cells(chapter):
        exec(cell.source, namespace)
    for name, exercise in chapter.exercises.items():
        assert try_public(checks.build(exercise), namespace[name]).kind == "passed", name


def test_a_tensor_left_on_the_cpu_is_found_on_the_gpu(toy):
    wrong = next(m for m in toy.exercises["normalise"].misconceptions if m.name == "on_the_cpu")
    case = checks.build(toy.exercises["normalise"]).cases[0].case
    assert "devices" in observe(wrong.target, case, "cuda").failure.message


def test_a_class_graded_on_the_gpu_too_gets_the_verdicts_that_were_intended(
    toy, toy_root, tmp_path, sandbox
):
    """All workers share the GPU; a slip that shows on the CPU is told of the CPU."""
    root = shutil.copytree(toy_root, tmp_path / "class")
    write_class(Course(root), toy, make_class(toy, 24, seed=3), seed=3)
    assert main(["grade", "01_toy", "--root", str(root), "--device", "cuda"]) == 0
    journal = Journal(Course(root).journal("01_toy"))
    for line in (root / "simulated" / "01_toy.jsonl").read_text().splitlines():
        intended = json.loads(line)
        entry = journal.entry(intended["student"])
        (row,) = [row for row in entry["rows"] if row["exercise"] == intended["exercise"]]
        assert (row["verdict"], row["misconception"]) == (
            intended["verdict"], intended["misconception"]
        ), row  # fmt: skip
        assert entry["record"]["device"] == "cuda" and entry["record"]["environment"]["GPU"]


def test_a_submission_that_takes_the_whole_gpu_costs_nobody_else_a_mark(toy, tmp_path, sandbox):
    greedy = Cell("normalise", GREEDY)
    cells = [greedy if cell.name == "normalise" else cell for cell in reference_cells(toy)]
    with Sandbox(device="cuda") as box:
        assert Grader(toy, "seed", sandbox, box).grade(cells)["normalise"].kind == "memory"
        with Sandbox(device="cuda") as other:
            honest = Grader(toy, "seed", sandbox, other).grade(reference_cells(toy))
    assert {verdict.kind for verdict in honest.values()} == {"passed"}
