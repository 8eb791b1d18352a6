"""The widgets under a finger, in forced colours, and before their scripts have come."""

import pytest
from book_site import at_rest
from widget_pages import PAGES, WIDGETS, on

SHOWN = {"width": 390, "height": 664}  # what a phone's browser leaves of its screen


@pytest.fixture(scope="module")
def phone(browser, book):
    context = browser.new_context(viewport=SHOWN, has_touch=True, is_mobile=True)
    page = context.new_page()
    at_rest(page, (book / f"{PAGES['three_tokens']}.html").as_uri())
    yield page
    context.close()


def swipe(page, start, by):
    """A finger from a point of the screen, through several frames."""
    touch = page.context.new_cdp_session(page)
    at = dict(start)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
    for _ in range(8):
        at = {axis: at[axis] + by[axis] / 8 for axis in "xy"}
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [at]})
    page.wait_for_timeout(
        300
    )  # held still: a page goes on behind a finger that leaves it in motion
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(100)


def middle(page, name):
    """Of a vector's handle, which is brought to the middle of the screen."""
    handle = on(page, "three_tokens").get_by_role("slider", name=name)
    handle.evaluate("node => node.scrollIntoView({block: 'center', behavior: 'instant'})")
    box = handle.locator(".widget-hit").bounding_box()
    return handle, {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}


def test_a_finger_moves_a_vector_and_the_page_stays_where_it_is(phone):
    handle, point = middle(phone, "query of Cleo")
    before = phone.evaluate("scrollY")
    swipe(phone, point, {"x": 0, "y": 110})
    assert float(handle.get_attribute("aria-valuetext").split(", ")[1].replace("\u2212", "-")) < 0
    assert phone.evaluate("scrollY") == before


def test_a_finger_beside_the_vectors_scrolls_the_page(phone):
    _, point = middle(phone, "query of Cleo")
    before = phone.evaluate("scrollY")
    swipe(phone, {"x": point["x"] + 70, "y": point["y"] + 60}, {"x": 0, "y": -150})
    assert phone.evaluate("scrollY") > before + 50


@pytest.mark.parametrize("name", ["query of Ana", "value of Ben", "value of Cleo"])
def test_the_weights_are_in_view_and_uncovered_while_a_vector_is_moved(phone, name):
    handle, point = middle(phone, name)
    table = on(phone, "three_tokens").locator(".is-weights").bounding_box()
    assert table["y"] >= 0 and table["y"] + table["height"] < point["y"]
    assert handle.evaluate(
        """(node, {x, y}) => node.contains(document.elementFromPoint(x, y))""", point
    )
    cell = {"x": table["x"] + table["width"] - 20, "y": table["y"] + table["height"] - 10}
    assert phone.evaluate("({x, y}) => document.elementFromPoint(x, y).tagName", cell) == "TD"


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_has_its_room_before_its_script_comes(browser, widget, book, name):
    page = browser.new_page()
    page.route("**/widgets/*.js*", lambda route: route.abort())
    page.goto((book / f"{PAGES[name]}.html").as_uri())
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        before = on(page, name).bounding_box()["height"]
        after = widget(name, width=width).bounding_box()["height"]
        assert abs(before - after) < 0.06 * after
    page.close()


def test_forced_colours_leave_hatching_shades_and_frames(widget):
    place = widget("mask_paint")
    cell, hidden = (place.get_by_role("button", name=f"query 0, key {key}") for key in (0, 1))
    ground = "node => getComputedStyle(node).backgroundColor"
    shade = cell.evaluate(ground)
    place.page.emulate_media(forced_colors="active")
    assert cell.evaluate(ground) == shade
    assert "gradient" in hidden.evaluate("node => getComputedStyle(node).backgroundImage")
    assert place.evaluate("node => getComputedStyle(node).borderStyle") == "solid"
    place.page.emulate_media(forced_colors="none")


def test_forced_colours_leave_a_heatmap_on_light_ground(widget):
    place = widget("heads")
    place.page.emulate_media(forced_colors="active", color_scheme="dark")
    map_ = place.locator(".widget-heatmap")
    assert map_.evaluate("node => getComputedStyle(node).backgroundColor") == "rgb(255, 255, 255)"
    assert (
        map_.locator("text").first.evaluate("node => getComputedStyle(node).fill") == "rgb(0, 0, 0)"
    )
    place.page.emulate_media(forced_colors="none", color_scheme="light")
