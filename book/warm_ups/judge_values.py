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

    __hash__ = None


NOTHING = Other(None)


def plain(value, depth=8):
    """Numbers, and lists of them; a tuple counts as a list. What else there is becomes Other."""
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple) and depth:
        return [plain(entry, depth - 1) for entry in value]
    return float(value) if hasattr(value, "__float__") else Other(value)


def difference(expected, actual, at=""):
    """A sentence about the first place where two plain values differ, or ""."""
    what = f"Entry `{at}`" if at else "The result"
    if isinstance(expected, Other) or isinstance(actual, Other):
        if expected == actual:
            return ""
        if not at and actual == NOTHING:
            return "Your function returns nothing. Does it end with `return`?"
        return f"{what} is {_kind(actual)}, and should be {_kind(expected)}."
    if isinstance(expected, list) != isinstance(actual, list):
        return f"{what} is {_kind(actual)}, and should be {_kind(expected)}."
    if not isinstance(expected, list):
        return "" if close(expected, actual) else f"{what} {_are_not(expected, actual)}"
    if len(expected) != len(actual):
        return f"{what} is {_kind(actual)}, and should be {_kind(expected)}."
    pairs = enumerate(zip(expected, actual, strict=True))
    found = (difference(*pair, f"{at}[{index}]") for index, pair in pairs)
    return next(filter(None, found), "")


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


def _are_not(expected, actual):
    if math.isnan(actual):
        return "is not a number (`nan`)."
    return "is `{1}`, and should be `{0}`.".format(*shown(expected, actual))


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
