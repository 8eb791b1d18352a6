"""Lines that only IPython understands (%timeit, !ls, name?): they do nothing here."""

import re

MAGIC = re.compile(r"^([ \t]*)(?:[%!].*|[\w.]+\?{1,2}[ \t]*)$", re.MULTILINE)


def without_magics(source: str) -> str:
    """The text with `pass` for each such line, so that all others keep their number."""
    return MAGIC.sub(r"\1pass", source)
