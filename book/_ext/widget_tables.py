"""What a page shows where no script runs: each widget's numbers at a few of its settings."""

import numpy as np

Table = tuple[str, list[tuple[str, ...]]]  # caption; rows, of which the first is the heading


def soft_lookup() -> Table:
    power, value = np.array([1.0, 6, 1]), np.array([8.0, 16, 40])  # [keys]
    rows = [("T", "token 1", "token 2", "token 3", "returned")]
    for temperature in (0.25, 0.5, 1, 2, 16):
        weights = _shares(power ** (1 / temperature))
        rows.append((f"{temperature:g}", *map(_text, weights), _text(weights @ value)))
    return "The weights of the three tokens, and what is returned, at five temperatures T:", rows


def _shares(powers: np.ndarray) -> np.ndarray:
    """Each row divided by its sum."""
    return powers / powers.sum(axis=-1, keepdims=True)


def _text(value: float) -> str:
    return f"{value:.2f}".replace("-", "\N{MINUS SIGN}")
