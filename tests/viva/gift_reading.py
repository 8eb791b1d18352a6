"""A file of questions as Moodle reads it, by the rules of question/format/gift/format.php."""

import re
from dataclasses import dataclass

ESCAPED = {rf"\{sign}": f"&&{ord(sign):03};" for sign in ":#={}~"} | {r"\n": "&&010;"}


@dataclass(frozen=True)
class Read:
    category: str
    name: str
    text: str
    options: list[str]
    right: list[int]


def read(text):
    """The multiple-choice questions of a file; anything else fails."""
    category, found = "", []
    for part in re.split(r"\n\s*\n", text.strip()):
        lines = [" " if line.strip().startswith("//") else line for line in part.split("\n")]
        whole = hidden("\n".join(lines).strip())
        if whole.startswith("$CATEGORY:"):
            category = whole.removeprefix("$CATEGORY:").strip()
        else:
            found.append(question(category, whole))
    return found


def question(category, whole):
    assert whole.startswith("::")
    name, _, rest = whole[2:].partition("::")
    start, end = rest.index("{"), rest.index("}")
    assert rest.endswith("}") and end == len(rest) - 1
    answers = rest[start + 1 : end].strip()
    assert "~" in answers and "=" in answers
    options = [one.strip() for one in answers.replace("=", "~=").split("~") if one.strip()]
    right = [at for at, one in enumerate(options) if one.startswith("=")]
    assert not any("#" in one or one.startswith("%") for one in options)
    texts = [formatted(one.removeprefix("=")) for one in options]
    return Read(category, shown(name), formatted(rest[:start]), texts, right)


def formatted(text):
    if text.startswith("["):
        kind, _, text = text[1:].partition("]")
        assert kind == "html"
    return shown(text).strip()


def hidden(text):
    text = text.replace("\\\\", "&&092;")
    for escaped, held in ESCAPED.items():
        text = text.replace(escaped, held)
    return text.replace("&&092;", "\\")


def shown(text):
    return re.sub(r"&&(\d{3});", lambda found: chr(int(found[1])), text)
