"""What runs in a student's notebook and cannot run where it is graded."""

from .case import PASSED, cell, odd

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
