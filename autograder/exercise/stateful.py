"""A call may change a model, an optimiser or a generator; here they are written down as data.

They are built afresh for each call. What they are after it is observed beside what was returned,
and is compared as that is.
"""

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import CodeType
from typing import Any

import torch
from torch import Tensor, nn

from autograder.common.fake_gpu import generator
from autograder.exercise.loading import load
from autograder.exercise.specimen import Specimen, namespace
from autograder.exercise.tensors import is_float, leaves

GLOBAL_SEED = 8_391_755  # of torch's own generator, before each call: none that anybody chooses
# What is said of an input after a call beside its tensors, by the name that it is observed under.
MODE, GLOBAL_GENERATOR_USED, DRAWN = "training", "drawn elsewhere", "drawn from"
# Observed in place of True where numbers were drawn, but not as they should be.
SEEDED = "seeded anew"
REPEATED, ASTRAY = "the same again", "other draws from the same state"
MODES = ("training", "evaluation", "training in parts")
GROUPS = "params"  # of an optimiser: an argument, and in each group the parameters
STEP = "step"  # of an optimiser's state: counted on the CPU, in the dtype that torch chooses
BuiltInputs = dict[str, Any]  # the inputs of a call, by name


class Stateful:
    """An input that a call may change."""

    def build(self, made: BuiltInputs, device: str) -> Any:
        """Return the object that the call is given. `made` has those of the other inputs."""
        raise NotImplementedError

    def after(self, built: Any, made: BuiltInputs, device: str) -> dict[str, Any]:
        """Describe it after the call, as tensors, numbers and texts by name."""
        raise NotImplementedError

    def tensors(self) -> list[Tensor]:
        """Return all tensors that it is made from."""
        return []

    def to(self, dtype: torch.dtype) -> "Stateful":
        """Return the same in another floating dtype."""
        return self

    @property
    def traits(self) -> Any:
        """Return what code may look at before it decides what to make."""
        return type(self)


@dataclass(frozen=True, eq=False)
class Model(Stateful):
    """An nn.Module by its source, which may use torch, nn, F and math, and its weights.

    source: the last class in it that is an nn.Module. construct: the arguments of its constructor.
    gradients: by parameter, what the call finds in `grad`. training: it is in training mode.
    leaves_gradients: the gradients that are there after the call are compared; none is as good
        as 0.
    Observed after the call: its state_dict, and whether it is in training mode.
    """

    source: str
    state: dict[str, Tensor]
    construct: dict[str, Any] = field(default_factory=dict)
    training: bool = True
    gradients: dict[str, Tensor] | None = None
    leaves_gradients: bool = False

    def compile(self) -> CodeType:
        """Return the source compiled. The result is kept: many submissions call it."""
        return self._code

    @cached_property
    def _code(self) -> CodeType:
        return compile(self.source, "<model>", "exec")

    def build(self, made: BuiltInputs, device: str) -> nn.Module:
        """Raise ValueError for a source without a module, and what torch raises for other misfits.

        The name of its class says nothing about what it does.
        """
        names = namespace()
        exec(self.compile(), names)
        kinds = [
            kind
            for kind in names.values()
            if isinstance(kind, type) and issubclass(kind, nn.Module)
        ]
        if not kinds:
            raise ValueError("the source of the model defines no nn.Module")
        kinds[-1].__name__ = kinds[-1].__qualname__ = "Model"
        model = load(kinds[-1](**self.construct), self.state, device, self.training)
        for name, gradient in (self.gradients or {}).items():
            model.get_parameter(name).grad = gradient.clone().to(device)
        return model

    def after(self, built: nn.Module, made: BuiltInputs, device: str) -> dict[str, Any]:
        # torch's own methods: an answer may have given this instance others
        modes = {module.training for module in nn.Module.modules(built)}
        mode = MODES[2] if len(modes) > 1 else MODES[0] if True in modes else MODES[1]
        seen = {MODE: mode, **nn.Module.state_dict(built)}
        if self.leaves_gradients:
            for name, parameter in nn.Module.named_parameters(built):
                found = parameter.grad
                seen[f"grad of {name}"] = torch.zeros_like(parameter) if found is None else found
        return seen

    def tensors(self) -> list[Tensor]:
        return [*self.state.values(), *(self.gradients or {}).values()]

    def to(self, dtype: torch.dtype) -> "Model":
        gradients = self.gradients and _cast(self.gradients, dtype)
        return replace(self, state=_cast(self.state, dtype), gradients=gradients)

    @property
    def traits(self) -> Any:
        return Model, self.training


