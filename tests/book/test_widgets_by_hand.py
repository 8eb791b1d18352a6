"""The widgets whose numbers the reader sets, chapters 1 to 4 and 7: by keyboard and by mouse."""

import math
import re
from itertools import pairwise

import pytest
from widget_pages import on, says


def drag(handle, to, x, y):
    """From the middle of one element to a place in the other, in shares of its box."""
    handle.hover()  # scrolls to it, and waits until nothing moves there
    end, mouse = to.bounding_box(), handle.page.mouse
    mouse.down()
    mouse.move(end["x"] + x * end["width"], end["y"] + y * end["height"], steps=8)
    mouse.up()


def test_cooling_by_keyboard_turns_the_soft_lookup_into_the_hard_one(widget):
    place = widget("soft_lookup")
    assert "returns 18.00, the hard one 16." in place.inner_text()
    temperature = place.get_by_label("temperature")
    temperature.press("Home")
    assert temperature.get_attribute("aria-valuetext") == "0.06"
    assert "returns 16.00, the hard one 16." in place.inner_text()
    place.get_by_label("exp(score) of token 3").press("End")
    assert "returns 40.00, the hard one 40." in place.inner_text()


def test_arrow_keys_move_a_vector_until_its_query_is_indifferent(widget):
    place = widget("three_tokens")
    assert "Ana looks most at Ben (0.67)" in place.inner_text()
    query = place.get_by_role("slider", name="query of Ana")
    for _ in range(11):  # from -1.14 by tenths
        query.press("ArrowRight")
    query.press("Shift+ArrowUp")
    for _ in range(2):
        query.press("ArrowUp")
    assert query.get_attribute("aria-valuetext") == "0, 0"
    assert "Ana looks at all alike" in place.inner_text()
    assert "12.0" in place.inner_text()  # the average of 6, 12 and 18


def test_a_vector_can_be_dragged_and_does_not_leave_its_plane(widget):
    place = widget("three_tokens")
    value = place.get_by_role("slider", name="value of Ben")
    drag(value, to=place.locator("svg").nth(1), x=1.2, y=0.5)
    assert value.get_attribute("aria-valuetext") == "24.00, 12.00"
    place.get_by_role("button", name="Start again").press("Enter")
    assert value.get_attribute("aria-valuetext") == "12.00, 18.00"


def test_starting_again_unties_queries_and_keys(widget):
    place = widget("three_tokens")
    tied = place.get_by_label("use each key as its query")
    tied.check()
    place.get_by_role("button", name="Start again").click()
    assert not tied.is_checked()
    assert place.get_by_role("slider", name="query of Ana").is_visible()


def test_with_keys_as_queries_the_scores_are_symmetric(widget):
    place = widget("three_tokens")
    place.get_by_label("use each key as its query").press("Space")
    assert not place.get_by_role("slider", name="query of Ana").is_visible()
    place.get_by_role("slider", name="key of Ben").press("Shift+ArrowUp")
    scores = [row.split("\t")[1:] for row in place.locator(".is-scores").inner_text().split("\n")]
    scores = [row for row in scores if len(row) == 3 and row[0][-1].isdigit()]
    assert len(scores) == 3
    assert scores == [list(column) for column in zip(*scores, strict=True)]


def test_hands_move_with_the_key_and_their_products_with_the_distance_alone(widget):
    place = widget("clock_hands")
    products = place.locator("svg text", has_text=re.compile(r"product \S"))
    assert "the key at 2 by 2, and their product is 0.54." in says(place)
    before = products.all_text_contents()
    assert before == ["product 0.54", "product 1.00", "product 1.00"]
    place.get_by_role("slider", name="position of the key").press("End")
    assert "query at position 1001 is turned by 1001 radians" in says(place)
    assert products.all_text_contents() == before
    place.get_by_role("slider", name="distance").press("End")
    assert "their product is 0.39. At the slower speeds it is 0.99 and 0.80." in says(place)


def test_hands_turn_clockwise_from_the_top(widget):
    drawn = widget("clock_hands").locator("svg").first
    names = ("circle", ".widget-curve.token-0 + .token-0")  # a face, and the tip of its query
    face, tip = (drawn.locator(name).first.bounding_box() for name in names)
    across, down = (
        (tip[at] + tip[size] / 2 - face[at]) / face[size] - 0.5
        for at, size in (("x", "width"), ("y", "height"))
    )
    assert (across, down) == pytest.approx((math.sin(3) / 2, -math.cos(3) / 2), abs=0.02)


def test_numbers_at_the_ends_of_curves_do_not_meet(widget):
    numbers = widget("find_curve").locator(".widget-name")
    assert numbers.all_text_contents() == ["1", "2", "3", "4", "5"]
    boxes = sorted(number.bounding_box()["y"] for number in numbers.all())
    height = numbers.first.bounding_box()["height"]
    assert all(below - above > 0.85 * height for above, below in pairwise(boxes))


def test_controls_and_clocks_are_on_one_screen_of_a_phone(sites):
    place = on(sites("clock_hands", width=390), "clock_hands")
    first, last = (
        place.locator(part).bounding_box() for part in (".widget-slider >> nth=0", "svg >> nth=1")
    )
    assert last["y"] + last["height"] - first["y"] < 664  # what a phone's browser leaves


def test_without_a_divisor_width_saturates_all_rows_but_the_tie(widget):
    place = widget("saturation")
    width = place.get_by_role("slider", name="width")
    assert "With dk = 64 and scores divided by √dk, the largest weight is 0.50" in says(place)
    place.get_by_label("√dk").nth(0).press("ArrowLeft")  # radio buttons: to the one before
    assert "undivided scores, the largest weight is 0.96" in says(place)
    width.press("End")
    assert "dk = 1024" in says(place)
    assert "largest derivative 0.000" in says(place)
    place.get_by_label("2 3 3").press("Space")
    assert "largest weight is 0.50 and the largest derivative 0.250" in says(place)


