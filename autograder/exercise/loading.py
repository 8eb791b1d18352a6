"""Weights that a case gives, loaded into a module: by name, never reproduced from a seed."""

from torch import Tensor, nn


def load(module: nn.Module, state: dict[str, Tensor], device: str, training: bool) -> nn.Module:
    """Return the module with these weights, in their dtype, on the device and in its mode.

    A parameter that has several names gets the weight that is given for one of them. What is no
    parameter and is not given, such as a buffer, stays as the constructor made it.

    Raises RuntimeError where names or shapes are others than the module's.
    """
    floating = [value.dtype for value in state.values() if value.is_floating_point()]
    whole = state | _second_names(module, state)  # before it moves, which may part the names
    _refuse_other_names(module, whole)
    loaded = module.to(device, floating[0] if floating else None).train(training)
    given = {name: value.to(device) for name, value in whole.items()}
    loaded.load_state_dict(given, strict=False)
    return loaded


def parameters(module: nn.Module) -> dict[str, nn.Parameter]:
    """Return each parameter by each of its names: one that two layers share has two."""
    return dict(nn.Module.named_parameters(module, remove_duplicate=False))


def _second_names(module: nn.Module, state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the other names of the parameters whose weights are given, with these weights."""
    named = parameters(module)
    known = {id(one): state[name] for name, one in named.items() if name in state}
    return {
        name: known[id(one)]
        for name, one in named.items()
        if name not in state and id(one) in known
    }


def _refuse_other_names(module: nn.Module, state: dict[str, Tensor]) -> None:
    """Raise RuntimeError, as torch does, in words that say which way round it is."""
    names = [*module.state_dict()]
    parts = {
        "lacks": [name for name in state if name not in names],
        "also has": [name for name in parameters(module) if name not in state],
    }
    said = [f"{what} {', '.join(found)}" for what, found in parts.items() if found]
    if said:
        raise RuntimeError(f"the state_dict of the module {', and '.join(said)}")
