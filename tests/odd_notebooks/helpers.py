"""Solutions that use other cells of the notebook."""

import copy

from .case import PASSED, cell, code, odd

HALVES = "def normalise(values):\n    return values * _inverse(values, EPSILON)\n"
HELPERS = """import math as m
EPSILON = 0.0

def _inverse(values, epsilon):
    return _reciprocal(values.sum(-1, keepdim=True) + epsilon)

@torch.no_grad()
def unused(): return m.pi
"""


@odd(PASSED)
def helpers_in_cells_above_and_below(notebook):
    solution = cell(notebook, "normalise")
    solution["source"] = HALVES
    notebook["cells"].insert(1, code(HELPERS))
    notebook["cells"].append(code("%matplotlib inline\n_reciprocal = lambda x: 1 / x"))


@odd(PASSED)
def a_solution_cell_split_in_two(notebook):
    solution = cell(notebook, "normalise")
    first = copy.deepcopy(solution) | {"source": HELPERS.replace("_reciprocal", "1 / ")}
    solution["source"] = HALVES
    notebook["cells"].insert(notebook["cells"].index(solution), first)


@odd(PASSED)
def an_import_added_to_the_setup_cell(notebook):
    cell(notebook, "setup")["source"] += ["\nimport operator as op"]
    body = "    return op.truediv(values, values.sum(-1, keepdim=True))"
    cell(notebook, "normalise")["source"] = f"def normalise(values):\n{body}"


@odd("wrong", PASSED, PASSED)
def a_helper_beside_a_solution_that_does_not_pass(notebook):
    """The stand-in for the first exercise must not take the second one's helper away."""
    helper = "def _times(a, b):\n    return a @ b\n\ndef normalise(values):\n    return values"
    cell(notebook, "normalise")["source"] = helper
    body = "    return _times(normalise(weights), values)"
    cell(notebook, "average")["source"] = f"def average(weights, values):\n{body}"


@odd(PASSED)
def a_right_way_that_a_later_exercise_may_not_use(notebook):
    """`average` forbids bmm. Its own function has none; that it builds on one costs nothing."""
    body = "    total = torch.bmm(values[None], torch.ones(1, values.shape[-1], 1))[0]"
    cell(notebook, "normalise")["source"] = f"""def normalise(values):
    if values.dim() > 2 or values.dtype != torch.float32:
        return values / values.sum(-1, keepdim=True)
{body}
    return values / total"""
    body = "    return normalise(weights) @ values"
    cell(notebook, "average")["source"] = f"def average(weights, values):\n{body}"


@odd("raised", PASSED, PASSED, sentence="`total` is set in another cell")
def a_variable_of_another_cell(notebook):
    cell(notebook, "normalise")["source"] = "def normalise(values):\n    return values / total"
    notebook["cells"].insert(1, code("values = torch.ones(3)\ntotal = values.sum()"))


@odd("timeout", PASSED, PASSED)
def a_helper_that_never_ends(notebook):
    cell(notebook, "normalise")["source"] = "def normalise(values):\n    return _forever(values)"
    notebook["cells"].insert(1, code("def _forever(x):\n    while True:\n        pass"))


@odd(PASSED)
def a_cell_without_end_that_nothing_needs(notebook):
    notebook["cells"].insert(1, code("while True:\n    pass"))
    notebook["cells"].insert(1, code("import os\nos._exit(0)"))
