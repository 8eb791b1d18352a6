"""Ends the process while its cell is run.

verdict: crashed
"""

# %% normalise
import os

os._exit(0)
