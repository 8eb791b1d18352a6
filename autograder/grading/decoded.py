"""What came out of JSON is looked at once, where it is read; after that its type is known."""

import math
from collections.abc import Callable
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints, is_typeddict

Check = Callable[[Any], bool]


@cache  # a journal has thousands of lines of one kind
def fits(kind: Any) -> Check:
    """Tells of a value that was JSON whether it is of a type as annotations write it.

    A float is finite. A TypedDict has what it requires, and may have what it does not know.
    """
    if is_typeddict(kind):
        return _with_fields(kind)
    inner = [fits(one) for one in get_args(kind)]
    if get_origin(kind) is list:
        return lambda value: isinstance(value, list) and all(map(inner[0], value))
    if get_origin(kind) is dict:
        return lambda value: isinstance(value, dict) and all(map(inner[1], value.values()))
    if inner:
        return lambda value: any(one(value) for one in inner)
    if kind is float:
        return lambda value: type(value) in (int, float) and abs(value) < math.inf
    return lambda value: isinstance(value, kind)


def _with_fields(kind: Any) -> Check:
    fields = {name: fits(part) for name, part in get_type_hints(kind).items()}
    required = kind.__required_keys__
    return lambda value: (
        isinstance(value, dict)
        and required <= value.keys()
        and all(fields[name](part) for name, part in value.items() if name in fields)
    )
