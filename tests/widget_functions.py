"""Calls the functions behind the widgets with tensors, and compares what they give."""

from typing import Any

import torch
from torch import Tensor


def compute(page: Any, name: str, *inputs: Any) -> Any:
    """What the widget's function gives for these tensors and numbers."""
    plain = [i.tolist() if isinstance(i, Tensor) else i for i in inputs]
    return page.evaluate(f"inputs => courseWidgets.{name}(...inputs)", plain)


def random(*shape: int) -> Tensor:
    """Normal numbers in float64, the same for the same shape."""
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def assert_same(found: Any, expected: Tensor) -> None:
    torch.testing.assert_close(torch.tensor(found, dtype=torch.float64), expected.detach())
