"""What a function returned: as plain values, compared, and as a person reads them."""

import math

CLOSE = 1e-6  # relative to what is expected, or absolute below 1: many digits, any order of sums
LONGEST = 300  # characters of a value that are shown
FORMS = (".4g", ".8g", ".17g")  # of numbers; the first that shows the difference is used


class Other:
    """A value that is neither a number nor a list."""

    def __init__(self, value):
        self.kind = type(value).__name__
        self.text = "None" if value is None else f"<{self.kind}>"

    def __eq__(self, other):
        return isinstance(other, Other) and other.kind == self.kind

    __hash__ = None  # type: ignore[assignment]  # mypy knows no class without a hash


NOTHING = Other(None)


def plain(value, depth=8):
    """Numbers, and lists of them; a tuple counts as a list. What else there is becomes Other.

    Raises OverflowError for an integer that is too large to be compared.
    """
    if isinstance(value, bool | int | float):
        float(value)  # raises if the integer is too large to be compared
        return value
    if isinstance(value, list | tuple) and depth:
        return [plain(entry, depth - 1) for entry in value]
    return float(value) if hasattr(value, "__float__") else Other(value)


def difference(expected, actual, at=""):
    """A sentence about the first place where two plain values differ, or ""."""
    if actual == NOTHING != expected and not at:
        return "Your function returns nothing. Does it end with `return`?"
    if _kind(expected) != _kind(actual):
        return f"{_place(at)} is {_kind(actual)}, and should be {_kind(expected)}."
    if isinstance(expected, list):
        pairs = enumerate(zip(expected, actual, strict=True))
        found = (difference(*pair, f"{at}[{index}]") for index, pair in pairs)
        return next(filter(None, found), "")
    if isinstance(expected, Other) or close(expected, actual):
        return ""
    wanted, found = shown(expected, actual)
    return f"{_place(at)} is `{found}`, and should be `{wanted}`."


def _place(at):
    return f"Entry `{at}`" if at else "The result"


def close(expected, actual):
    """Whether two numbers are the same but for rounding."""
    if math.isnan(expected):
        return math.isnan(actual)
    return math.isclose(expected, actual, rel_tol=CLOSE, abs_tol=CLOSE)


def _kind(value):
    if isinstance(value, Other):
        return f"of the type `{value.kind}`"
    if not isinstance(value, list):
        return "a number"
    return f"a list of {len(value)}" if value else "an empty list"


def shown(*values):
    """The values with as few digits as tell them apart."""
    for form in FORMS:
        texts = [show(value, form) for value in values]
        if len(set(texts)) == len(texts):
            break
    return texts


def show(value, form=FORMS[0]):
    text = _text(value, form)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …"


def _text(value, form):
    if isinstance(value, list):
        return f"[{', '.join(_text(entry, form) for entry in value)}]"
    if isinstance(value, Other):
        return value.text
    return format(value, form) if isinstance(value, float) else str(value)
