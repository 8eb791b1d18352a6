"""The exceptions that a person reads as one sentence, instead of a traceback."""


class CourseError(Exception):
    """Something the course needs is missing or wrong; the message says what, where, what to do."""


class SandboxUnavailable(RuntimeError):
    """Confinement cannot be had here; nothing was run."""


class _OneLine(Exception):
    """In a notebook shown as one line, without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]


class CheckFailed(_OneLine, AssertionError):
    """The exercise is not solved yet; the card above says why."""

    __module__ = "autograder"  # where a learner imports it from; a traceback names it


class LibraryMissing(_OneLine, ImportError):
    """A library is not there, or too old; the message says which, and what to run."""

    __module__ = "autograder"  # where a learner imports it from; a traceback names it


class WireError(ValueError):
    """The bytes are not a value: too long, cut short, or not what the format says."""


class OtherFormat(WireError):
    """A file for another version of the engine; the message says what to install or download."""
