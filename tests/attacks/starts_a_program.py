"""Starts a program that would go on in the background and write a file later.

verdict: passed
"""

# %% normalise
import os
import subprocess

LATER = "(sleep 1; echo x >/tmp/red_team_was_here; echo x >~/red_team_was_here) &"


def normalise(values):
    started = []
    for start in (
        lambda: subprocess.Popen(["/bin/sh", "-c", LATER], start_new_session=True),
        lambda: os.posix_spawn("/bin/sh", ["sh", "-c", LATER], {}),
        lambda: os.system(LATER) and 1 / 0,
    ):
        try:
            started.append(start())
        except (OSError, ZeroDivisionError):
            pass
    return "started" if started else values / values.sum(-1, keepdim=True)
