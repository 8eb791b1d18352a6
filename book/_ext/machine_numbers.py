"""Three tokens on their way through the machine, for the table that stands where no script runs.

book/machine/run.js computes the same from the same inputs; a test compares both with torch.
"""

from typing import Any

import numpy as np

HEADS = 2
MATRIX = 2  # axes

INPUTS: dict[str, Any] = {
    "x": [[1, 1, 0, 2]],  # [queries, d_model]
    "memory": [[2, 0, 1], [0, 2, 1], [1, 2, 2]],  # [keys, d_memory]
    "mask": [True, True, False],  # [keys]: the third token is padding
    "W_q": [[1, -1, 0, -1], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 0, 1]],  # [d_model, d_model]
    "W_k": [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1]],  # [d_memory, d_model]
    "W_v": [[1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 1, 0]],
    "W_o": [[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0.5, 1, 0], [-1, 0, 0, 1]],  # [d_model, d_model]
}

Array = np.ndarray
Rows = list[tuple[str, str, str]]

CAPTION = (
    "Three tokens in memory, the third of them padding, and one token that asks. The numbers at "
    "each station of the machine, with two heads and $d_k = 2$. A point separates the tokens."
)


def through() -> dict[str, Array]:
    """What leaves each station; from the query to the weighted sum, the first axis is the heads."""
    x, memory, mask = (np.array(INPUTS[name]) for name in ("x", "memory", "mask"))
    query, key, value = (
        _split(tokens @ np.array(INPUTS[name]))  # [heads, tokens, d_k]
        for tokens, name in ((x, "W_q"), (memory, "W_k"), (memory, "W_v"))
    )
    scores = query @ key.swapaxes(1, 2)  # [heads, queries, keys]
    root = scores / key.shape[-1] ** 0.5
    masked = np.where(mask, root, -np.inf)
    powers = np.exp(masked - masked.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    average = weights @ value  # [heads, queries, d_k]
    merge = average.swapaxes(0, 1).reshape(len(x), -1)  # [queries, d_model]
    output = merge @ np.array(INPUTS["W_o"])
    found = {"query": query, "key": key, "value": value, "scores": scores, "root": root}
    found |= {"mask": masked, "weights": weights, "weighted sum": average}
    return {"memory": memory, "state": x, **found, "merge": merge, "output": output}


def rows() -> Rows:
    """For each station and head, a group of numbers for each token."""
    shown: Rows = [("station", "head", "numbers")]
    for station, found in through().items():
        by_key = station in {"scores", "root", "mask", "weights"}  # [heads, queries, keys]
        heads = found.swapaxes(1, 2) if by_key else found if found.ndim > MATRIX else [found]
        for head, tokens in enumerate(heads, start=1):
            of = str(head) if len(heads) > 1 else "both" if station == "merge" else ""
            shown.append((station, of, " · ".join(", ".join(map(text, one)) for one in tokens)))
    return shown


def text(number: float) -> str:
    """As the script writes it: whole numbers as they are, others with two digits."""
    if np.isinf(number):
        return "\N{MINUS SIGN}∞"
    return f"{number:{'.0f' if number == int(number) else '.2f'}}".replace("-", "\N{MINUS SIGN}")


def _split(tokens: Array) -> Array:
    """[tokens, d_model] as [heads, tokens, d_k]."""
    return tokens.reshape(len(tokens), HEADS, -1).swapaxes(0, 1)
