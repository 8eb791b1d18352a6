"""Tensors that say they are on a GPU, and hold their numbers all the same. No GPU is needed.

What mixes them with a tensor on the CPU fails as it would there; code that looks at values, or that
moves them to the CPU and back, runs as it would there.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.overrides import TorchFunctionMode
from torch.utils._device import _device_constructors
from torch.utils._mode_utils import no_dispatch
from torch.utils._pytree import tree_leaves, tree_map

from autograder.common.dispatch import DispatchMode

# Within torch they are on `meta`, which has no kernels that could be reached past us, and which
# exists everywhere; code sees them on the first GPU.
REAL_DEVICE, CLAIMED_DEVICE = torch.device("meta"), torch.device("cuda", 0)
CPU = torch.device("cpu")
DEVICE = Tensor.device.__get__
ANSWERS = {Tensor.is_meta.__get__: False, Tensor.is_cuda.__get__: True}  # type: ignore[attr-defined]
FROM_NUMBERS = {name: getattr(torch, name) for name in ("tensor", "as_tensor", "asarray")}
INDEXING = (Tensor.__getitem__, Tensor.__setitem__)
FORWARD_MODE = ("enter_dual_level", "_set_fwd_grad_enabled")
MOVES = {"copy_", "_to_copy", "fill_", "resize_as_"}  # between devices
# These copy into a tensor like the first one, wherever the others are.
COPIES = {"select_scatter", "slice_scatter", "diagonal_scatter", "as_strided_scatter"}
TAKES = {"index", "index_put", "index_put_"}  # as their second argument indices on the CPU, too
# A GPU takes a single number from the CPU, but not for these, as torch 2.11 on an H100 showed.
NO_NUMBER = {
    "cat", "stack", "addcdiv", "addmm", "addr", "baddbmm", "binary_cross_entropy", "bucketize",
    "clamp", "clamp_max", "clamp_min", "complex", "embedding", "equal", "gcd", "igamma",
    "igammac", "index_add", "index_copy", "index_reduce", "index_select", "isin", "lcm",
    "logaddexp", "masked_scatter", "mse_loss", "multi_margin_loss",
    "multilabel_margin_loss_forward", "nextafter", "nll_loss_forward", "normal", "polar",
    "prelu_kernel", "searchsorted", "smooth_l1_loss", "take",
}  # fmt: skip


class Clash(RuntimeError):
    """Tensors of two devices met."""


@contextmanager
def on_fake_gpu() -> Iterator[None]:
    """In this context, what is made on or moved to the GPU is one of these tensors."""
    with _numbers_kept(), _without_forward_mode(), _Placing(), _Disguise():  # type: ignore[no-untyped-call]
        yield


@contextmanager
def _numbers_kept() -> Iterator[None]:
    """Torch's own functions make tensors from numbers where no mode sees it: `unravel_index` does.

    On `meta`, those tensors would have no numbers.
    """
    _device_constructors()  # what it finds is kept, and has to be torch's own functions
    for name, func in FROM_NUMBERS.items():
        setattr(torch, name, partial(_from_numbers, func))
    try:
        yield
    finally:
        for name, func in FROM_NUMBERS.items():
            setattr(torch, name, func)


def _from_numbers(func: Any, *args: Any, **kwargs: Any) -> Any:
    """Carry out `torch.tensor` or its kin on numbers, or on tensors of one number each."""
    args = tuple(map(_numbers, args))
    kwargs = {name: _numbers(_hidden(value)) for name, value in kwargs.items()}
    if kwargs.get("device") != REAL_DEVICE or isinstance(args[0] if args else None, Tensor):
        return func(*args, **kwargs)
    return func(*args, **kwargs | {"device": CPU}).to(REAL_DEVICE)


@contextmanager
def _without_forward_mode() -> Iterator[None]:
    """Derivatives in forward mode read the data of a tensor past its class, and crash here."""
    known = {name: getattr(forward_ad, name) for name in FORWARD_MODE}
    for name in FORWARD_MODE:
        setattr(forward_ad, name, _refuse)
    try:
        yield
    finally:
        for name, was in known.items():
            setattr(forward_ad, name, was)


def _refuse(*_: Any) -> Any:
    raise NotImplementedError("no forward mode where tensors only seem to be on a GPU")


def is_on_fake_gpu(value: Tensor) -> bool:
    """Tell whether a tensor says that it is on the GPU."""
    return isinstance(value, _FakeGpuTensor)


def generator(device: str) -> torch.Generator:
    """Make a generator of a device; where tensors only seem to be there, it says it is there."""
    seeming = device == CLAIMED_DEVICE.type and is_on_fake_gpu(torch.empty(0, device=device))
    return _FakeGpuGenerator() if seeming else torch.Generator(device)


class _FakeGpuGenerator(torch.Generator):
    """Draws on the CPU, where all numbers are held."""

    device = CLAIMED_DEVICE


class _FakeGpuTensor(Tensor):
    """`held` has the numbers, on the CPU."""

    held: Tensor
    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    @classmethod
    def of(cls, held: Tensor) -> "_FakeGpuTensor":
        """Make one with the numbers of `held`, which stay the same where either is written into."""
        made: _FakeGpuTensor = Tensor._make_wrapper_subclass(
            cls,
            held.shape,
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            layout=held.layout,
            device=REAL_DEVICE,
        )
        made.held = held
        return made

    def new_tensor(self, *data: Any, **kwargs: Any) -> Tensor:
        """Do what torch's own does, which would leave out the numbers."""
        return _from_numbers(self.held.new_tensor, *data, **{"device": REAL_DEVICE} | kwargs)

    def new(self, *data: Any) -> Tensor:  # type: ignore[override]
        """Do what torch's own does, which would leave out the numbers."""
        return self.held.new(*map(_numbers, data)).to(REAL_DEVICE)

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return _perform(func, args, kwargs or {})


