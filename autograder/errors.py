"""What a command says in one sentence, instead of a traceback."""


class CourseError(Exception):
    """Something the course needs is missing or wrong; the message says what, where, what to do."""


class SandboxUnavailable(RuntimeError):
    """Confinement cannot be had here; nothing was run."""
