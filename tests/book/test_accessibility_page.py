"""The page on accessibility: each criterion once, and tests that exist."""

import re

import book_site
import pytest

PAGE = (book_site.ROOT / "book" / "accessibility.md").read_text()
CRITERIA = """\
1.1.1 Non-text Content, A
1.2.1 Audio-only and Video-only (Prerecorded), A
1.2.2 Captions (Prerecorded), A
1.2.3 Audio Description or Media Alternative (Prerecorded), A
1.2.4 Captions (Live), AA
1.2.5 Audio Description (Prerecorded), AA
1.3.1 Info and Relationships, A
1.3.2 Meaningful Sequence, A
1.3.3 Sensory Characteristics, A
1.3.4 Orientation, AA
1.3.5 Identify Input Purpose, AA
1.4.1 Use of Color, A
1.4.2 Audio Control, A
1.4.3 Contrast (Minimum), AA
1.4.4 Resize text, AA
1.4.5 Images of Text, AA
1.4.10 Reflow, AA
1.4.11 Non-text Contrast, AA
1.4.12 Text Spacing, AA
1.4.13 Content on Hover or Focus, AA
2.1.1 Keyboard, A
2.1.2 No Keyboard Trap, A
2.1.4 Character Key Shortcuts, A
2.2.1 Timing Adjustable, A
2.2.2 Pause, Stop, Hide, A
2.3.1 Three Flashes or Below Threshold, A
2.4.1 Bypass Blocks, A
2.4.2 Page Titled, A
2.4.3 Focus Order, A
2.4.4 Link Purpose (In Context), A
2.4.5 Multiple Ways, AA
2.4.6 Headings and Labels, AA
2.4.7 Focus Visible, AA
2.5.1 Pointer Gestures, A
2.5.2 Pointer Cancellation, A
2.5.3 Label in Name, A
2.5.4 Motion Actuation, A
3.1.1 Language of Page, A
3.1.2 Language of Parts, AA
3.2.1 On Focus, A
3.2.2 On Input, A
3.2.3 Consistent Navigation, AA
3.2.4 Consistent Identification, AA
3.3.1 Error Identification, A
3.3.2 Labels or Instructions, A
3.3.3 Error Suggestion, AA
3.3.4 Error Prevention (Legal, Financial, Data), AA
4.1.1 Parsing, A
4.1.2 Name, Role, Value, A
4.1.3 Status Messages, AA
""".splitlines()  # of levels A and AA: https://www.w3.org/TR/WCAG21/
COLUMNS = 5
ROW = re.compile(r"^\| (\d\.\d\.\d+ .*?) \|(.*)\|$", re.MULTILINE)
NAMED = re.compile(r"^\| `(\w+)` \| (.*?) \|", re.MULTILINE)
WORDS = {"made so", "nothing", "not checked", "**in part**"}
TESTS = dict(NAMED.findall(PAGE))


def cells(row):
    return [cell.strip() for cell in row.split("|")]


def test_each_criterion_of_levels_a_and_aa_stands_once_in_its_order():
    assert [criterion for criterion, _ in ROW.findall(PAGE)] == CRITERIA
    levels = [criterion.rpartition(", ")[2] for criterion in CRITERIA]
    assert (levels.count("A"), levels.count("AA")) == (30, 20)


@pytest.mark.parametrize(("criterion", "row"), ROW.findall(PAGE))
def test_of_each_criterion_every_column_says_what_shows_it(criterion, row):
    assert len(cells(row)) == COLUMNS
    for cell in cells(row):
        for part in cell.split(", "):
            assert part in WORDS or part.strip("`") in TESTS, part


def test_what_holds_in_part_is_explained():
    told = re.findall(r"^- \*\*(.*?)[,.]", PAGE.partition("## What does not hold")[2], re.MULTILINE)
    for criterion, row in ROW.findall(PAGE):
        *pages, pdf = cells(row)
        name = criterion.partition(" ")[2].rpartition(",")[0]
        assert "in part" not in " ".join(pages) or name in told, criterion
        assert "in part" not in pdf or "The PDF" in told, criterion


@pytest.mark.parametrize("name", TESTS)
def test_each_test_that_the_page_names_is_there_and_stands_for_a_criterion(name):
    assert any(f"`{name}`" in row for _, row in ROW.findall(PAGE))
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", TESTS[name])
    assert named
    for file, test in named:
        assert f"def {test}(" in (book_site.ROOT / file).read_text(), test
