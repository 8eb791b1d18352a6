"""Fails at a line that the grader quotes, with a quarter of a million characters in it.

verdict: raised
"""

# %% normalise
import linecache


def normalise(values):
    linecache.cache["<cell normalise>"] = (
        1,
        None,
        ["\x1b]0;" + "x" * 250_000] * 99,
        "<cell normalise>",
    )
    return 1 / 0