class _Placing(DispatchMode):  # type: ignore[no-untyped-call]
    """Sees tensors made from nothing, where no argument brings `_Placed` in."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return _perform(func, args, kwargs or {})


class _Disguise(TorchFunctionMode):
    """Tells the shown device where code asks, and takes it for the hidden one where code names it.

    Where code wants the numbers themselves, it gets what a GPU would give.
    """

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func is Tensor.cuda:
            return args[0].to(REAL_DEVICE)
        if args and isinstance(args[0], _FakeGpuTensor):
            if func is Tensor.tolist:
                return args[0].held.tolist()
            if func in (Tensor.numpy, Tensor.__array__):
                raise Clash(f"a tensor on {CLAIMED_DEVICE} was asked for as an array of NumPy")
            if func in ANSWERS:
                return ANSWERS[func]
            if func in (Tensor.new_tensor, Tensor.new):  # by this name, past those of `_Placed`
                return getattr(args[0], func.__name__)(*args[1:], **kwargs or {})
            if func in INDEXING:
                args = (args[0], _index(args[1]), *args[2:])
        given = {name: _hidden(value) for name, value in (kwargs or {}).items()}
        if func in FROM_NUMBERS.values():
            return _from_numbers(func, *args, **given)
        result = func(*map(_hidden, args), **given)
        return CLAIMED_DEVICE if func == DEVICE and result == REAL_DEVICE else result


def _hidden(value: Any) -> Any:
    """Return the device to use where `value` names the shown one; anything else as it is."""
    if isinstance(value, torch.device):
        return REAL_DEVICE if value.type == CLAIMED_DEVICE.type else value
    return REAL_DEVICE if isinstance(value, str) and value in ("cuda", "cuda:0") else value


def _index(index: Any) -> Any:
    """Lists of numbers as tensors on the CPU, which torch would put on `meta`: without numbers."""
    if isinstance(index, tuple):
        return tuple(_positions(part) for part in index)
    numbers = isinstance(index, list) and all(isinstance(part, int) for part in index)
    return _positions(index) if numbers else index  # another list is as good as a tuple


def _positions(part: Any) -> Any:
    numbers = tree_leaves(part) if isinstance(part, list) else [None]
    if not all(isinstance(one, int) or _is_number(one) for one in numbers):
        return part
    return torch.tensor(part, dtype=None if numbers else torch.long, device=CPU)


def _is_number(value: Any) -> bool:
    return isinstance(value, Tensor) and not value.dim()


def _numbers(data: Any) -> Any:
    """Return the same lists, in which each tensor on the GPU is where its number can be read."""
    if type(data) in (list, tuple):  # a torch.Size is no data
        return type(data)(map(_numbers, data))
    return data.held if isinstance(data, _FakeGpuTensor) and not data.dim() else data


def _perform(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Carry an operation out on the CPU; what comes of it is where the GPU would have it."""
    name, writes = _about(func)
    device = kwargs.get("device")
    tensors = [*_tensors(args), *_tensors(kwargs.values())]
    tensors = tensors[:1] if name in COPIES else tensors
    there = [tensor for tensor in tensors if isinstance(tensor, _FakeGpuTensor)]
    into = kwargs.get("out", args[0] if args else None) if writes else None
    if there and name not in MOVES:
        indexed = name in TAKES and isinstance(args[0], _FakeGpuTensor)
        _refuse_mixture(name, [*_tensors(args[2:])] if indexed else tensors, into)
    if device == REAL_DEVICE:
        kwargs = {**kwargs, "device": CPU}
    result = func(*map(_held, args), **{key: _held(value) for key, value in kwargs.items()})
    if writes:
        return _written(func, args, kwargs, into, result)
    moved = device is not None
    return _place(result) if (device == REAL_DEVICE if moved else bool(there)) else result


