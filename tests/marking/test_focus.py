"""The page of `attn mark` for people who see little or use no pointer: focus, edges, messages."""

import contrast
import pytest
from mark_window import opened

THEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
# What Tab should reach, in this order: all that is shown and works, of a dialog while it is open.
EXPECTED = """() => [...(document.querySelector("dialog[open]") ?? document).querySelectorAll("*")]
  .filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility())
  .map((one) => one.outerHTML.slice(0, 120))"""
STOP = """() => {
  const at = document.activeElement;
  if (at === document.body || at.matches("dialog") || at.stopped) return null;
  at.stopped = true;
  return at.outerHTML.slice(0, 120);
}"""
NEW_PLACE = """() => {
  const at = document.activeElement, before = window.place;
  window.place = at;
  return at !== document.body && at !== before;
}"""
SAID = {
    "Enter": "Nothing is chosen yet.", "j": None, "1": "1.5 of 2 points. Chosen: ", "k": None,
    "2": "0.5 of 2 points. Chosen: ", "0": "0 of 2 points.", "u": "Undo: ", "r": "Redo: ",
    "n": "There is no other question.", "h": "Names are shown.", "s": None, "Escape": None,
    "x": None, "Control+s": "saved in 01_toy.marks.json", "c": None,
}  # fmt: skip


def stops(window):
    """The controls at which Tab stops until it leaves the page or begins again; each is seen.

    A wide answer that scrolls is a stop, too; with other fonts others are wide.
    """
    found = []
    while not found or found[-1]:
        window.press("Tab")
        found.append(window.page.evaluate(STOP))
        if found[-1]:
            assert contrast.faint(window.page, ":focus", "outlineColor") == []
    return [one for one in found[:-1] if not one.startswith('<div class="written"')]


@THEMES
@pytest.mark.parametrize("keys", [[], ["j", "1", "x"], ["c"], ["Shift+Digit1"], ["?"]])
def test_tab_reaches_all_that_works_in_its_order_and_is_seen_there(
    browser, page, tmp_path, keys, scheme
):
    with opened(browser, page, tmp_path, color_scheme=scheme) as window:
        window.press(*keys)
        window.page.evaluate("document.activeElement.blur()")
        window.page.mouse.click(1, 1)  # where nothing is: Tab begins at the top
        assert stops(window) == window.page.evaluate(EXPECTED)


@pytest.mark.parametrize(
    ("opens", "closes"),
    [
        ("c", ["Escape"]),
        ("c", ["a", "Enter"]),
        ("c", ["Tab", "Tab", "Tab", "Tab", "Enter"]),  # on Cancel
        ("Shift+Digit1", ["Enter"]),
        ("Shift+Digit1", ["Tab", "Tab", "Tab", "Tab", "Enter"]),  # on Remove
        ("?", ["Escape"]),
        ("?", ["Tab", "Enter"]),
    ],
)
def test_where_a_dialog_closes_the_focus_is_on_the_answer_again(window, opens, closes):
    window.press("j", opens)
    assert window.page.evaluate("document.activeElement.closest('dialog[open]') !== null")
    window.press(*closes)
    assert window.page.locator("dialog[open]").count() == 0
    assert window.page.evaluate("document.activeElement.matches('.card.is-current')")


def test_what_a_key_did_is_read_out(window):
    """A status is read where its text is another one; where the focus moves, its new place is."""
    assert window.page.get_attribute("#said", "role") == "status"
    for key, said in SAID.items():
        window.page.evaluate(NEW_PLACE)
        before = window.text("#said")
        if said is None:
            window.press(key)
            assert window.page.evaluate(NEW_PLACE), key
            continue
        if key == "Control+s":
            window.save()
        else:
            window.press(key)
        assert said in window.text("#said") != before, key


def test_a_comment_of_spaces_and_points_that_are_no_number_are_refused_where_they_stand(window):
    window.press("j", "c", "Space", "Enter")
    assert window.page.evaluate("document.querySelector(':invalid:focus').id") == "item-text"
    window.press("a", "Tab", "-", "-", "Enter")
    assert window.page.evaluate("document.querySelector(':invalid:focus').id") == "item-points"
    window.press("Escape")
    assert window.page.locator(".is-current .given li").count() == 0


@THEMES
def test_edges_of_buttons_and_fields_stand_out(browser, page, tmp_path, scheme):
    with opened(browser, page, tmp_path, color_scheme=scheme) as window:
        window.press("j", "1", "Enter", "c")
        for what, part in {
            "button:not(:disabled, .change)": "borderTopColor",
            "input[type=number]": "borderTopColor",
            "textarea": "borderTopColor",
            ".main": "backgroundColor",
            ".is-due": "backgroundColor",
            ".is-current": "borderTopColor",
            "progress": "accentColor",
        }.items():
            assert contrast.faint(window.page, what, part) == [], what
