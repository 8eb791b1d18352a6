"""The system calls that are left to a submission: a seccomp program, compiled by libseccomp.

A submission computes, reads libraries and writes scratch files, in one process with one thread.
Whatever else it asks of the kernel is refused with EPERM, which Python shows as an OSError.
"""

import ctypes
import errno
import fcntl
import os

from autograder.common.errors import SandboxUnavailable

ALLOW, KILL_PROCESS = 0x7FFF0000, 0x80000000
BAD_ARCHITECTURE, OPTIMISE = 2, 8  # attributes of a filter
BINARY_TREE = 2
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
UNKNOWN = -1

COMPUTE = """
    brk futex futex_waitv get_robust_list madvise mincore mlock mmap mprotect mremap msync munlock
    munmap rseq sched_getaffinity sched_yield set_robust_list set_tid_address getcpu arch_prctl
    membarrier
"""
# Nothing that changes a file's mode, times or owner: graded by root, a device node would be root's.
FILES = """
    access chdir close close_range copy_file_range dup dup2 dup3 epoll_create1 epoll_ctl epoll_pwait
    epoll_wait eventfd2 faccessat faccessat2 fadvise64 fchdir fdatasync fstat fstatfs fsync
    ftruncate getcwd getdents getdents64 lseek lstat mkdir mkdirat newfstatat open openat pipe pipe2
    poll ppoll pread64 preadv pselect6 pwrite64 pwritev read readlink readlinkat readv rename
    renameat renameat2 rmdir select sendfile stat statfs statx symlink symlinkat truncate umask
    unlink unlinkat write writev
"""
ITSELF = """
    alarm clock_getres clock_gettime clock_nanosleep exit exit_group getegid geteuid getgid
    getgroups getitimer getpgid getpgrp getpid getppid getpriority getrandom getresgid getresuid
    getrlimit getrusage getsid gettid gettimeofday getuid nanosleep pause restart_syscall
    rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait setitimer
    setrlimit sigaltstack sysinfo time times uname wait4 waitid
"""
# In a namespace of processes of its own. On a GPU it has none, and could end the worker.
SIGNALS = "kill tgkill tkill"
# What CUDA asks for beside that, once it was started: threads, and `ioctl` to its devices.
DRIVER = "get_mempolicy ioctl mbind set_mempolicy"
CLONE_THREAD = 0x00010000
# What the C library falls back from, if the answer is the one that an old kernel gives.
REFUSED_AS = {"clone3": errno.ENOSYS, "ioctl": errno.ENOTTY, "openat2": errno.ENOSYS}

# Of fcntl, what concerns a descriptor: no lease and no lock on a file that others share.
DESCRIPTOR_COMMANDS = (
    fcntl.F_DUPFD,
    fcntl.F_GETFD,
    fcntl.F_SETFD,
    fcntl.F_GETFL,
    fcntl.F_SETFL,
    fcntl.F_DUPFD_CLOEXEC,
)
EQUAL, MASKED_EQUAL = 4, 7  # how libseccomp compares an argument
NO_FILTER = (
    "Grading needs libseccomp to limit what submissions may ask of the kernel. Install it "
    "(Debian and Ubuntu: apt install libseccomp2)."
)


class _Comparison(ctypes.Structure):
    _fields_ = [
        ("argument", ctypes.c_uint),
        ("how", ctypes.c_int),
        ("value", ctypes.c_uint64),
        ("masked", ctypes.c_uint64),
    ]  # with a mask, `value` is the mask


class _Instruction(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint16),
        ("if_true", ctypes.c_uint8),
        ("if_false", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    ]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("filter", ctypes.POINTER(_Instruction))]


def require_filter(gpu: bool = False) -> None:
    """Raise SandboxUnavailable, with what to do, where no filter can be compiled."""
    try:
        compile_filter(gpu)
    except OSError as error:
        raise SandboxUnavailable(f"{NO_FILTER} ({error})") from None


def compile_filter(gpu: bool = False) -> bytes:
    """Return the program for this machine's architecture; a call by another one kills the process.

    gpu: leave also what CUDA needs. Raises OSError where libseccomp is missing or refuses.
    """
    library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(_refusal(errno.EPERM)))
    _agreed(library.seccomp_attr_set(context, BAD_ARCHITECTURE, ctypes.c_uint32(KILL_PROCESS)))
    _agreed(library.seccomp_attr_set(context, OPTIMISE, ctypes.c_uint32(BINARY_TREE)))
    allowed = f"{COMPUTE} {FILES} {ITSELF} {DRIVER if gpu else SIGNALS}".split()
    for name in allowed:
        _add(library, context, ALLOW, name)
    for name in REFUSED_AS.keys() - set(allowed):
        _add(library, context, _refusal(REFUSED_AS[name]), name)
    if gpu:  # threads of the same process, and no other
        thread = _Comparison(0, MASKED_EQUAL, CLONE_THREAD, CLONE_THREAD)
        _add(library, context, ALLOW, "clone", thread)
    _add(library, context, ALLOW, "prlimit64", _Comparison(0, EQUAL, 0))  # of this process only
    for command in DESCRIPTOR_COMMANDS:
        _add(library, context, ALLOW, "fcntl", _Comparison(1, EQUAL, command))
    program = _exported(library, context)
    library.seccomp_release(context)
    return program


def install(program: bytes) -> None:
    """Bind this process to `program` for good. Raises OSError if the kernel refuses."""
    instructions = (_Instruction * (len(program) // ctypes.sizeof(_Instruction))).from_buffer_copy(
        program
    )
    whole = _Program(len(instructions), instructions)
    libc = ctypes.CDLL(None, use_errno=True)
    _agreed(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(whole), 0, 0))


def _add(
    library: ctypes.CDLL, context: ctypes.c_void_p, action: int, name: str, *only: _Comparison
) -> None:
    number = library.seccomp_syscall_resolve_name(name.encode())
    if number > UNKNOWN:  # some exist on one architecture only
        only_if = (_Comparison * len(only))(*only)
        _agreed(
            library.seccomp_rule_add_array(
                context, ctypes.c_uint32(action), number, len(only), only_if
            )
        )


def _exported(library: ctypes.CDLL, context: ctypes.c_void_p) -> bytes:
    reading, writing = os.pipe()  # holds 64 KiB; the program has about 2
    try:
        _agreed(library.seccomp_export_bpf(context, writing))
        return os.read(reading, 1 << 16)
    finally:
        os.close(reading)
        os.close(writing)


def _refusal(code: int) -> int:
    return 0x00050000 | code


def _agreed(result: int) -> None:
    if result < 0:
        code = ctypes.get_errno() or -result
        raise OSError(code, f"seccomp: {os.strerror(code)}")
