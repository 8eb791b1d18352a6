"""Lines and cells that only IPython understands: some do nothing here, some are not Python."""

import re

# IPython's own cell magics that give the text to a file, another process or the browser. One that
# somebody installed may well run it here, as %%time does.
ELSEWHERE = {
    "!", "HTML", "SVG", "bash", "cmd", "file", "html", "javascript", "js", "latex", "markdown",
    "perl", "pypy", "python", "python2", "python3", "ruby", "script", "sh", "svg", "sx", "system",
    "writefile",
}  # fmt: skip
CELL_MAGIC = re.compile(r"\s*%%(!|\S+)")
MAGIC = re.compile(r"^([ \t]*)(?:[%!?].*|[\w.]+\?{1,2}[ \t]*)$", re.MULTILINE)
TIMED = re.compile(r"^([ \t]*)%(?:time|prun)[ \t]+(?=\w)", re.MULTILINE)
ASSIGNED = re.compile(r"^([ \t]*\w[\w ,]*=[ \t]*)[%!].*$", re.MULTILINE)


def without_timing(source: str) -> str:
    """The text without the magics that run it here, or a line of it: %%time, or `%time f()`."""
    lines = TIMED.sub(r"\1", source).split("\n")
    for at, line in enumerate(lines):
        magic = CELL_MAGIC.match(line)
        if line.strip() and (not magic or magic[1] in ELSEWHERE):
            break
        lines[at] = ""
    return "\n".join(lines)


def without_magics(source: str) -> str:
    """The text with `pass` for each such line, so that all others keep their number."""
    return ASSIGNED.sub(r"\1None", MAGIC.sub(r"\1pass", source))


def sent_elsewhere(source: str) -> str:
    """The magic by which a cell is not run here as Python, such as %%bash; "" without one."""
    magic = CELL_MAGIC.match(source)
    return f"%%{magic[1]}" if magic and magic[1] in ELSEWHERE else ""
