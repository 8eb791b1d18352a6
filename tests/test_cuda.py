"""With a GPU the cases run on it too; without one these tests are shown as skipped."""

import pytest
import torch

from autograder import checks
from autograder.chapter import REPOSITORY, chapter_names, load, reference_cells
from autograder.checking import try_public
from autograder.observe import observe

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
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
