"""Fork a child that can see and harm nothing: Linux namespaces and limits, per submission.

The warm worker is already inside bubblewrap. Each submission's child gets namespaces of its own
below that, so that nothing of one submission, not even a background process, reaches the next.
"""

import ctypes
import errno
import os
import platform
import re
import resource
import select
import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path

from autograder.confined import syscalls

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
NAMESPACES = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET
SYS_CLONE = {"x86_64": 56, "aarch64": 220}
SYS_CAPSET = {"x86_64": 126, "aarch64": 91}
WITH_GPU = NAMESPACES & ~CLONE_NEWPID  # in one of processes, below that of /proc, CUDA cannot start
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 2, 4, 8, 16384, 1 << 18
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
CAPABILITY_VERSION_3 = 0x20080522
MADV_COLLAPSE, HUGE_PAGE = 25, 2 * 2**20

SCRATCH = "/scratch"  # not /tmp: the environment that is mounted may lie there
SCRATCH_BYTES, SCRATCH_FILES = 64 * 2**20, 1000
LIMITS = {
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_NPROC: 1,  # for root it does not bind: seccomp does
    resource.RLIMIT_NOFILE: 64,
    resource.RLIMIT_FSIZE: 16 * 2**20,
}
GPU_LIMITS = {resource.RLIMIT_NPROC: 64, resource.RLIMIT_NOFILE: 256}  # threads, and devices

_libc = ctypes.PyDLL(None, use_errno=True)  # keeps the interpreter's lock across the fork


class ConfinementError(OSError):
    """A namespace, mount or limit was refused; no code of a learner's has run."""


@dataclass(frozen=True)
class Walls:
    """The walls that the worker puts around each submission.

    program: seccomp's, b"" for no walls at all. account: whose rights a submission has where there
    are no namespaces, 0 where there are. scratch: the folder that is the account's.
    namespaces: those that a submission gets.
    """

    program: bytes = b""
    account: int = 0
    scratch: str = SCRATCH
    namespaces: int = NAMESPACES

    def fork(self) -> int:
        """Like `os.fork`. Raises ConfinementError if there should be namespaces and are none."""
        apart = self.program and not self.account
        return fork_into_namespaces(self.namespaces) if apart else os.fork()

    def close(self) -> None:
        """In the child, before a learner's code. Raises OSError if the kernel refuses any step."""
        if self.account:
            become(self.account, self.scratch, self.program)
        elif self.program:
            enter(os.getuid(), os.getgid(), self.program)


def fork_into_namespaces(namespaces: int = NAMESPACES) -> int:
    """Like `os.fork`, but the child is the first process of its own namespaces.

    One clone with all flags is several milliseconds cheaper than `unshare` and a second fork.
    """
    ctypes.pythonapi.PyOS_BeforeFork()
    pid = _libc.syscall(SYS_CLONE[platform.machine()], namespaces | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
    else:
        ctypes.pythonapi.PyOS_AfterFork_Parent()
    if pid < 0:
        raise ConfinementError(ctypes.get_errno(), "clone with new namespaces was refused")
    return int(pid)


def enter(uid: int, gid: int, program: bytes) -> None:
    """In the child: map one user, take private scratch space, hide /proc, give up every privilege.

    Last of all, the seccomp `program` closes the system calls that made this possible.

    Raises ConfinementError if the kernel refuses any step.
    """
    _dumpable(True)  # else these files are root's, and only root's graders could write them
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        Path(f"/proc/self/{name}").write_text(text)
    _dumpable(False)
    _mount("none", "/", "", MS_REC | MS_PRIVATE)
    _empty(SCRATCH, SCRATCH_BYTES, SCRATCH_FILES)
    for hidden in ("/dev/shm", "/proc"):
        _empty(hidden, 4096, 1)
    os.chdir(SCRATCH)
    _drop_privileges()
    syscalls.install(program)


def become(account: int, scratch: str, program: bytes) -> None:
    """In the child, where there are no namespaces: go on as `account`, who owns `scratch` only.

    What is not open to everybody is closed to it: the trusted processes, which are root's, and
    their files. Then as in `enter`. Raises OSError if the kernel refuses any step.
    """
    parent = os.getppid()
    os.setgroups([])
    os.setresgid(account, account, account)
    os.setresuid(account, account, account)
    _check(_libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "die with the parent")
    if (
        os.getppid() != parent
    ):  # a change of account clears the signal, and the parent may be gone already
        raise ConfinementError(errno.ESRCH, "the worker has ended")
    os.chdir(scratch)
    os.environ.update(HOME=scratch, TMPDIR=scratch)
    tempfile.tempdir = None  # where the worker found it
    _drop_privileges()
    syscalls.install(program)


def limit(memory: int, seconds: int, gpu: bool = False) -> None:
    """Limit what this process may take. `memory` in bytes, on top of what it has now.

    seconds: of processor time.
    gpu: of memory that can be written. CUDA reserves addresses for all that the machine has.
    """
    pages = list(map(int, Path("/proc/self/statm").read_text().split()))
    kind, mapped = (resource.RLIMIT_DATA, pages[5]) if gpu else (resource.RLIMIT_AS, pages[0])
    limits = {**LIMITS, **(GPU_LIMITS if gpu else {})}
    limits[resource.RLIMIT_CPU] = seconds
    limits[kind] = mapped * resource.getpagesize() + memory
    for limited, most in limits.items():
        resource.setrlimit(limited, (most, most))


def die_with_parent(parent: int) -> None:
    """Let the kernel kill this process when the one that started it ends, however that ends.

    parent: a pidfd of that one, for it may have ended before this was asked for. Its number says
    nothing: seen from a new namespace it is 0. Raises ConfinementError if it is gone.
    """
    _check(_libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "die with the parent")
    if select.select([parent], [], [], 0)[0]:
        raise ConfinementError(errno.ESRCH, "the worker has ended")


def harden_worker() -> None:
    """In the warm worker: no child may read its memory or attach to it."""
    _dumpable(False)


def _dumpable(wanted: bool) -> None:
    _check(_libc.prctl(PR_SET_DUMPABLE, int(wanted), 0, 0, 0), "change who may read this process")


def collapse_memory() -> None:
    """Move this process's memory into huge pages, where the kernel can (Linux 6.1 and later).

    A fork copies one entry for each page: with huge pages, a fork and its end take 7 ms instead
    of 23. Where the kernel cannot, nothing changes.
    """
    _libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for line in Path("/proc/self/maps").read_text().splitlines():
        if area := re.match(r"(\w+)-(\w+) rw.. 00000000 ", line):
            start, end = (int(part, 16) for part in area.groups())
            for page in range(-(-start // HUGE_PAGE) * HUGE_PAGE, end - HUGE_PAGE + 1, HUGE_PAGE):
                _libc.madvise(page, HUGE_PAGE, MADV_COLLAPSE)


def _drop_privileges() -> None:
    _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "renounce new privileges")
    for capability in range(64):
        _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails past the last one, as it should
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    none = (ctypes.c_uint32 * 6)()
    _check(_libc.syscall(SYS_CAPSET[platform.machine()], header, none), "drop capabilities")


def _empty(folder: str, size: int, files: int) -> None:
    """Cover a folder with an empty one in memory, for so many bytes and files."""
    options = f"size={size},nr_inodes={files},mode=700"
    _mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options)


def _mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    result = _libc.mount(
        source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode()
    )
    _check(result, f"mount {kind or 'privately'} on {target}")


def _check(result: int, step: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise ConfinementError(code, f"could not {step}: {os.strerror(code)}")