@dataclass(frozen=True, eq=False)
class Optimizer(Stateful):
    """An optimiser of torch.optim, by the name of its class, of all parameters of a Model.

    of: the name of the input that is the Model; it is the one that the call is given.
    settings: arguments of its constructor. Where they have `params`, these are groups as torch
        takes them, with the names of parameters.
    state: what it holds of a parameter already, by the names of the parameter and of the entry:
        `{"weight": {"step": 3, "exp_avg": …}}`.
    Observed after the call: these settings, and its state for each parameter.
    """

    kind: str
    of: str
    settings: dict[str, Any]
    state: dict[str, dict[str, Any]] = field(default_factory=dict)

    def build(self, made: BuiltInputs, device: str) -> torch.optim.Optimizer:
        """Raise ValueError where there is no such class, model or parameter."""
        made_by = getattr(torch.optim, self.kind, None)
        if not isinstance(made_by, type) or not issubclass(made_by, torch.optim.Optimizer):
            raise ValueError(f"torch.optim has no optimiser {self.kind}")
        if not isinstance(made.get(self.of), nn.Module):
            raise ValueError(f"no input {self.of!r} is a Model")
        named = dict(nn.Module.named_parameters(made[self.of]))
        groups = self.settings.get(GROUPS, [{GROUPS: [*named]}])
        meant = [*self.state, *(name for group in groups for name in group[GROUPS])]
        if strange := [name for name in meant if name not in named]:
            raise ValueError(f"the model has no parameter {strange[0]!r}")
        found = [{**group, GROUPS: [named[name] for name in group[GROUPS]]} for group in groups]
        optimizer: torch.optim.Optimizer = made_by(**{**self.settings, GROUPS: found})
        for name, entries in self.state.items():
            optimizer.state[named[name]] = {
                key: torch.tensor(float(value)) if key == STEP else value.clone().to(device)
                for key, value in entries.items()
            }
        return optimizer

    def after(self, built: torch.optim.Optimizer, made: BuiltInputs, device: str) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        groups = zip(self.settings.get(GROUPS, [{}]), built.param_groups, strict=False)
        for number, (given, group) in enumerate(groups):
            of = f" of group {number}" if number else ""
            seen |= {name + of: group.get(name) for name in self.settings | given if name != GROUPS}
        for name, parameter in nn.Module.named_parameters(made[self.of]):
            for key, value in sorted(built.state.get(parameter, {}).items()):
                if value is not None:  # as older versions of SGD have it
                    seen[f"{key} of {name}"] = _number(value) if key == STEP else value
        return seen

    def tensors(self) -> list[Tensor]:
        held = (value for entries in self.state.values() for value in entries.values())
        return [value for value in held if isinstance(value, Tensor)]

    def to(self, dtype: torch.dtype) -> "Optimizer":
        return replace(self, state={name: _cast(held, dtype) for name, held in self.state.items()})

    @property
    def traits(self) -> Any:
        return Optimizer, self.kind


@dataclass(frozen=True)
class Generator(Stateful):
    """A torch.Generator.

    draws: a right answer has to draw from it. Where it need not, either is right.
    Observed after the call: whether torch's own generator was drawn from as well, which is wrong
    unless the right answer does, as where a model has dropout; and whether this one was, was not
    seeded anew, and, where so much is drawn that chance cannot repeat it, decides what is drawn.
    """

    seed: int
    draws: bool = True

    def build(self, made: BuiltInputs, device: str) -> torch.Generator:
        return generator(device).manual_seed(self.seed)

    def after(self, built: torch.Generator, made: BuiltInputs, device: str) -> dict[str, Any]:
        own = [torch.default_generator]
        if device == "cuda":
            own.append(torch.cuda.default_generators[torch.cuda.current_device()])
        elsewhere = any(_is_past(GLOBAL_SEED, one) for one in own)
        return {GLOBAL_GENERATOR_USED: elsewhere, DRAWN: not self.draws or self._drawn(built)}

    def _drawn(self, built: torch.Generator) -> bool | str:
        anew = torch.Generator.initial_seed(built) != self.seed
        return SEEDED if anew else _is_past(self.seed, built)


KINDS: dict[str, type[Stateful]] = {kind.__name__: kind for kind in (Model, Optimizer, Generator)}


def parts(value: Stateful) -> dict[str, Any]:
    """Return its fields by name, as what `wire.pack` accepts."""
    return {part.name: getattr(value, part.name) for part in fields(value)}  # type: ignore[arg-type]


def _cast(values: dict[str, Any], dtype: torch.dtype) -> dict[str, Any]:
    return {name: value.to(dtype) if is_float(value) else value for name, value in values.items()}


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, Tensor) else value


def _is_past(seed: int, one: torch.Generator) -> bool:
    """Tell whether a generator is no longer as it was with its seed."""
    fresh = torch.Generator(one.device).manual_seed(seed)
    return not torch.equal(fresh.get_state(), torch.Generator.get_state(one))


def build_inputs(inputs: dict[str, Any], device: str, placed: bool = False) -> BuiltInputs:
    """Build the inputs of one call. An optimiser is made last, of the model that the call is given.

    placed: something else says where the work belongs. Where nothing does, as where no input is a
    tensor, what a call may change is on the CPU.
    """
    there = device if placed or leaves(list(inputs.values())) else "cpu"
    made: BuiltInputs = {}
    for name, value in sorted(inputs.items(), key=lambda one: isinstance(one[1], Optimizer)):
        stateful = isinstance(value, Stateful)
        made[name] = value.build(made, there) if stateful else _prepared(value, device)
    return {name: made[name] for name in inputs}


def _prepared(value: Any, device: str) -> Any:
    """Return a private copy of an input, so that no call can spoil the next."""
    if isinstance(value, Specimen):
        return value.build()
    if isinstance(value, list | tuple):
        return type(value)(_prepared(item, device) for item in value)
    return value.detach().clone().to(device) if isinstance(value, Tensor) else value


def in_dtype(value: Any, dtype: torch.dtype) -> Any:
    """Return a value with its floating numbers in this dtype."""
    return value.to(dtype) if isinstance(value, Stateful) or is_float(value) else value
