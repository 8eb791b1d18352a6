"""Roles of a page become plain words: a number as the page shows it, who wrote what is cited."""

import functools
import re
from collections.abc import Callable
from typing import Any

from measured_numbers import BOOK, IN_ALT, lookup
from pybtex.database import Person, parse_file

ROLE = re.compile(r"\{([a-z:-]+)\}`([^`]+)`")
TITLED = re.compile(r"(.*?)\s*<([^<>]*)>", re.DOTALL)
LABEL = re.compile(r"\(([\w-]+)\)=")
LABELLED = re.compile(rf"^{LABEL.pattern}\n#+ (.*)$", re.MULTILINE)
TITLE = re.compile(r"^# (.*)$", re.MULTILINE)


def in_words(text: str) -> str:
    """The text without roles. Raises ValueError for a role that has no plain text."""
    text = IN_ALT.sub(lambda hit: lookup(f"{hit[1]}:{hit[2]}"), text)
    return ROLE.sub(_said, text)


def _said(found: re.Match[str]) -> str:
    role, content = found.groups()
    if role not in ROLES:
        raise ValueError(f"the role {found[0]} has no plain text: name it in plain_roles.py")
    return ROLES[role](content)


def _titled(otherwise: Callable[[str], str], content: str) -> str:
    """The words before `<target>`; without one, what the target is called otherwise."""
    found = TITLED.fullmatch(content)
    return found[1] if found else otherwise(content)


def _page(name: str) -> str:
    """The title of a page."""
    found = TITLE.search((BOOK / f"{name}.md").read_text())
    assert found, f"{name} has no title"
    return found[1]


def _section(label: str) -> str:
    """The title of the section with a label. Raises KeyError if there is none."""
    return _sections()[label]


@functools.cache
def _sections() -> dict[str, str]:
    pages = sorted(BOOK.glob("*.md"))
    return {label: title for page in pages for label, title in LABELLED.findall(page.read_text())}


def _figure(name: str) -> str:
    """A figure by its name, since its number is known only when the whole book is built."""
    return f"figure “{name.removeprefix('fig-')}”"


def _cited(keys: str) -> str:
    """(Author and Author, 2015; Author et al., 2017)."""
    works = (_work(key) for key in keys.split(","))
    return f"({'; '.join(f'{authors}, {year}' for authors, year in works)})"


def _cited_in_text(keys: str) -> str:
    """Author et al. (2017)."""
    return " and ".join(f"{authors} ({year})" for authors, year in map(_work, keys.split(",")))


def _work(key: str) -> tuple[str, str]:
    """Authors and year of a work in references.bib."""
    entry = _library()[key.strip()]
    people = entry.persons.get("author") or entry.persons["editor"]
    names = [_family(person) for person in people]
    authors = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    return authors, entry.fields["year"]


def _family(person: Person) -> str:
    return " ".join(map(str, [*person.rich_prelast_names, *person.rich_last_names]))


@functools.cache
def _library() -> dict[str, Any]:
    return parse_file(BOOK / "references.bib").entries


ROLES: dict[str, Callable[[str], str]] = {
    "measured": lookup,
    "measured-spread": functools.partial(lookup, spread=True),
    "term": functools.partial(_titled, str),
    "part": functools.partial(_titled, str),
    "download": functools.partial(_titled, str),
    "doc": functools.partial(_titled, _page),
    "ref": functools.partial(_titled, _section),
    "numref": functools.partial(_titled, _figure),
    "eq": functools.partial(_titled, str),
    "cite": _cited,
    "cite:t": _cited_in_text,
}
