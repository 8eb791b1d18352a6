"""A number, a term, a citation and a figure's name open a card that says where they come from."""

import re

import axe
import book_site
import measurements
import pytest
from book_site import laid_out, watched

CARD = "#origin"
CONTROL = re.compile("<dt>Control</dt><dd>.*?</dd>")
PAGES = [name for name in book_site.listed_pages() if name[2] == "_"] + ["claims"]
SELECTORS = {
    "number": "a[data-measured]",
    "term": "a:has(> .std-term)",
    "citation": ".bibtex-citation a",
    "figure": "a:has(> .std-numref)",
}
KINDS = {
    "number": ("04_masks", "[data-measured='masks_leak:none_loss']"),
    "term": ("04_masks", SELECTORS["term"]),
    "citation": ("04_masks", SELECTORS["citation"]),
    "time": ("01_bottleneck", "[data-measured='bottleneck_step_time:gru_by_block']"),
    "figure": ("05_multi_head", SELECTORS["figure"]),
    "figure of another chapter": ("06_cost", SELECTORS["figure"]),
}
TEXTS = """(links, kind) => links.map(link => courseCards[kind](link).map(
  part => part.outerHTML || part).join(" "))"""


@pytest.fixture(scope="module")
def opened(window, address):
    """A page of the book with no card open; one at a time, for others would slow it down."""
    shown = {}

    def page_of(name, width=1280):
        if name not in shown:
            close(shown)
            shown[name] = watched(window.new_page())
            shown[name].goto(f"{address}{name}.html", wait_until="domcontentloaded")
            laid_out(shown[name])
        shown[name].keyboard.press("Escape")
        shown[name].set_viewport_size({"width": width, "height": 640})
        return shown[name]

    yield page_of
    close(shown)


def close(shown):
    for page in shown.values():
        page.close()
        assert page.said == []
    shown.clear()


def link_on(page, selector):
    """The first such link that is seen."""
    return page.locator(f".bd-article {selector}").locator("visible=true").first


@pytest.fixture
def link(opened):
    def find(kind, width=1280):
        name, selector = KINDS[kind]
        return link_on(opened(name, width), selector)

    return find


def card_of(link):
    link.click()
    card = link.page.locator(CARD)
    assert card.is_visible()
    return card


def test_a_number_shows_a_dot_for_each_seed_of_its_record(link):
    record = measurements.load("masks_leak")
    card = card_of(link("number"))
    dots = card.locator("circle title").evaluate_all("all => all.map(one => one.textContent)")
    sample = record["numbers"]["none_loss"]["sample"]
    close = (max(sample) - min(sample)) / 100
    assert [float(dot.partition(": ")[2]) for dot in dots] == pytest.approx(sample, abs=close)
    assert [dot.partition(":")[0] for dot in dots] == [f"seed {seed}" for seed in record["seeds"]]


def test_a_card_of_a_number_says_how_to_get_it_again(link):
    record = measurements.load("masks_leak")
    card = card_of(link("number"))
    text = card.inner_text()
    assert measurements.text_of(record, "none_loss", spread=True) in text
    assert "make measure masks_leak" in text
    assert record["machine"] in text
    assert f"{record['claims'][0]['claim']}: {record['claims'][0]['verdict']}" in text


def test_a_time_shows_each_machine_by_itself(link):
    on = measurements.load("bottleneck_step_time")["numbers"]["gru_by_block"]["on"]
    card = card_of(link("time"))
    rows = card.locator("svg").evaluate_all(
        "all => all.map(one => one.querySelectorAll('circle').length)"
    )
    assert sorted(rows) == sorted(map(len, on.values()))
    assert all(machine in card.inner_text() for machine in on)


def test_the_files_that_a_card_offers_are_in_the_site(book, opened):
    page = opened("claims")
    links = page.evaluate("""() => [...document.querySelectorAll('a[data-measured]')].flatMap(
      link => courseCards.number(link).flatMap(
        part => [...(part.querySelectorAll?.('a') || [])].map(one => one.getAttribute('href'))))""")
    files = {link for link in links if "#" not in link}
    assert len(files) > 60
    assert [file for file in files if not (book / file).is_file()] == []


def test_a_term_shows_what_the_glossary_says(pages, link):
    term = link("term")
    anchor = term.get_attribute("href").partition("#")[2]
    entry = pages["glossary.html"].find(id=anchor).find_next_sibling("dd")
    assert card_of(term).locator(".origin-text").text_content() == entry.text.strip()


