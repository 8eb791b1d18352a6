"""The page of `attn mark` for who sees little or uses no pointer: focus, edges, what is said."""

import contrast
import pytest
from mark_window import opened

STOP = """() => {
  const at = document.activeElement, before = window.before;
  if (at === document.body || at.dataset.seen) return null;
  at.dataset.seen = true;
  window.before = at;
  const { outlineStyle, outlineWidth } = getComputedStyle(at);
  const after = Node.DOCUMENT_POSITION_FOLLOWING;
  return {
    what: at.outerHTML.slice(0, 120),
    seen: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2,
    later: !before || Boolean(before.compareDocumentPosition(at) & after),
  };
}"""
FOCUSED = "() => document.activeElement.className"


def stops(window):
    """The stops of Tab from the top of the page until it leaves the page."""
    window.page.evaluate("document.activeElement.blur()")
    window.page.mouse.click(1, 1)  # where nothing is: Tab begins at the top
    found = []
    while not found or found[-1]:
        window.press("Tab")
        found.append(window.page.evaluate(STOP))
    return found[:-1]


def test_tab_leads_through_the_page_in_its_order_and_each_stop_is_seen(window):
    found = stops(window)
    assert len(found) > 12
    assert [stop["what"] for stop in found if not stop["seen"] or not stop["later"]] == []
    assert window.page.evaluate("document.activeElement === document.body")


@pytest.mark.parametrize(
    ("opens", "closes"),
    [("c", "Escape"), ("?", "Escape"), ("Shift+Digit1", "Escape"), ("Shift+Digit1", "Enter")],
)
def test_where_a_dialog_closes_the_focus_is_on_the_answer_again(window, opens, closes):
    window.press("j", opens)
    assert window.page.evaluate("document.activeElement.closest('dialog[open]') !== null")
    window.press(closes)
    assert "is-current" in window.page.evaluate(FOCUSED)
    window.press("1")
    assert window.page.locator("#items [aria-pressed=true]").count() == 1


def test_what_a_key_did_is_read_out(window):
    """A status is read where its text is another one; where the focus moves, its new place is."""
    assert window.page.get_attribute("#said", "role") == "status"
    said = window.text("#said")
    for key in ("Enter", "j", "1", "1", "2", "0", "u", "r", "n", "h", "h"):
        place = window.page.evaluate("document.activeElement.dataset.card")
        window.press(key)
        moved = window.page.evaluate("document.activeElement.dataset.card") != place
        assert moved or window.text("#said") != said, key
        said = window.text("#said")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_edges_of_buttons_and_fields_and_the_progress_stand_out(browser, page, tmp_path, scheme):
    with opened(browser, page, tmp_path, color_scheme=scheme) as window:
        window.press("j", "1", "Enter", "c")
        fields = "input[type=number], textarea"
        edged = f"button:not(:disabled, .change, .main, .is-due), {fields}"
        assert contrast.faint(window.page, edged, "borderTopColor") == []
        assert contrast.faint(window.page, ".main, .is-due", "backgroundColor") == []
        assert contrast.faint(window.page, "progress", "accentColor") == []
        assert contrast.faint(window.page, ".is-current", "borderTopColor") == []
