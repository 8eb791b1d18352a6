"""Show a card wherever the learner is: in a notebook, or in a terminal."""

import sys


def show(card: object) -> None:
    """Display the card where IPython runs, print it elsewhere."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and ipython.get_ipython() is not None:
        ipython.display.display(card)
    else:
        print(card)
