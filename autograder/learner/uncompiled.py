"""Calls as the grader makes them: it has no compiler, so what is compiled is called as written."""

import contextlib
import os
import sys
from collections.abc import Iterator

import torch

SWITCH = "TORCHDYNAMO_DISABLE"  # torch's own, for what is compiled from now on


@contextlib.contextmanager
def uncompiled() -> Iterator[None]:
    """Within it nothing that `torch.compile` made or makes runs compiled. Loads no compiler."""
    loaded = "torch._dynamo" in sys.modules  # or nothing was compiled before
    before = os.environ.get(SWITCH)
    os.environ[SWITCH] = "1"
    try:
        with torch.compiler.set_stance("force_eager") if loaded else contextlib.nullcontext():
            yield
    finally:
        del os.environ[SWITCH]
        if before is not None:
            os.environ[SWITCH] = before
