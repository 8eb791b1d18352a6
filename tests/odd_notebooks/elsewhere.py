"""What runs in a student's notebook and cannot run where it is graded."""

from autograder.notebooks.parsing import HERE

from .case import PASSED, cell, code, odd

# What is compiled is called as it was written


@odd(PASSED)
def compiled_functions(notebook):
    cell(notebook, "normalise")["source"] = """@torch.compile(fullgraph=True, mode="max-autotune")
def normalise(values):
    total = torch.compile(lambda rows: rows.sum(-1, keepdim=True), dynamic=True)
    return values / total(values)"""
    cell(notebook, "average")["source"] = """import torch._dynamo
def average(weights, values):
    return normalise(weights) @ values
average = torch.compile(torch._dynamo.optimize("inductor", nopython=True)(average))"""


@odd(PASSED)
def compiled_modules(notebook):
    cell(notebook, "normalise")["source"] = """class Normalise(nn.Module):
    def forward(self, values):
        return values / values.sum(-1, keepdim=True)
one = Normalise()
one.compile()
two = torch.compile(Normalise())
normalise = torch.compile(lambda values: two(one(values)))"""


# A newer Python


def in_python(notebook, version):
    notebook["metadata"]["language_info"] = {"name": "python", "version": version}


@odd("raised", PASSED, PASSED, sentence=f"Python 3.99, and it is graded with Python {HERE}")
def a_solution_that_only_a_newer_python_reads(notebook):
    in_python(notebook, "3.99.1")
    cell(notebook, "normalise")["source"] = (
        "def normalise[T](values: T) -> T:\n    return values / values.sum(-1, keepdim=True)"
    )


@odd("raised", PASSED, PASSED, sentence="which cannot read the cell of `rows`")
def a_helper_that_only_a_newer_python_reads(notebook):
    in_python(notebook, "3.99.1")
    cell(notebook, "normalise")["source"] = (
        "def normalise(values):\n    return values / rows(values)"
    )
    notebook["cells"].append(code("def rows[T](x: T) -> T:\n    return x.sum(-1, keepdim=True)"))


@odd(PASSED)
def a_line_beside_a_solution_that_only_a_newer_python_reads(notebook):
    in_python(notebook, "3.99.1")
    cell(notebook, "normalise")["source"] += '\n\nd = {"a": 1}\nprint(f"mask {d["a"]}")\n'


@odd("raised", PASSED, PASSED, sentence="SyntaxError: expected ':'.")
def an_error_in_every_python(notebook):
    in_python(notebook, "3.99.1")
    cell(notebook, "normalise")["source"] = "def normalise(values) return f'{values}'"


# Libraries and files


@odd("raised", PASSED, PASSED, sentence="'shares' is not defined. no_such is not installed where")
def a_library_that_is_not_there_within_an_answer(notebook):
    cell(notebook, "normalise")["source"] = (
        "from no_such.ops import sums as shares\ndef normalise(values):\n    return shares(values)"
    )


@odd("raised", PASSED, PASSED, sentence="No module named 'no_such'. no_such is not installed")
def a_library_that_is_asked_for_in_a_call(notebook):
    cell(notebook, "normalise")["source"] = (
        "def normalise(values):\n    import no_such.ops\n    return no_such.ops.shares(values)"
    )


@odd("raised", PASSED, PASSED, sentence="`%run shares.py` does nothing where this is graded")
def a_file_beside_the_notebook(notebook):
    cell(notebook, "normalise")["source"] = "def normalise(values):\n    return shares(values)"
    notebook["cells"].insert(1, code("%run shares.py"))