def test_a_mask_painted_by_keyboard_shows_its_leak_and_its_empty_row(widget):
    place = widget("mask_paint")
    assert "No query is moved by a later token" in says(place)
    place.get_by_role("button", name="query 0, key 0").press("Space")
    assert "Query 0 has no key: its output is zeros." in says(place)
    place.get_by_role("button", name="query 0, key 0").press("ArrowDown")
    for key in ("ArrowRight", "ArrowRight", "Space"):
        place.page.keyboard.press(key)
    assert "Leak: later tokens act on query 1." in says(place)
    cell = place.get_by_role("button", name="query 1, key 2")
    assert cell.get_attribute("aria-label") == "query 1, key 2: may attend, weight 0.50"
    assert cell.get_attribute("aria-pressed") == "true"
    rows = place.locator(".widget-stage tbody tr").all_inner_texts()
    assert "no key" in rows[0]
    assert "leaks" in rows[1]


def test_a_mask_after_the_softmax_lets_hidden_scores_through(widget):
    place = widget("mask_paint")
    sums = place.locator(".widget-stage tbody td:last-child")
    raise_later = place.get_by_role("slider", name="raise all scores")
    raise_later.press("End")
    assert sums.all_inner_texts() == ["1.00"] * 4
    raise_later.press("Home")
    place.get_by_label("after it").press("Space")
    assert sums.all_inner_texts() == ["0.33", "0.40", "0.50", "1.00"]
    assert "Leak: later tokens act on query 0, 1, 2." in says(place)
    raise_later.press("End")
    assert float(sums.nth(1).inner_text()) < 0.01


def test_tiles_end_at_one_output_whatever_their_size_and_order(widget):
    place = widget("tiles")
    assert "Tile 2 of 9: queries 1 to 2, keys 3 to 4. 4 of 36 scores exist." in says(place)
    step = place.locator(".tiles-step").inner_text().replace("\N{NO-BREAK SPACE}", " ")
    assert step.replace("\N{MULTIPLICATION SIGN}", "*").splitlines() == [
        "Query 1: old * factor + new",
        "total: 1.5 * 2/4 + (4 + 1)/4 = 2",
        "summed: 20 * 2/4 + (4·0 + 1·24)/4 = 16",
        "output: 16/2 = 8.00",
    ]
    assert place.locator("tr.is-now").all_inner_texts() == [
        "query 1\t4\t2\t16\t8.00",
        "query 2\t4\t2.25\t24\t10.67",
    ]
    done, outputs = place.get_by_label("tiles done"), place.locator(".widget-stage td:last-child")
    done.press("End")
    ends = outputs.all_inner_texts()
    assert "no more than 4 of 36 scores existed" in says(place)
    for choice in ("last to first", "6 by 6", "1 by 1"):
        place.get_by_label(choice).press("Space")
        done.press("End")
        assert outputs.all_inner_texts() == ends
    done.press("Home")
    assert "Nothing is computed yet." in says(place)
    place.get_by_label("2 by 2").press("Space")
    place.get_by_label("causal").press("Space")
    assert "3 of 9 tiles are skipped" in says(place)
    assert place.locator(".is-skipped").count() == 12


def test_a_mouse_paints_over_several_cells(widget):
    place = widget("mask_paint")
    cells = [place.get_by_role("button", name=f"query 0, key {key}") for key in (1, 2, 3)]
    drag(cells[0], to=cells[2], x=0.5, y=0.5)
    assert [cell.get_attribute("aria-pressed") for cell in cells] == ["true"] * 3
    cells[2].click()
    assert cells[2].get_attribute("aria-pressed") == "false"


@pytest.mark.parametrize("name", ["three_tokens", "mask_paint"])
def test_the_table_has_the_numbers_that_the_widget_begins_with(widget, name):
    place, number = widget(name), re.compile(r"\d\.\d\d")
    weights = place.locator(".widget-stage table", has_text=re.compile("^weights", re.IGNORECASE))
    rows = [number.findall(row) for row in weights.locator("tbody tr").all_text_contents()]
    table = place.locator(".widget-static tbody tr").all_text_contents()
    assert len(table) >= len(rows) > 2 and all(rows)
    for row, standing_in in zip(rows, table, strict=False):
        assert row == number.findall(standing_in)[: len(row)]


def test_tokens_collapse_with_depth_unless_the_skip_is_there(widget):
    place = widget("collapse")
    now = place.locator("tr.is-now")
    assert "After 3 layers of attention alone, the distance" in says(place)
    assert now.all_inner_texts() == ["3 layers\t2 · 10⁻⁵"]
    place.get_by_role("slider", name="layers").press("End")
    assert now.all_inner_texts() == ["12 layers\t< 10⁻¹²"]
    assert "After 12 layers of attention alone" in says(place)
    assert "is < 10⁻¹²" in says(place)
    shown = place.locator(".widget-stage tbody td").all_text_contents()
    assert shown[-1] == "< 10⁻¹²"
    standing_in = place.locator(".widget-static tbody")
    assert shown == standing_in.locator("td:nth-child(2)").all_text_contents()
    place.get_by_label("skip").press("Space")
    assert "the distance from rank one is 0.12" in says(place)
    for switch in ("norm", "MLP"):
        place.get_by_label(switch).press("Space")
    assert "with skip, norm, MLP, the distance from rank one is 0.92" in says(place)
    shown = place.locator(".widget-stage tbody td").all_text_contents()
    assert shown == standing_in.locator("td:last-child").all_text_contents()