def _written(func: Any, args: Any, kwargs: dict[str, Any], into: Any, result: Any) -> Any:
    """Return what an operation does that writes into its first argument, or into `out`."""
    if torch.Tag.inplace_view in func.tags and isinstance(into, _FakeGpuTensor):
        with no_dispatch():  # the shape is written into, too
            func(*args, **kwargs)
    if isinstance(result, Tensor):
        return into
    given = [*_tensors(args), *_tensors(kwargs.values())]
    written = {id(one.held): one for one in given if isinstance(one, _FakeGpuTensor)}
    if not written:
        return result
    return tree_map(lambda leaf: written[id(leaf)] if id(leaf) in written else _place(leaf), result)


def _refuse_mixture(name: str, tensors: list[Tensor], into: Any) -> None:
    """Raise Clash where a GPU would refuse what is on the CPU, or to write `into` it."""
    elsewhere = [tensor for tensor in tensors if not isinstance(tensor, _FakeGpuTensor)]
    alone = name.strip("_") in NO_NUMBER
    if any(tensor.dim() or tensor is into or alone for tensor in elsewhere):
        raise Clash(f"{name}: expected all tensors on {CLAIMED_DEVICE}, but one is on the CPU")


@cache
def _about(func: Any) -> tuple[str, bool]:
    """Return the name of an operation, and whether it writes into what it is given."""
    return func.overloadpacket.__name__, func._schema.is_mutable


def _tensors(values: Iterable[Any]) -> Iterator[Tensor]:
    """Yield those among the arguments of an operation, which are at most in a list."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, list | tuple):
            yield from (part for part in value if isinstance(part, Tensor))


def _held(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_held(part) for part in value]
    return value.held if isinstance(value, _FakeGpuTensor) else value


def _place(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_place(part) for part in value]
    plain = isinstance(value, Tensor) and not isinstance(value, _FakeGpuTensor)
    return _FakeGpuTensor.of(_carried_out(value)) if plain else value


def _carried_out(value: Tensor) -> Tensor:
    """Return the numbers of a view that only says that they are conjugate or negative.

    `_Placed` would not say it, and at this depth torch's kernels do not ask.
    """
    if value.is_conj():
        value = value.conj().conj_physical()
    return value._neg_view().neg() if value.is_neg() else value
