"""Which library functions a call reaches, and how much work it is.

Time on a clock would measure the machine, and searching the text would find names, not calls.
"""

from collections import Counter
from contextlib import ExitStack
from typing import Any

from torch._C import DisableTorchFunction, DispatchKey, _autograd, _profiler
from torch._C import _dispatch_has_kernel_for_dispatch_key as _has_kernel
from torch._ops import OpOverload
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils.flop_counter import flop_registry

from autograder.common.dispatch import DispatchMode
from autograder.confined.tape import Tape
from autograder.exercise.observation import Cost
from autograder.exercise.tensors import leaves

PRODUCTS = ("mm", "bmm", "addmm", "baddbmm")  # that other operations may come down to
PARTS = DispatchKey.CompositeImplicitAutograd


class Trace:
    """A context in which calls are traced. Afterwards:

    used: sorted names of torch's functions, and of the operations they come down to.
    cost: the counted work; its peak is 0 unless there is a tape.
    products: how often each operation was counted that multiplies.
    suspect: whether there may have been more of them, within other operations.
    tape: takes the operations down.
    """

    def __init__(self, tape: Tape | None = None) -> None:
        self.used: list[str] = []
        self.cost = Cost(0, 0, 0, 0)
        self.products: Counter[str] = Counter()
        self.suspect = False
        self._functions, self._work, self._operations = _Functions(), _Work(tape), Operations()

    def __enter__(self) -> "Trace":
        self._stack = ExitStack()
        for part in (self._operations, self._functions, self._work):
            self._stack.enter_context(part)
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)
        operations = self._operations.names
        self.used = sorted(self._functions.names | set(operations))
        self.cost, self.products = self._work.cost(), self._work.products
        # one that is counted is recorded twice: as it reaches the counter and as it leaves it
        self.suspect = any(operations.count(name) > 2 * self.products[name] for name in PRODUCTS)


class Operations:
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
        self.names = [
            event.name().removeprefix("aten::") for event in events if str(event.kind()) == "push"
        ]


class _Functions(TorchFunctionMode):
    """Names of the functions that are called, also of those that are written in Python."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self._known: set[Any] = set()  # to find a name takes as long as a small operation

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func not in self._known:
            self._known.add(func)
            self.names.add((resolve_name(func) or getattr(func, "__name__", "")).rsplit(".", 1)[-1])
        return func(*args, **(kwargs or {}))


class _Work(DispatchMode):
    """Counts what reaches the kernels."""

    def __init__(self, tape: Tape | None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.tape = tape
        self.flops = self.largest = 0
        self.products: Counter[str] = Counter()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        # What is composed of other operations is seen before these in inference mode.
        if isinstance(func, OpOverload) and _has_kernel(func._name, PARTS):
            with self:
                return func.decompose(*args, **(kwargs or {}))
        result = self._done(func, args, kwargs or {})
        sizes = [leaf.numel() for leaf in leaves(result)]
        self.largest = max([self.largest, *sizes])
        count = flop_registry.get(func.overloadpacket)
        if count is not None:
            self.flops += count(*args, **(kwargs or {}), out_val=result)
            self.products[func.overloadpacket.__name__] += 1
        return result

    def _done(self, func: Any, args: Any, kwargs: Any) -> Any:
        if self.tape is None:
            return func(*args, **kwargs)
        with DisableTorchFunction():  # what the tape looks at is no call of the submission's
            taken = self.tape.before(args, kwargs)
        result = func(*args, **kwargs)
        with DisableTorchFunction():
            self.tape.after(func, taken, result)
        return result

    def cost(self) -> Cost:
        peak = self.tape.peak if self.tape else 0
        return Cost(self.flops, self.products.total(), self.largest, peak)
