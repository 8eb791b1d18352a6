"""Opens sockets of every family, connects, listens and asks for a name.

verdict: passed
"""

# %% normalise
import socket


def attempts():
    families = [getattr(socket, name) for name in dir(socket) if name.startswith("AF_")]
    for family in {*families, 38, 40}:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
            yield lambda family=family, kind=kind: socket.socket(family, kind)
    yield lambda: socket.create_connection(("127.0.0.1", 22), timeout=0.1)
    yield lambda: socket.getaddrinfo("example.org", 80)
    yield socket.socketpair


def normalise(values):
    opened = []
    for attempt in attempts():
        try:
            opened.append(attempt())
        except (OSError, ValueError):
            pass
    return str(opened) if opened else values / values.sum(-1, keepdim=True)
