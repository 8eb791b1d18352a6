"""The widgets of chapters 10 to 13: by keyboard and by mouse."""

import re

import pytest
from widget_pages import says


def test_a_cache_shrinks_with_heads_window_and_bits_and_grows_with_texts(widget):
    place = widget("cache_bars")
    assert "of 262,144 tokens: 128 GiB. That is 11 times the weights." in says(place)
    place.get_by_label("heads of keys").press("End")
    assert "4.0 GiB, 32 times less" in says(place)
    place.get_by_label("8 bits").press("Space")
    assert "2.0 GiB, 64 times less" in says(place)
    place.get_by_label("window").press("End")
    assert "8.0 MiB" in says(place)
    place.get_by_label("texts at a time").press("End")
    assert "The caches of 64 texts of 262,144 tokens: 514 MiB" in says(place)
    place.get_by_label("tokens of a text").press("Home")
    assert "The caches of 64 texts of 1,024 tokens: 512 MiB" in says(place)


def test_areas_of_squares_are_bytes(widget):
    place = widget("cache_bars")
    place.get_by_label("heads of keys").press("End")
    now, whole, weights = (
        float(side) ** 2
        for side in place.locator("svg rect").evaluate_all(
            "all => all.map(n => n.getAttribute('width'))"
        )
    )
    assert whole / now == pytest.approx(32)
    assert whole / weights == pytest.approx(128 * 2**30 / (64 * (4 * 4096**2 + 3 * 4096 * 11008)))


def test_diagnoses_are_put_on_curves_by_keys_and_by_dragging(widget):
    place = widget("find_curve")
    names = place.get_by_role("group", name="diagnoses").get_by_role("button")
    slots = place.get_by_role("group", name="curves").get_by_role("button")
    assert "At the end curves 1 and 4 are less than 0.05 nats apart." in says(place)
    names.nth(0).press("Enter")
    slots.nth(1).press("Enter")
    assert names.nth(0).inner_text() in slots.nth(1).inner_text()
    assert "4 of 5 curves have no diagnosis yet." in says(place)
    names.nth(1).drag_to(slots.nth(3))
    assert names.nth(1).inner_text() in slots.nth(3).inner_text()
    place.get_by_role("button", name="Compare").press("Enter")
    assert "of 5 as it was" in says(place)
    assert slots.nth(0).inner_text().startswith("curve 1: … ✗ it is: ")


def test_a_low_temperature_repeats_words_and_a_high_one_makes_them_up(widget):
    place = widget("sampling")
    temperature = place.get_by_label("temperature")
    told = re.compile(r"have (\d+) words of three letters or more, (\d+) of them different")
    found = {}
    for key in ("Home", "End"):
        temperature.press(key)
        words, different = map(int, told.search(says(place)).groups())
        found[key] = (different / words, place.locator(".widget-texts u").count() / words)
    assert found["Home"][0] < 0.5 < found["End"][0]
    assert found["Home"][1] < found["End"][1]
    assert f"has {words - place.locator('.widget-texts u').count()} of the {words}" in says(place)


def test_texts_are_drawn_again_with_other_numbers_and_at_one_setting_with_the_same(widget):
    place = widget("sampling")
    texts, again = place.locator(".widget-texts li"), place.get_by_role("button", name="Draw again")
    assert "At temperature 0.71 the four texts" in says(place)
    first = texts.all_inner_texts()
    assert len({*first}) == 4 and all(text.startswith("The") for text in first)
    again.press("Enter")
    assert not {*first} & {*texts.all_inner_texts()}
    place.get_by_label("If the").check()
    assert all(text.startswith("If the") for text in texts.all_inner_texts())
    place = widget("sampling")
    assert texts.all_inner_texts() == first


def test_top_p_leaves_one_token_and_then_the_texts_are_the_same(widget):
    place = widget("sampling")
    place.get_by_label("top-p").press("Home")
    assert "The four texts are the same." in says(place)
    chances = place.locator(".widget-stage tbody td:last-child").all_inner_texts()
    assert [float(chance) for chance in chances[:2]] == [1, 0]


def written(place, *writes):
    """What it says after these: for each, the number of the key, and the value."""
    for key, value in writes:
        place.get_by_label(f"{key}: ").check()
        place.get_by_label(value, exact=True).press("Space")
        place.get_by_role("button", name="Write").press("Enter")
    return says(place)


def errors(place):
    """Of the four keys."""
    return place.locator(".widget-stage table").nth(1).locator("td:last-child").all_inner_texts()


def test_a_linear_write_adds_to_what_a_key_returns_and_a_delta_write_replaces_it(widget):
    place = widget("state_matrix")
    twice = [(1, "5, 0, 0"), (1, "0, 5, 0")]
    assert "Write 2, linear: key 1 returns 5.00, 5.00, 0; 0, 5, 0 was written" in written(
        place, *twice
    )
    place.get_by_role("button", name="Start again").press("Enter")
    assert says(place).startswith("Nothing is written yet")
    place.get_by_label("delta", exact=True).press("Space")
    assert "Write 2, delta: key 1 returns 0, 5.00, 0, as written." in written(place, *twice)


def test_a_fourth_key_disturbs_two_others_unless_its_value_is_what_they_make_of_it(widget):
    place = widget("state_matrix")
    place.get_by_label("delta", exact=True).press("Space")
    three = [(1, "5, 0, 0"), (2, "0, 5, 0"), (3, "0, 0, 5")]
    written(place, *three)
    assert errors(place) == ["0", "0", "0", "\N{MINUS SIGN}"]
    said = written(place, (4, "0, 0, 5"))
    assert "The write changed what keys 1 and 2 returned. Without an error: 2 of 4" in said
    assert errors(place)[2:] == ["0", "0"]
    place.get_by_role("button", name="Undo").press("Enter")
    assert "Without an error: 4 of 4" in written(place, (4, "3, 4, 0"))


def test_a_decay_lets_go_of_other_keys_and_half_a_strength_writes_half(widget):
    place = widget("state_matrix")
    strength = place.get_by_label("write strength")
    assert strength.is_disabled()  # the linear rule has none
    place.get_by_label("delta", exact=True).press("Space")
    for _ in range(5):
        strength.press("ArrowLeft")
        place.get_by_label("decay").press("ArrowLeft")
    assert "key 1 returns 2.50, 0, 0" in written(place, (1, "5, 0, 0"))
    said = written(place, (2, "0, 5, 0"))
    assert "gated delta" in said and "The write changed what key 1 returned." in said
    assert errors(place)[0] == "3.75"


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_moves_while_a_state_is_written(widget, width):
    place = widget("state_matrix", width=width)
    place.get_by_label("decay").press("ArrowLeft")
    heights = set()
    for key, value in [(1, "5, 0, 0"), (2, "0, 5, 0"), (3, "0, 0, 5"), *[(4, "5, 0, 0")] * 3]:
        written(place, (key, value))
        heights.add(place.bounding_box()["height"])
    assert len(heights) == 1
