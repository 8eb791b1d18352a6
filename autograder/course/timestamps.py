"""A date that somebody wrote: read whole, with its time zone, or not at all.

The forms that are read, and no other, since a date that is half understood costs points:

- the date as `2026-03-02`: four digits, two and two
- a space or `T`, then the time of 24 hours as `19:00`, `19:00:00` or `19:00:00.123456`
- the zone as `UTC`, `GMT`, `Z`, or the difference to it as `+0200`, `+02:00` or `+02`; a space may
  stand before it

The exchange of nbgrader writes `2026-03-02 19:00:00.123456 UTC`. Other names of zones are not read:
CST, IST or BST is several. Nor is what no calendar or clock has, such as 29 February 2026 or 24:00,
nor a year that no course is in.
"""

import re
from datetime import UTC, datetime

WHOLE = "a date, a time and a time zone"
EXAMPLES = "2026-03-02 19:00 UTC or 2026-03-02 19:00 +0200"
YEARS = range(2000, 2100)
LONGEST = 100  # characters
FORM = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)(?: +|T)(?P<time>([01]\d|2[0-3]):\d\d(:\d\d(\.\d{1,9})?)?) *"
    r"(?P<zone>UTC|GMT|Z|(?P<hours>[+-](0\d|1[0-4])):?(?P<minutes>[0-5]\d)?)",
    re.ASCII | re.IGNORECASE,
)


def moment(text: str) -> datetime | None:
    """What the text says, in UTC and without a zone, as a gradebook has it; None if not whole."""
    found = FORM.fullmatch(text.strip()) if len(text) <= LONGEST else None
    if found is None:
        return None
    zone = f"{found['hours']}:{found['minutes'] or '00'}" if found["hours"] else "+00:00"
    try:
        when = datetime.fromisoformat(f"{found['date']}T{found['time']}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return when.replace(tzinfo=None) if when.year in YEARS else None


def in_words(when: datetime) -> str:
    """Such as "Monday, 2 March 2026, 17:00:30 UTC"; seconds only where there are some."""
    seconds = ":%S" if when.second else ""
    return f"{when:%A}, {when.day} {when:%B %Y, %H:%M{seconds}} UTC"