def test_a_citation_shows_its_entry_and_links_to_the_work(pages, link):
    citation = link("citation")
    anchor = citation.get_attribute("href").partition("#")[2]
    entry = pages["bibliography.html"].find(id=anchor)
    card = card_of(citation)
    authors = entry.p.text.partition(". ")[0].replace("\N{NO-BREAK SPACE}", " ")
    assert authors in card.inner_text()
    assert card.locator(".origin-text a").get_attribute("href") == entry.p.a["href"]


@pytest.mark.parametrize("kind", ["figure", "figure of another chapter"])
def test_a_figures_name_shows_its_caption(pages, link, kind):
    name = link(kind)
    page, _, anchor = name.get_attribute("href").partition("#")
    figure = pages[page or f"{KINDS[kind][0]}.html"].find(id=anchor)
    caption = figure.select_one(".caption-text").text.replace("\n", " ")
    assert caption in card_of(name).text_content().replace("\n", " ")


def test_a_copy_of_a_figure_brings_no_second_id(link):
    card = card_of(link("figure"))
    assert card.locator("figure :is(img, .chart)").count() == 1
    assert card.locator("figure [id], figure[id]").count() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_it_opens_and_closes_by_keyboard_and_the_focus_returns(link, kind):
    trigger, page = link(kind), link(kind).page
    trigger.focus()
    page.keyboard.press("Enter")
    assert page.locator(CARD).evaluate("card => card === document.activeElement")
    assert trigger.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#origin') !== null")
    page.keyboard.press("Escape")
    assert page.locator(CARD).is_hidden()
    assert trigger.evaluate("link => link === document.activeElement")
    assert trigger.get_attribute("aria-expanded") is None


def test_the_focus_that_leaves_a_card_closes_it_and_goes_on_behind_its_link(link):
    trigger = link("term")
    card_of(trigger).locator("a").last.focus()
    trigger.page.keyboard.press("Tab")
    assert trigger.page.locator(CARD).is_hidden()
    after = "link => link.compareDocumentPosition(document.activeElement) === 4"
    assert trigger.evaluate(after)


def test_a_second_click_and_one_elsewhere_close_a_card(link):
    trigger = link("number")
    for where in (trigger, trigger.page.locator(".bd-article h1")):
        card = card_of(trigger)
        where.click()
        assert card.is_hidden()


def test_a_click_with_ctrl_follows_the_link(link):
    trigger = link("number")
    with trigger.page.context.expect_page() as other:
        trigger.click(modifiers=["ControlOrMeta"])
    assert other.value.url.endswith("measuring.html#measured-masks-leak")
    other.value.close()
    assert trigger.page.locator(CARD).is_hidden()


@pytest.mark.parametrize("width", [1280, 320])
@pytest.mark.parametrize("kind", KINDS)
def test_a_card_lies_within_the_window_and_beside_its_link(link, kind, width):
    trigger = link(kind, width)
    box = card_of(trigger).bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width
    assert box["y"] >= 0 and box["y"] + box["height"] <= 640.5
    if width == 320:
        assert trigger.bounding_box()["y"] < box["y"]


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing_in_an_open_card(link, kind):
    page = card_of(link(kind)).page
    assert axe.faults(page, ".bd-article p:has(#origin), .bd-article #origin") == []
    axe.show(page, "light")


@pytest.mark.parametrize("name", PAGES)
def test_every_card_of_a_page_has_all_its_parts(opened, name):
    page = opened(name)
    assert page.locator(".bd-article a[aria-haspopup=dialog]").count() > 5
    for kind, selector in SELECTORS.items():
        texts = page.locator(f".bd-article {selector}").evaluate_all(TEXTS, kind)
        texts = [CONTROL.sub("", text) for text in texts]  # a control may speak of NaN
        assert [text for text in texts if re.search("undefined|NaN|null|Infinity", text)] == []


def test_without_scripts_each_of_them_is_a_link_to_a_place_that_exists(book, pages):
    anchors = book_site.anchors(pages)
    for name, page in pages.items():
        triggers = page.select(".bd-article a[data-measured]")
        assert len(triggers) == len(page.select("[data-measured]")), name
        for link in triggers:
            assert book_site.resolves(book, anchors, name, link["href"]), link
            experiment = link["data-measured"].partition(":")[0]
            row = pages["measuring.html"].find(id=link["href"].partition("#")[2])
            assert row.find("a", href=lambda href, file=f"{experiment}.json": href.endswith(file))
