"""Which library functions a call reaches, and how much work it is.

Time on a clock would measure the machine, and searching the text would find names, not calls.
"""

from collections import Counter
from contextlib import ExitStack
from typing import Any

from torch._C import _autograd, _profiler
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils.flop_counter import flop_registry

from autograder.calls.dispatch import DispatchMode
from autograder.calls.observation import Cost
from autograder.calls.tensors import leaves

PRODUCTS = ("mm", "bmm", "addmm", "baddbmm")
ELSEWHERE = {"numpy", "tolist", "__array__", "__dlpack__", "data_ptr", "untyped_storage"}


class Trace:
    """A context in which calls are traced. Afterwards:

    used: sorted names of torch's functions, and of the operations they come down to.
    cost: the counted work; None where work was done that could not be counted.
    """

    def __init__(self) -> None:
        self.used: list[str] = []
        self.cost: Cost | None = None
        self._functions, self._work, self._operations = _Functions(), _Work(), _Operations()

    def __enter__(self) -> "Trace":
        self._stack = ExitStack()
        for part in (self._operations, self._functions, self._work):
            self._stack.enter_context(part)
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)
        operations = self._operations.names
        self.used = sorted(self._functions.names | set(operations))
        # a product that is counted is recorded twice: as it reaches the counter and as it leaves it
        hidden = any(operations.count(name) > 2 * self._work.products[name] for name in PRODUCTS)
        elsewhere = ELSEWHERE & self._functions.names
        self.cost = None if hidden or elsewhere else self._work.cost()


class _Operations:
    """Every operation that torch's dispatcher carries out, however it was called.

    torch's own recorder is used below its Python interface, which takes 7 ms a call, not 0.3.
    """

    def __enter__(self) -> None:
        self.names: list[str] = []
        options = _profiler._ExperimentalConfig()
        state = _profiler.ProfilerState.CPU
        _autograd._enable_profiler_legacy(
            _profiler.ProfilerConfig(state, False, False, False, False, False, options)
        )

    def __exit__(self, *_: object) -> None:
        events = (event for line in _autograd._disable_profiler_legacy() for event in line)
        self.names = [event.name().removeprefix("aten::") for event in events
                      if str(event.kind()) == "push"]  # fmt: skip


class _Functions(TorchFunctionMode):
    """Names of the functions that are called, also of those that are written in Python."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        self.names.add((resolve_name(func) or getattr(func, "__name__", "")).rsplit(".", 1)[-1])
        return func(*args, **(kwargs or {}))


class _Work(DispatchMode):
    """Counts what reaches the kernels."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.flops = self.largest = 0
        self.products: Counter[str] = Counter()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        sizes = [leaf.numel() for leaf in leaves(result)]
        self.largest = max([self.largest, *sizes])
        count = flop_registry.get(func.overloadpacket)
        if count is not None:
            self.flops += count(*args, **(kwargs or {}), out_val=result)
            self.products[func.overloadpacket.__name__] += 1
        return result

    def cost(self) -> Cost:
        return Cost(self.flops, self.products.total(), self.largest)
