"""Run a command as Docker's default profile would: `python docker_like.py COMMAND…`, as root.

No user namespace, no mount, and of root's capabilities those that Docker leaves:
https://docs.docker.com/engine/security/seccomp/ and
https://docs.docker.com/engine/containers/run/#runtime-privilege-and-linux-capabilities
"""

import ctypes
import errno
import os
import sys

ALLOW = 0x7FFF0000
REFUSE, UNKNOWN = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
MASKED_EQUAL = 7
NAMESPACES = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
REFUSED = ("mount", "umount2", "pivot_root", "setns", "unshare", "bpf", "keyctl", "add_key")
KEPT = (
    "audit_write chown dac_override fowner fsetid kill mknod net_bind_service net_raw setfcap "
    "setgid setpcap setuid sys_chroot"
)


class Comparison(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("how", ctypes.c_int), ("value", ctypes.c_uint64),
                ("masked", ctypes.c_uint64)]  # fmt: skip


def refuse_namespaces():
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(ALLOW))

    def rule(action, name, *only):
        number = library.seccomp_syscall_resolve_name(name.encode())
        comparisons = (Comparison * len(only))(*only)
        action = ctypes.c_uint32(action)
        assert library.seccomp_rule_add_array(context, action, number, len(only), comparisons) == 0

    for name in REFUSED:
        rule(REFUSE, name)
    rule(UNKNOWN, "clone3")  # so that the C library uses clone, whose flags can be looked at
    for flag in NAMESPACES:
        rule(REFUSE, "clone", Comparison(0, MASKED_EQUAL, flag, flag))
    assert library.seccomp_load(context) == 0


if __name__ == "__main__":
    refuse_namespaces()
    kept = ",".join(f"+{name}" for name in KEPT.split())
    os.execvp("setpriv", ["setpriv", "--bounding-set", f"-all,{kept}", *sys.argv[1:]])
