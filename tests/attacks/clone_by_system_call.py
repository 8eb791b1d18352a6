"""Calls clone, clone3 and vfork directly, past the C library, in every namespace there is.

verdict: passed
"""

# %% normalise
import ctypes
import os


def normalise(values):
    libc = ctypes.CDLL(None)
    flags = (0, 0x100, 0x10000000, 0x20000000, 0x7E020000)
    calls = [(56, flag | 17, 0, 0, 0, 0) for flag in flags]
    calls += [(435, (ctypes.c_uint64 * 11)(0, 0, 0, 0, 17), 88), (58,), (57,)]
    for call in calls:
        pid = libc.syscall(*call)
        if pid == 0:
            os._exit(0)
        if pid > 0:
            return "cloned"
    return values / values.sum(-1, keepdim=True)
