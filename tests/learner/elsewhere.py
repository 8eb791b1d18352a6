"""A learner's Python as it is on Windows, as far as Linux can show that; a script.

    python -X warn_default_encoding elsewhere.py "status" "check NOTEBOOK"…

In the folder of a chapter: what is of Unix alone is taken away, then a learner checks, and gives
these commands to `attn`. Prints JSON: for each step what it printed, and how it ended.
"""

import contextlib
import importlib
import io
import json
import os
import platform
import select
import signal
import socket
import sys
import time
import warnings

import jupytext.myst  # noqa: F401  (libraries load here what they would not ask for on Windows)
import nbgrader.api  # noqa: F401
import rich.progress
import rich.table  # noqa: F401
import torch
from torch import nn  # noqa: F401  (the learner's cells use it)

# https://docs.python.org/3/library: what says "Availability: Unix" and anything like it.
MODULES = (
    "crypt", "fcntl", "grp", "nis", "ossaudiodev", "posix", "pty", "pwd", "resource", "spwd",
    "syslog", "termios", "tty", "_posixsubprocess",
)  # fmt: skip
NAMES = {
    os: """O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK chown chroot confstr fchmod fchown fork
        forkpty getegid geteuid getgid getgroups getloadavg getpgid getpgrp getpriority getresuid
        getsid getuid killpg lchown memfd_create mkfifo mknod nice openpty pidfd_open pipe2
        posix_fadvise posix_spawn pread pwrite register_at_fork sched_getaffinity
        sched_setaffinity sendfile setegid seteuid setgid setgroups setpgid setpriority setsid
        setuid statvfs sysconf uname wait wait3 wait4 waitid WEXITSTATUS WIFEXITED WIFSIGNALED
        WTERMSIG""",
    signal: """ITIMER_REAL SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGUSR1 SIGUSR2
        SIGXCPU alarm pause pidfd_send_signal pthread_kill pthread_sigmask setitimer siginterrupt
        sigpending sigtimedwait sigwait""",
    socket: "AF_UNIX recv_fds send_fds",
    select: "epoll poll",
    time: "clock_gettime pthread_getcpuclockid tzset",
}
RIGHT = "def normalise(values):\n    return values / values.sum(-1, keepdim=True)"
WRONG = RIGHT.replace("-1", "-2")


def hide():
    """From here on nothing finds what Windows has not; libraries keep what they loaded."""
    sys.modules.update(dict.fromkeys(MODULES))
    for module, names in NAMES.items():
        for name in names.split():
            delattr(module, name)
    platform.system = lambda: "Windows"
    platform.machine = lambda: "AMD64"
    warnings.filterwarnings("error", category=EncodingWarning, module="autograder")


def done(step):
    """What it printed, in a terminal's cp1252, and its result or the sentence that it raised."""
    printed = io.TextIOWrapper(io.BytesIO(), "cp1252", newline="")
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            ended = step()
        except SystemExit as end:
            ended = end.code
        except AssertionError as error:
            ended = f"{type(error).__name__}: {error}"
    printed.flush()
    return printed.buffer.getvalue().decode("cp1252"), ended


def checked(cell, *names):
    """As the notebook's cells do: the definition, then a check of it."""

    def step():
        namespace = {"torch": torch}
        exec("from autograder import check, status", namespace)
        exec(cell, namespace)
        for name in names:
            exec(name, namespace)

    return step


def commanded(*words):
    return lambda: importlib.import_module("autograder.cli").main([*words])


if __name__ == "__main__":
    hide()
    found = {
        "wrong": done(checked(WRONG, "check(normalise)")),
        "right": done(checked(RIGHT, "check(normalise)")),
        "status()": done(checked("", "status()")),
        **{line: done(commanded(*line.split())) for line in sys.argv[1:]},
    }
    print(json.dumps(found))
