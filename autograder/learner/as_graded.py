"""Calls as the grader makes them: nothing is compiled, and tensors have torch's usual dtype."""

import contextlib
import os
import sys
from collections.abc import Iterator

import torch

SWITCH = "TORCHDYNAMO_DISABLE"  # torch's own, for what is compiled from now on


@contextlib.contextmanager
def as_graded() -> Iterator[None]:
    """Within it nothing that `torch.compile` made or makes runs compiled. Loads no compiler."""
    loaded = "torch._dynamo" in sys.modules  # or nothing was compiled before
    dtype, switch = torch.get_default_dtype(), os.environ.get(SWITCH)
    torch.set_default_dtype(torch.float32)
    os.environ[SWITCH] = "1"
    try:
        with torch.compiler.set_stance("force_eager") if loaded else contextlib.nullcontext():
            yield
    finally:
        torch.set_default_dtype(dtype)
        del os.environ[SWITCH]
        if switch is not None:
            os.environ[SWITCH] = switch
