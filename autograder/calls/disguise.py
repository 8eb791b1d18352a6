"""Tensors on `meta` that seem to be on a GPU, so that code treats them as it would treat those."""

from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

HIDDEN, SHOWN = torch.device("meta"), torch.device("cuda", 0)
DEVICE = Tensor.device.__get__
ANSWERS = {Tensor.is_meta.__get__: False, Tensor.is_cuda.__get__: True}  # type: ignore[attr-defined]


class Disguise(TorchFunctionMode):
    """A context in which `meta` tensors say that they are on `cuda:0`, and what is made there is
    made on `meta`. No GPU is needed, and none is used.
    """

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func is Tensor.cuda:
            return args[0].to(HIDDEN)
        named = {name: _hidden(value) for name, value in (kwargs or {}).items()}
        result = func(*map(_hidden, args), **named)
        if func == DEVICE and result == HIDDEN:
            return SHOWN
        return ANSWERS.get(func, result) if args and _is_hidden(args[0]) else result


def _hidden(value: Any) -> Any:
    """The device to use where `value` names the one that is shown; anything else as it is."""
    if isinstance(value, torch.device):
        return HIDDEN if value.type == SHOWN.type else value
    return HIDDEN if isinstance(value, str) and value in ("cuda", "cuda:0") else value


def _is_hidden(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_meta
