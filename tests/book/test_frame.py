"""What stands around the text: numbers of chapters; what is there without scripts or on paper."""

import re

import pytest
from book_site import at_rest, watched

PREFERRED = {"light": (255, 255, 255), "dark": (18, 18, 18)}  # the page's own ground
GROUND = "getComputedStyle(document.body).backgroundColor"
BUTTONS = "button:visible, input:visible, textarea:visible, dialog:visible"

# Where the keyboard is: whether that is seen, and what it is; null where it was before.
STOP = """() => {
  const at = document.activeElement, card = at.closest('.sd-card');
  if (at === document.body || at.dataset.seen) return null;
  at.dataset.seen = true;
  const { outlineStyle, boxShadow } = getComputedStyle(at);
  const framed = card && getComputedStyle(card).outlineStyle !== 'none';
  const drawn = at.matches('.machine-part')
    && parseFloat(getComputedStyle(at.querySelector('rect, path, text')).strokeWidth) > 3;
  const seen = outlineStyle !== 'none' || boxShadow !== 'none' || framed || drawn;
  return [seen, at.outerHTML.slice(0, 120)];
}"""


def test_the_menu_numbers_the_chapters_and_sets_their_other_pages_below_them(pages):
    for name, page in pages.items():
        entries = {
            link.get_text(" ", strip=True): link.parent["class"]
            for link in page.select(".bd-docs-nav li.toctree-l1 > a")
        }
        chapters = [text for text, kinds in entries.items() if "is-chapter" in kinds]
        assert [text.split()[0] for text in chapters] == [str(n) for n in range(1, 14)], name
        assert "6 Cross-attention" in chapters
        parts = [text for text, kinds in entries.items() if "is-part-of-chapter" in kinds]
        assert parts == [
            "What heads do",
            "What attention and its caches cost",
            "Beyond text",
            "Beams",
            "A text with a known floor",
            "From text to token",
            "Looking back",
        ]


def test_a_page_and_the_way_to_it_have_the_number_of_their_chapter(pages):
    above = {name: page.select_one(".chapter-of-page") for name, page in pages.items()}
    assert above["05_multi_head.html"].text == "Chapter 5"
    assert above["05_what_heads_do.html"].text == "Chapter 5, continued"
    assert above["06_cost.html"].text == "Chapter 6, continued"
    assert above["glossary.html"] is None
    way = pages["04_masks.html"].select(".prev-next-title")
    assert [title.get_text(" ", strip=True) for title in way] == [
        "3 Scaling",
        "5 Multi-head attention",
    ]


@pytest.fixture(scope="module", params=PREFERRED)
def still(request, browser, address):
    """A chapter without scripts, for a reader whose system prefers a theme."""
    context = browser.new_context(java_script_enabled=False, color_scheme=request.param)
    page = watched(context.new_page())
    page.preferred = request.param
    page.goto(f"{address}04_masks.html")
    yield page
    context.close()


def test_without_scripts_the_theme_is_the_one_that_the_system_prefers(still):
    picture = still.locator(".bd-article h2").first
    color = picture.evaluate("node => getComputedStyle(node).color")
    dark_ink = sum(map(int, re.findall(r"\d+", color)[:3])) < 200
    assert dark_ink == (still.preferred == "light")
    assert (
        still.evaluate("getComputedStyle(document.documentElement).colorScheme") == still.preferred
    )
    assert still.evaluate(GROUND) == f"rgb{PREFERRED[still.preferred]}"


def test_without_scripts_no_button_is_shown_and_the_menu_can_be_reached(still):
    for width in (1280, 390):
        still.set_viewport_size({"width": width, "height": 800})
        assert still.locator(BUTTONS).count() == 0
        assert still.get_by_role("link", name="6 Cross-attention").first.is_visible()
    still.get_by_role("link", name="All pages").click()
    assert still.get_by_role("link", name="1 The bottleneck").bounding_box()["y"] < 800


def test_before_its_scripts_come_a_page_has_the_systems_theme(browser, address):
    page = browser.new_page(color_scheme="dark")
    page.route("**/*.js*", lambda route: route.abort())
    page.goto(f"{address}index.html")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate(GROUND) == f"rgb{PREFERRED['dark']}"
    page.close()


def test_paper_has_the_code_of_a_warm_up_and_no_editor(window, address):
    page = window.new_page()
    page.goto(f"{address}04_masks.html")
    place = page.locator(".warm-up-ready")
    page.emulate_media(media="print")
    assert place.locator("pre").is_visible()
    assert "def masked_row" in place.locator("pre").inner_text()
    assert page.locator(BUTTONS).count() == 0
    assert place.get_by_text("Where scripts run").is_visible() is False
    page.close()


@pytest.mark.parametrize("name", ["index", "04_masks", "exercises"])
def test_wherever_the_keyboard_goes_it_is_seen_and_from_everywhere_it_goes_on(
    window, address, name
):
    page = at_rest(window.new_page(), f"{address}{name}.html")
    stops = []
    while not stops or stops[-1]:
        page.keyboard.press("Tab")
        stops.append(page.evaluate(STOP))
    assert len(stops) > 50
    assert [what for seen, what in stops[:-1] if not seen] == []
    page.close()
