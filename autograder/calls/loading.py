"""Weights that a case gives, loaded into a module: by name, never reproduced from a seed."""

from torch import Tensor, nn


def load(module: nn.Module, state: dict[str, Tensor], device: str, training: bool) -> nn.Module:
    """The module with these weights, in their dtype, on the device and in its mode.

    Raises RuntimeError where names or shapes are others than the module's.
    """
    floating = [value.dtype for value in state.values() if value.is_floating_point()]
    loaded = module.to(device, floating[0] if floating else None).train(training)
    _refuse_other_names(loaded, state)
    loaded.load_state_dict({name: value.to(device) for name, value in state.items()})
    return loaded


def _refuse_other_names(module: nn.Module, state: dict[str, Tensor]) -> None:
    """Raises RuntimeError, as torch does, in words that say which way round it is."""
    names = [*module.state_dict()]
    parts = {
        "lacks": [name for name in state if name not in names],
        "also has": [name for name in names if name not in state],
    }
    said = [f"{what} {', '.join(found)}" for what, found in parts.items() if found]
    if said:
        raise RuntimeError(f"the state_dict of the module {', and '.join(said)}")
