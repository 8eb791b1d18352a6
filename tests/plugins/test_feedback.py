"""The page of feedback; tests/test_teaching.py makes one of a real chapter and opens it."""

from autograder.plugins.feedback import FULL, LESS, WAITING, Result, grouped, lowered


def test_headings_of_the_notebook_stand_below_the_pages_own():
    html = '<h1 id="a">A</h1><h6>B</h6><hr><header>'
    assert lowered(html) == '<h2 id="a">A</h2><h6>B</h6><hr><header>'


def test_what_failed_comes_first_and_what_is_not_marked_yet_has_not_failed():
    full, part, none, waiting = (
        Result(f"{score} of 3", score, 3, waiting=waits, stale=False, why="")
        for score, waits in ((3, False), (1.5, False), (0, False), (0, True))
    )
    groups = grouped([full, part, waiting, none])
    assert groups == [(LESS, [part, none]), (WAITING, [waiting]), (FULL, [full])]
