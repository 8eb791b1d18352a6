"""Which of a group's hand-ins counts: the newest, as far as that is known."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True)
class Work:
    """A hand-in. source: who handed it in, "" for a whole group. holder: whose folder it is in.

    when: in UTC, None where that is not known.
    """

    source: str
    holder: str
    folder: Path
    digest: str
    when: datetime | None


def newest(
    works: Iterable[Work], seen: Mapping[str, Collection[str]], counted: str | None
) -> Work | None:
    """Return the last by its date; where not all have one, what is new. None if that is not one.

    seen: the digests by holder that were there last time. counted: the one that counted then; it
    goes on if nothing is new. Of the same work twice the earlier date counts.
    """
    in_order = sorted(works, key=lambda one: (one.when or datetime.max, one.source, one.holder))
    different = [*{work.digest: work for work in reversed(in_order)}.values()]
    dates = [work.when for work in different if work.when]
    if len(different) == 1:
        return different[0]
    if len(dates) == len(different):
        last = [work for work in different if work.when == max(dates)]
    else:
        new = [work for work in different if work.digest not in seen.get(work.holder, ())]
        last = new or [work for work in different if work.digest == counted]
    return last[0] if len(last) == 1 else None
