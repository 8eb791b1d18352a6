"""The reader's code: read it, call it, and tell what happened at which of its own lines."""

import copy
import io
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from judge_values import difference, plain

YOURS = "<your code>"
PRINTED = 2000  # characters that are kept of what was printed
MESSAGE = 300  # characters of an exception's text


class Code:
    """The reader's source, read: the names it defines, what it printed, its failure or None."""

    def __init__(self, source):
        self.names, self.failure = {"__name__": "__main__"}, None
        with captured() as printed:
            try:
                exec(compile(source, YOURS, "exec"), self.names)
            except (Exception, SystemExit) as error:
                self.failure = Failure(error)
        self.printed = printed.text


class Seen:
    """What one call did: its value or its failure, what it printed, if it changed its inputs."""

    def __init__(self, function, arguments):
        given = copy.deepcopy(arguments)
        self.value = self.failure = None
        with captured() as printed:
            try:
                self.value = plain(function(*given))
            except (Exception, SystemExit) as error:
                self.failure = Failure(error)
        self.printed, self.changed = printed.text, given != arguments

    def same(self, other):
        """Whether two calls cannot be told apart."""
        if self.failure or other.failure:
            kinds = [seen.failure and seen.failure.kind for seen in (self, other)]
            return kinds[0] == kinds[1]
        return self.changed == other.changed and not difference(self.value, other.value)


class Failure:
    """An exception; `line` is the last of the reader's own lines that it passed, or 0."""

    def __init__(self, error):
        self.kind, self.line = type(error).__name__, _line(error)
        self.sentence = _sentence(error)


def _line(error):
    if isinstance(error, SyntaxError) and error.filename == YOURS:
        return error.lineno or 0
    line, at = 0, error.__traceback__
    while at:
        line = at.tb_lineno if at.tb_frame.f_code.co_filename == YOURS else line
        at = at.tb_next
    return line


def _sentence(error):
    if isinstance(error, ModuleNotFoundError):
        return f"There is no `{error.name}` here: this is an exercise in plain Python."
    if isinstance(error, SyntaxError):
        return f"Python cannot read this: {error.msg}."
    try:
        text = " ".join(str(error).split())[:MESSAGE]
    except Exception:
        text = ""  # an exception of the reader's own that cannot even be shown
    kind = type(error).__name__
    return f"{kind}: {text}".rstrip(".") + "." if text else f"{kind}."


@contextmanager
def captured():
    """What is printed meanwhile."""
    printed = Printed()
    with redirect_stdout(printed), redirect_stderr(printed):
        yield printed


class Printed(io.TextIOBase):
    """The beginning of what was printed."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text[: PRINTED - len(self.text)]
        return len(text)
