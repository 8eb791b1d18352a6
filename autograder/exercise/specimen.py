"""An implementation handed to a learner's function as an argument, as source text.

A test-writing exercise gives the learner's function implementations to examine. They are code,
not answers: what the function should say about each stays with the judge.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import CodeType
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn


def namespace() -> dict[str, Any]:
    """Return the names that a source finds, beside Python's own."""
    return {"torch": torch, "nn": nn, "F": F, "math": math}


@dataclass(frozen=True)
class Specimen:
    """Source of one function. It may use torch, nn, F and math, and is named by nothing else."""

    source: str

    def compile(self) -> CodeType:
        """Return the source compiled. The result is kept: many submissions call it."""
        return self._code

    @cached_property
    def _code(self) -> CodeType:
        return compile(self.source, "<specimen>", "exec")

    def build(self) -> Callable[..., Any]:
        """Return the function itself; its name says nothing about what it does."""
        names, given = namespace(), {*namespace()}
        exec(self.compile(), names)
        made = (value for name, value in names.items() if name not in given)
        built = next(filter(callable, made))
        built.__name__ = built.__qualname__ = "specimen"
        return built
