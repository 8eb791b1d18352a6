"""A mode of torch's dispatcher that does not load torch's compiler."""

from torch.utils._python_dispatch import TorchDispatchMode


class DispatchMode(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Sees every operation in its context.

    torch wraps `__torch_dispatch__` of each mode such that the first operation imports
    `torch._dynamo`, with sympy and 800 other modules: most of what a first check took. It compiles
    nothing while a mode is active, so there is nothing to keep it from.
    """

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False
