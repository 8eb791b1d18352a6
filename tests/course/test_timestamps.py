"""Dates are read whole, with their time zone, or not at all."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autograder.course.dates import EXAMPLES, in_words, moment

WHOLE = {
    "2026-03-02 19:00:00.123456 UTC": datetime(2026, 3, 2, 19, 0, 0, 123456),  # nbgrader's own
    "2026-03-02 19:00:00 UTC": datetime(2026, 3, 2, 19),
    "2026-03-02 19:00 UTC": datetime(2026, 3, 2, 19),
    "2026-03-02 19:00 utc\n": datetime(2026, 3, 2, 19),
    "2026-03-02T19:00Z": datetime(2026, 3, 2, 19),
    "2026-03-02T19:00:00.5Z": datetime(2026, 3, 2, 19, 0, 0, 500000),
    "2026-03-02 19:00 GMT": datetime(2026, 3, 2, 19),
    "2026-03-02 19:00 +0200": datetime(2026, 3, 2, 17),
    "2026-03-02 19:00+02:00": datetime(2026, 3, 2, 17),
    "2026-03-02T19:00 +0200": datetime(2026, 3, 2, 17),  # formgrader's due date
    "2026-03-02 19:00 +02": datetime(2026, 3, 2, 17),
    "2026-03-02 19:00 -0330": datetime(2026, 3, 2, 22, 30),
    "2026-03-02 19:00 +0545": datetime(2026, 3, 2, 13, 15),
    "2026-03-02 19:00 +0000": datetime(2026, 3, 2, 19),
    "2026-03-02 00:30 +0200": datetime(2026, 3, 1, 22, 30),
    "2028-02-29 23:59:59 UTC": datetime(2028, 2, 29, 23, 59, 59),
}
NOT_WHOLE = [
    "", " ", "UTC", "19:00 UTC", "2026-03-02", "2026-03-02 UTC", "2026-03-02 19 UTC", "no date",
    "tomorrow", "1772478000",
    "2026-03-02 19:00", "2026-03-02 19:00:00", "2026-03-02T19:00:00.000000",  # no zone
    "2026-03-02 19:00 CEST", "2026-03-02 14:00 PST", "2026-03-02 14:00 EST", "2026-03-02 14:00 CST",
    "2026-03-02 14:00 IST", "2026-03-02 14:00 BST", "2026-03-02 14:00 MSK", "2026-03-02 19:00 TZ",
    "2026-03-02 19:00 Europe/Berlin", "2026-03-02 19:00 local", "2026-03-02 19:00 UTC+2",
    "2026-03-02 19:00 GMT+0200", "2026-03-02 19:00 +2", "2026-03-02 19:00 200",
    "2026-03-02 19:00 +2400", "2026-03-02 19:00 +0260", "2026-03-02 19:00 +02000",
    "2026-03-02 19:00 UTC +0200", "2026-03-02 19:00 (UTC)", "2026-03-02 19:00 UTC?",
    "2026-03-02 11:59 PM", "2026-03-02 11:59 PM UTC", "2026-03-02 11:59PM UTC",
    "02.03.2026 19:00 UTC", "02/03/2026 19:00 UTC", "03-02-2026 19:00 UTC", "2026/03/02 19:00 UTC",
    "26-03-02 19:00 UTC", "2 March 2026 19:00 UTC", "Mon Mar 2 19:00:00 2026 +0200",
    "2026-03-02-19-00-00", "20260303T1730Z", "2026-W10-1 19:00 UTC", "2026-061 19:00 UTC",
    "2026-03-02 24:00 UTC", "2026-03-02 24:00:00Z", "2026-03-02 19:60 UTC", "2026-03-02 25:00 UTC",
    "2026-03-02 23:59:60 UTC", "2026-02-29 12:00 UTC", "2100-02-29 12:00 UTC",
    "2026-02-30 12:00 UTC", "2026-04-31 12:00 UTC", "2026-13-01 12:00 UTC", "2026-00-10 12:00 UTC",
    "2026-03-00 12:00 UTC", "0000-01-01 00:00 UTC", "0001-01-01 00:00 +0200",
    "1970-01-01 00:00 UTC", "9999-12-31 23:59 -0500", "2206-03-02 19:00 UTC",
    "20260-03-02 19:00 UTC", "\u0662026-03-02 19:00 UTC", "\uff12026-03-02 19:00 UTC",
    "2026-03-02 19:00 UTC\0",
    "2026\u201303\u201302 19:00 UTC", "2026-03-02 19:00 \u22120200",
    "2026-03-02 19:00 UTC\n2026-03-01 19:00 UTC", "due 2026-03-02 19:00 UTC",
    "2026-03-02 19:00 UTC or later", "2026-03-02 19:00 UTC" + " " * 100, "9" * 10**6,
]  # fmt: skip


@pytest.mark.parametrize(("text", "when"), WHOLE.items(), ids=WHOLE)
def test_a_date_with_its_time_and_zone_is_read_to_the_microsecond(text, when):
    assert moment(text) == when


@pytest.mark.parametrize("text", NOT_WHOLE, ids=lambda text: ascii(text)[:40])
def test_a_date_that_is_not_whole_or_that_does_not_exist_is_not_read_and_none_is_moved(text):
    assert moment(text) is None


@given(st.text("0123456789\u0663\u00b3-+:. TZUTCGMTutcPM/\n", max_size=40) | st.text(max_size=120))
@example("0001-01-01 00:00 +1400")
@example("9999-12-31 23:59:59.999999999 -1400")
def test_no_text_ends_in_an_error_and_what_is_read_has_no_zone_any_more(text):
    when = moment(text)
    assert when is None or (when.tzinfo is None and 2000 <= when.year < 2100)


ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(datetime(2001, 1, 1), datetime(2098, 12, 31), timezones=ZONES))
def test_what_python_writes_of_any_moment_is_read_as_that_moment(when):
    expected = when.replace(tzinfo=None) - when.utcoffset()
    assert moment(f"{when:%Y-%m-%d %H:%M:%S.%f %z}") == expected
    assert moment(when.isoformat()) == expected


def test_the_examples_that_people_are_shown_can_be_read():
    assert [moment(text) for text in EXAMPLES.split(" or ")] == [
        datetime(2026, 3, 2, 19), datetime(2026, 3, 2, 17)
    ]  # fmt: skip


def test_a_date_in_words_has_its_weekday_and_no_seconds_that_are_zero():
    assert in_words(datetime(2026, 3, 2, 17)) == "Monday, 2 March 2026, 17:00 UTC"
    assert in_words(datetime(2026, 3, 2, 17, 0, 5)) == "Monday, 2 March 2026, 17:00:05 UTC"
