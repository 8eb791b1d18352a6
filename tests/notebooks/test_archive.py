"""What is taken of a student's archive, and what is refused before anything of it is written."""

import contextlib
import random
import tracemalloc

import pytest
from odd_archives import BAD, GOOD, HONEST, NAME, bzip2, nested, packed, patched

from autograder.notebooks.archive import ArchiveError, files_in
from autograder.notebooks.listing import SIZE_LIMIT


def taken(data):
    return files_in(data, [".ipynb"])


@pytest.mark.parametrize("kind", HONEST)
def test_the_notebooks_of_an_honest_archive_are_found_wherever_they_lie_in_it(kind):
    make, names = HONEST[kind]
    assert set(taken(make())) == names


@pytest.mark.parametrize("kind", BAD)
def test_an_archive_that_leads_out_lies_or_is_damaged_is_refused_with_the_reason(kind):
    make, reason = BAD[kind]
    with pytest.raises(ArchiveError) as refused:
        taken(make())
    assert reason in str(refused.value)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    "make", [*(BAD[kind][0] for kind in ("bomb", "nested bomb", "lying size", "bzip2")),
             lambda: patched(bzip2(), "unpacked", 9), HONEST["with data"][0]],
    ids=["bomb", "nested", "lying size", "bzip2", "lying bzip2", "not asked for"])  # fmt: skip
def test_three_hundred_megabytes_of_zeros_are_never_unpacked(make):
    data = make()
    tracemalloc.start()
    with contextlib.suppress(ArchiveError):
        taken(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < SIZE_LIMIT / 50


def test_whatever_becomes_of_its_bytes_an_archive_is_read_or_refused():
    rng = random.Random(0)
    whole = nested(1, packed([(NAME, "x" * 99), ("b.ipynb", "y"), ("c.txt", "z")]))
    for data in (GOOD, whole):
        for _ in range(2000):
            changed = bytearray(data)
            for _ in range(rng.randint(1, 4)):
                changed[rng.randrange(len(data))] = rng.randrange(256)
            with contextlib.suppress(ArchiveError):
                taken(bytes(changed))
