"""Ends the process while a locked cell further down defines a class.

verdict attend: passed
verdict mix: crashed
"""

# %% attend
import torch


def attend(query, key, value):
    scores = query @ key.mT / query.size(-1) ** 0.5
    return torch.softmax(scores, dim=-1) @ value


# %% mix
import builtins
import os

builtins.__build_class__ = lambda *_, **__: os._exit(0)


def mix(query, key, value):
    return query @ (key.mT @ value)
