"""The page of the claims: each once, a bar of verdicts, filters that the address keeps, guesses."""

import re
from collections import Counter
from itertools import groupby

import axe
import claim_quotes
import claims_table
import pytest
from book_site import watched

DECIDED = claims_table.decided()
NUMBERS = sorted({number for number, *_ in DECIDED})
VERDICTS = Counter(entry["verdict"] for *_, entry in DECIDED)


@pytest.fixture(scope="module")
def window(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield context
    context.close()


@pytest.fixture
def claims(window, book):
    """Opens the page from a file, at a place of it."""
    pages = []

    def opened(place=""):
        pages.append(watched(window.new_page()))
        pages[-1].goto(f"{(book / 'claims.html').as_uri()}{place}")
        return pages[-1]

    yield opened
    for page in pages:
        assert page.said == page.failed == []
        page.close()


def shown(page):
    """The numbers of the claims that can be seen."""
    found = page.locator(".claim:visible").evaluate_all("all => all.map(one => one.id.slice(6))")
    return [int(number) for number in found]


def deciding(condition):
    """The numbers of the claims of which a part meets the condition on experiment and entry."""
    return sorted({number for number, name, _, entry in DECIDED if condition(name, entry)})


def verdict(page, word):
    return page.locator(".verdicts").get_by_role("button", name=word)


def test_every_claim_has_one_entry_with_all_its_findings(pages):
    entries = pages["claims.html"].select(".claim")
    assert [entry["id"] for entry in entries] == [f"claim-{number}" for number in NUMBERS]
    parts = [len(entry.select(".claim-part")) for entry in entries]
    assert parts == [sum(one[0] == number for one in DECIDED) for number in NUMBERS]


def test_each_claim_stands_once_on_the_page_whose_table_lists_it():
    said = re.compile(r"^`{3,}\{measured-claim\} (\w+)(?: (\d+))?$", re.MULTILINE)
    for name, page, entries in by_experiment():
        found = [number for one, number in said.findall(page) if one == name]
        numbers = sorted({str(entry["claim"]) for entry in entries})
        assert sorted(found) == numbers or found == [""], name


def stated():
    """The texts of each claim that comes from them, as the page names them."""
    page = (claims_table.BOOK / "claims.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^(\d+): (\d+(?: \d+)*)$", page, re.MULTILINE))


def test_each_claim_of_the_texts_is_quoted_from_each_text_that_the_page_names(pages):
    texts = stated()
    for number, entry in claim_quotes.load(texts).items():
        assert {str(quote["text"]) for quote in entry["quotes"]} == set(texts[number].split())
    folded = pages["claims.html"].select(".claim:has(> details.claim-quotes:not([open]))")
    assert [entry["id"] for entry in folded] == [f"claim-{number}" for number in texts]


@pytest.mark.parametrize(
    ("quoted", "said"),
    [
        ("2: {quotes: [{text: 0, section: A, words: b}]}", "claim 2, which comes from no text"),
        ("1: {quotes: [{text: 4, section: A, words: b}]}", "the table does not name text 4"),
        ("1: {quotes: [{text: 0, words: b}]}", "section is missing"),
        ("1: {quotes: [{text: 0, section: A, code: b}], also: {work: c}}", "where is missing"),
        ("{}", "no quotation for claim 1"),
    ],
)
def test_a_quotation_that_does_not_fit_is_refused(tmp_path, quoted, said):
    path = tmp_path / "quotes.yml"
    path.write_text(quoted)
    with pytest.raises(ValueError, match=said):
        claim_quotes.load({"1": "0 3"}, path)


def by_experiment():
    """Each experiment that decides claims, the text of its page, and its claims."""
    for name, rows in groupby(sorted(DECIDED, key=lambda row: row[1]), key=lambda row: row[1]):
        page = claims_table.BOOK / f"{claims_table.chapter_of(name)}.md"
        yield name, page.read_text(encoding="utf-8"), [entry for *_, entry in rows]


def test_the_bar_counts_the_verdicts_of_the_entries(pages):
    page = pages["claims.html"]
    parts = Counter(part["data-verdict"] for part in page.select(".claim-part"))
    for item in page.select(".verdicts > li"):
        count = int(item.select_one(".verdict-count").text)
        assert (
            count
            == parts[item["data-verdict"]]
            == VERDICTS[item.select_one(".verdict-word").text.strip()]
        )
        (segment,) = page.select(f".claims-bar [data-verdict={item['data-verdict']}]")
        assert segment["style"] == f"flex-grow: {count}"
    assert sum(parts.values()) == len(DECIDED)


def test_every_verdict_has_its_own_sign(pages):
    signs = [str(sign.find_all(True)) for sign in pages["claims.html"].select(".verdicts svg")]
    assert len(set(signs)) == len(VERDICTS)


def test_tables_of_the_chapters_lead_to_the_claim(pages):
    links = {a["href"] for page in pages.values() for a in page.select(".measured-table a[href]")}
    assert {f"claims.html#claim-{number}" for number in NUMBERS} <= links


