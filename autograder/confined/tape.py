"""The operations of a call, written down so that they can be done again with other numbers.

If they then give what the call itself gives for these numbers, they are all the work that its
result takes. Whatever was computed elsewhere stays as it was, whichever way it came back to torch.
"""

import ctypes
from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.multiprocessing.reductions import StorageWeakRef

from autograder.exercise.tensors import leaves

NUMBERS = (int, float, bool, type(None))
OF_TORCH = "aten"  # the operations of others may do anything


class Place(NamedTuple):
    """The memory in which a tensor is, and how it lies there."""

    memory: int
    dtype: torch.dtype
    offset: int
    size: torch.Size
    stride: tuple[int, ...]
    conjugate: bool
    negative: bool


class Drawn(NamedTuple):
    """A generator, by its address: operations are given it as another object each time."""

    number: int


class Tape:
    """Takes the operations of one call down; `play` does them again.

    given: the tensors that the call is given, and its generators.
    whole: whether all that was done can be done again.
    peak: the most bytes that were held at any one time, without those of the inputs.
    """

    def __init__(self, given: Iterable[Any] = ()) -> None:
        self.whole = True
        self.peak = self._bytes = 0
        self._sizes: dict[int, int] = {}  # of the memories that were alive at the last look
        self._steps: list[tuple[Any, Any, Any, list[Place]]] = []
        self._memories: dict[int, int] = {}  # by their address, which no other has meanwhile
        self._held: list[StorageWeakRef] = []
        self._brought: dict[int, Any] = {}  # what was in memory that comes from elsewhere
        self._generators: dict[int, torch.Generator] = {}  # by their address, as they were
        self._given = [self._of(value) for value in given]
        self.peak, self._bytes, self._sizes = 0, 0, {}

    def before(self, args: Any, kwargs: Any) -> Any:
        """Note what an operation is about to be given, as `after` needs it."""
        try:
            return self._taken(args), self._taken(kwargs)
        except Exception:  # tensors that lie nowhere, or that a submission made
            self.whole = False
            return (), {}

    def after(self, func: Any, taken: Any, result: Any) -> None:
        """The operation was done."""
        if not isinstance(func, OpOverload) or func.namespace != OF_TORCH:
            self.whole = False
        if not self.whole:
            return
        try:
            self._steps.append((func, *taken, [self._place(leaf) for leaf in leaves(result)]))
        except Exception:  # tensors that lie nowhere, or that a submission made
            self.whole = False

    def places(self, tensors: list[Tensor]) -> list[Place]:
        """Return where these tensors are, for `play`."""
        try:
            return [self._place(tensor, brought=True) for tensor in tensors]
        except Exception:  # tensors that lie nowhere, or that a submission made
            self.whole = False
            return []

    def play(self, given: Iterable[Any], wanted: list[Place]) -> list[Tensor]:
        """Return what lies there after the same operations on what is given here.

        Raises whatever they raise.
        """
        memories = {number: _memory(content) for number, content in self._brought.items()}
        others = {number: one.clone_state() for number, one in self._generators.items()}
        for known, value in zip(self._given, given, strict=True):
            if isinstance(known, Place):
                memories[known.memory] = value.untyped_storage()
            else:
                others[known] = value
        for func, args, kwargs, results in self._steps:
            made = func(*_filled(args, memories, others), **_filled(kwargs, memories, others))
            for place, leaf in zip(results, leaves(made), strict=True):
                memories.setdefault(place.memory, leaf.untyped_storage())
        return [_filled(place, memories, others) for place in wanted]

    def _taken(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            return self._place(value, brought=True)
        if type(value) in NUMBERS:
            return value
        if isinstance(value, list | tuple):
            return [self._taken(item) for item in value]
        if isinstance(value, dict):
            return {name: self._taken(item) for name, item in value.items()}
        return self._drawn_from(value) if isinstance(value, torch.Generator) else value

    def _of(self, value: Any) -> Any:
        return self._place(value) if isinstance(value, Tensor) else self._drawn_from(value).number

    def _drawn_from(self, generator: torch.Generator) -> "Drawn":
        number: int = generator._cdata  # type: ignore[attr-defined]
        if number not in self._generators:
            self._generators[number] = generator.clone_state()
        return Drawn(number)

    def _place(self, tensor: Tensor, brought: bool = False) -> Place:
        storage = tensor.untyped_storage()
        number = self._memories.get(storage._cdata)
        if number is None:
            number = self._memories[storage._cdata] = len(self._held)
            self._held.append(StorageWeakRef(storage))  # type: ignore[no-untyped-call]
            self._hold(number, storage.nbytes())
            if brought:
                self._brought[number] = _content(storage)
        return Place(
            number,
            tensor.dtype,
            int(tensor.storage_offset()),
            tensor.size(),
            tensor.stride(),
            tensor.is_conj(),
            tensor.is_neg(),
        )

    def _hold(self, number: int, size: int) -> None:
        """Freed memory is looked for only when the sum would otherwise be a new peak."""
        self._sizes[number] = size
        self._bytes += size
        if self._bytes > self.peak:
            kept = [n for n in self._sizes if not self._held[n].expired()]  # type: ignore[no-untyped-call]
            self._sizes = {n: self._sizes[n] for n in kept}
            self._bytes = sum(self._sizes.values())
            self.peak = max(self.peak, self._bytes)


def _content(storage: torch.UntypedStorage) -> Any:
    """Return a copy, which on the CPU takes no operation that a trace would see."""
    if storage.device.type != "cpu":
        return storage.clone()  # type: ignore[no-untyped-call]
    return bytearray(ctypes.string_at(storage.data_ptr(), storage.nbytes()))


def _memory(content: Any) -> torch.UntypedStorage:
    if isinstance(content, torch.UntypedStorage):
        return content.clone()  # type: ignore[no-untyped-call]
    made = torch.frombuffer(content, dtype=torch.uint8) if content else torch.empty(0)
    return made.untyped_storage()


def _filled(value: Any, memories: dict[int, Any], others: dict[int, torch.Generator]) -> Any:
    if isinstance(value, Place):
        memory = memories[value.memory]
        made = torch.empty(0, dtype=value.dtype, device=memory.device)
        made.set_(memory, value.offset, value.size, value.stride)
        if value.negative:
            made = torch._neg_view(made)
        return made.conj() if value.conjugate else made
    if isinstance(value, list):
        return [_filled(item, memories, others) for item in value]
    if isinstance(value, dict):
        return {name: _filled(item, memories, others) for name, item in value.items()}
    return others[value.number] if isinstance(value, Drawn) else value
