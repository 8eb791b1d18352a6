"""Ids of students that a person, a file system or Excel would take for one."""

import re
import unicodedata
from collections.abc import Callable, Collection


def alike(id_: str) -> str:
    """The same for ids that cannot be two students'."""
    return _levelled(id_, ("characters", "decimals", "capitals"))


def nearly(id_: str) -> str:
    """The same for ids of which one may be the other, written wrongly."""
    return _levelled(id_, LEVELLERS)


def difference(one: str, other: str) -> str:
    """What differs in two ids that are nearly the same, such as "capitals and blanks"."""
    kinds = [kind for kind in LEVELLERS
             if len({_levelled(id_, LEVELLERS.keys() - {kind}) for id_ in (one, other)}) > 1
             ] or ["characters"]  # fmt: skip
    letters = ", ".join(_unlike(one, other))
    return " and ".join(f"{kind} for {letters}" if kind == "characters" and letters else kind
                        for kind in kinds)  # fmt: skip


def as_written(number: str) -> str:
    """Before Excel made 1042.0 of 1042."""
    return re.sub(r"^(\d+)[.,]0+$", r"\1", number)


def _same_letters(id_: str) -> str:
    """One character for what looks the same (a Mac has two for an ë), and none for nothing."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", id_)
                   if unicodedata.category(sign) != "Cf")  # fmt: skip


def _unlike(one: str, other: str) -> list[str]:
    """The letters of an id that are written otherwise in the other one."""
    return sorted({sign for sign in unicodedata.normalize("NFC", one)
                   if sign.isalpha() and not sign.isascii() and not (sign in one and sign in other)
                   })  # fmt: skip


LEVELLERS: dict[str, Callable[[str], str]] = {
    "characters": _same_letters,
    "blanks": lambda id_: "".join(id_.split()),
    "decimals": as_written,
    "capitals": str.casefold,
    "zeros in front": lambda id_: id_.lstrip("0"),
}


def _levelled(id_: str, kinds: Collection[str]) -> str:
    """Without these kinds of difference."""
    for kind, level in LEVELLERS.items():
        id_ = level(id_) if kind in kinds else id_
    return id_