def test_filters_by_verdict_chapter_and_text_work_together(claims):
    page = claims()
    assert shown(page) == NUMBERS
    verdict(page, "false").click()
    assert shown(page) == deciding(lambda _, entry: entry["verdict"] == "false")
    page.get_by_role("button", name="Chapter 3").click()
    of_scaling = deciding(
        lambda name, entry: entry["verdict"] == "false" and name.startswith("scaling")
    )
    assert shown(page) == of_scaling
    page.get_by_role("button", name="Chapter 2").click()
    assert set(shown(page)) > set(of_scaling)
    page.get_by_role("searchbox").fill("SOFTMAX printed")
    assert shown(page) == [12]
    assert page.get_by_text(f"1 of {len(NUMBERS)} shown").is_visible()
    page.get_by_role("button", name="Show all").click()
    assert shown(page) == NUMBERS


def test_what_was_measured_is_searched_too(claims):
    page = claims("#text=RuntimeError")
    assert shown(page) == [13]


def test_a_segment_of_the_bar_filters_as_its_button_does(claims):
    page = claims()
    page.locator(".claims-bar [data-verdict=false]").click()
    assert verdict(page, "false").get_attribute("aria-pressed") == "true"
    assert shown(page) == deciding(lambda _, entry: entry["verdict"] == "false")


def test_an_address_restores_a_view_and_the_back_button_the_one_before(claims):
    page = claims("#verdict=holds-if&chapter=4")
    four = shown(page)
    assert four == deciding(
        lambda name, entry: name.startswith("masks") and entry["verdict"] == "holds if"
    )
    page.get_by_role("button", name="Chapter 5").click()
    address, more = page.url, shown(page)
    assert len(more) > len(four)
    page.get_by_role("searchbox").press_sequentially("mask")
    assert shown(page) != more
    page.go_back()
    assert (page.url, shown(page)) == (address, more)
    page.go_back()
    assert shown(page) == four
    assert shown(claims("#" + address.partition("#")[2])) == more


def test_a_link_to_a_claim_opens_it_whatever_was_hidden(claims):
    page = claims("#verdict=false")
    assert not page.locator("#claim-7").is_visible()
    page.evaluate("location.hash = '#claim-7'")
    page.locator("#claim-7.is-here").wait_for()
    assert 0 < page.locator("#claim-7").bounding_box()["y"] < 400
    bar, claim = (page.locator(one).bounding_box() for one in (".claims-status", "#claim-7"))
    assert bar["y"] + bar["height"] <= claim["y"], "the count would lie over it"


def test_guess_first_covers_what_was_measured_and_keeps_score(claims):
    page = claims("#verdict=false")
    page.get_by_role("button", name="Guess first").click()
    assert shown(page) == NUMBERS, "a filter by verdict would tell"
    assert not page.locator(".claims-bar").is_visible()
    assert page.locator(".claim-found:visible").count() == 0
    first, second = (page.locator(f"#claim-{number}") for number in (8, 9))
    first.get_by_role("button", name="holds", exact=True).click()
    assert first.locator(".claim-found").is_visible()
    assert first.get_by_text("You said “holds”, as measured.").is_visible()
    assert page.get_by_text("1 of 1 as measured").is_visible()
    second.get_by_role("button", name="not tested").click()
    assert second.get_by_text("You said “not tested”, measured: false.").is_visible()
    assert page.get_by_text("1 of 2 as measured").is_visible()
    assert not page.locator("#claim-10 .claim-found").is_visible()
    page.get_by_role("button", name="Guess first").click()
    assert page.locator(".claim-found:visible").count() == len(DECIDED)


def test_filters_and_guesses_work_by_keyboard_alone(claims):
    page = claims()
    verdict(page, "false").focus()
    page.keyboard.press("Space")
    assert shown(page) == deciding(lambda _, entry: entry["verdict"] == "false")
    page.get_by_role("button", name="Guess first").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")  # the number of claim 1, its texts, then the group of its first part
    group = page.locator("#claim-1 .claim-guess").first
    for _ in range(6):
        if group.evaluate("node => node.contains(document.activeElement)"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.get_by_text("1 of 1 as measured").is_visible()
    assert "holds if" in page.evaluate("document.activeElement.innerText")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.claim').id") == "claim-1", "and goes on"


def test_without_scripts_everything_is_there_and_nothing_is_dead(browser, book):
    page = browser.new_page(java_script_enabled=False)
    page.goto((book / "claims.html").as_uri())
    place = page.locator(".claims")
    assert place.locator(".claim-found:visible").count() == len(DECIDED)
    assert place.locator(".claims-bar").is_visible()
    assert place.locator("button, input").count() == 0
    page.close()


def test_paper_has_all_claims_whatever_was_filtered_and_covered(claims):
    page = claims("#chapter=3&guess=first")
    page.emulate_media(media="print")
    assert shown(page) == NUMBERS
    assert page.locator(".claim-found:visible").count() == len(DECIDED)
    assert page.locator(".claims button:visible, .claims input:visible").count() <= len(VERDICTS)
    page.emulate_media(media="screen")


@pytest.mark.parametrize("width", [1280, 320])
@pytest.mark.parametrize("place", ["", "#guess=first"])
def test_axe_finds_nothing_and_the_page_fits(window, address, width, place):
    page = window.new_page()
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{address}claims.html{place}")
    assert axe.faults(page, ".claims") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = page.locator(".claims button:visible, .claim-number a").evaluate_all(
        "all => all.filter(one => one.offsetHeight < 24 || one.offsetWidth < 24).length"
    )
    assert small == 0
    page.close()


def test_there_is_no_list_of_sections_beside_the_claims(claims):
    page = claims()
    assert page.locator(".bd-sidebar-secondary").count() == 0
    assert page.locator(".secondary-toggle:visible").count() == 0
