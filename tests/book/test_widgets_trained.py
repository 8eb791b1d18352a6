"""The widgets that show trained models, chapters 5 and 6: by keyboard, with what was saved."""

import json

import book_site
import pytest
from widget_pages import on, says


def series(name):
    record = json.loads((book_site.BOOK / "measured" / f"{name}.json").read_text())
    return record["series"]


HEADS = series("heads_induction")
ALIGNMENTS = {
    (example["text"], letter): example
    for encoder, letter in {"layer": "A", "none": "B"}.items()
    for example in series("cross_dates")["examples"][encoder]
}


def numbers(place):
    """What the buttons, or the cells, of the row in numbers show."""
    return place.locator(".widget-stage tbody td").all_inner_texts()


def pick(place, text, letter):
    place.get_by_label(text, exact=True).check()
    place.get_by_label(f"network {letter}").check()


def row_told(picture, layer, head, query):
    """What the sentence says of a row, from the weights that were saved; all count from one."""
    signs = [chr(65 + token) for token in picture["tokens"]]
    row = picture["weights"][layer - 1][head - 1][query - 1][:query]
    key = row.index(max(row)) + 1
    to = "" if key == query else f"{signs[key - 1]} at place {key}"
    weight = f"{max(row) / 1000:.2f}"
    return f"Query {query}, {signs[query - 1]}, gives its largest weight, {weight}, to {to}"


def test_the_row_moves_by_arrow_keys_and_says_where_it_looks(widget):
    place = widget("heads")
    best = max(scores := HEADS["scores"][0]["induction"][1])
    head = scores.index(best) + 1
    assert f"Layer 2, head {head} is one of the induction heads" in says(place)
    assert f"induction score {best:.2f} in the test" in says(place)
    picture = HEADS["pictures"][0]
    assert row_told(picture, 2, head, 10) in says(place)
    assert "what followed T the first time" in says(place)
    press = place.page.keyboard.press
    place.get_by_role("button", name="place 10, T").press("ArrowRight")
    assert row_told(picture, 2, head, 11) in says(place)
    press("ArrowUp")
    assert row_told(picture, 2, head, 3) in says(place)
    press("ArrowUp")  # there is nothing above
    assert "Query 3, B" in says(place)
    press("Home")
    press("ArrowLeft")
    assert "Query 1, R, can see itself only." in says(place)
    press("End")
    assert "Query 16, P" in says(place)
    assert place.get_by_role("button", name="place 16, P").evaluate(
        "n => n === document.activeElement"
    )


def test_a_head_is_picked_by_keyboard_and_called_what_its_score_says(widget):
    place = widget("heads")
    said = {}
    place.get_by_label("layer 1, head 1").check()
    for layer, head in ((layer, head) for layer in (1, 2) for head in (1, 2, 3, 4)):
        said[layer, head] = says(place)
        place.page.keyboard.press("ArrowRight")  # radio buttons: to the next
    assert len(set(said.values())) == 8
    for (layer, head), text in said.items():
        previous, induction = (
            HEADS["scores"][0][job][layer - 1][head - 1] for job in ("previous", "induction")
        )
        assert f"Layer {layer}, head {head} is " in text
        assert ("one of the previous-token heads" in text) == (previous > 0.4)
        assert ("one of the induction heads" in text) == (induction > 0.4)
        assert ("neither" in text) == (max(previous, induction) <= 0.4)


@pytest.mark.parametrize("sentence", [0, 1])
def test_every_head_shows_the_weights_that_were_saved(sites, sentence):
    place, picture = on(sites("heads"), "heads"), HEADS["pictures"][sentence]
    place.get_by_label("twice").nth(sentence).check()
    for layer, heads in enumerate(picture["weights"]):
        for head, rows in enumerate(heads):
            place.get_by_label(f"layer {layer + 1}, head {head + 1}").check()
            for query in (0, 5, 9, 15):
                name = f"place {query + 1}, {chr(65 + picture['tokens'][query])}:"
                place.get_by_role("button", name=name).press("Enter")
                seen = [f"{weight / 1000:.2f}" for weight in rows[query][: query + 1]]
                assert numbers(place) == seen + [""] * (15 - query)


def test_a_click_on_a_row_of_the_heatmap_picks_its_query(widget):
    place = widget("heads")
    place.locator("[data-query='12'] rect").nth(3).click()
    assert "Query 13, G" in says(place)
    assert place.get_by_role("button", name="place 13, G").get_attribute("aria-pressed") == "true"


def test_a_date_is_stepped_through_by_button_and_slider(widget):
    place = widget("alignment")
    (text, letter), example = next(iter(ALIGNMENTS.items()))
    made, third = example["made"], example["weights"][2]
    written = place.locator(".widget-written")
    slider = place.get_by_role("slider", name="characters written")
    assert f"Network {letter} writes “{made[0]}”, digit 1 of the year" in says(place)
    place.get_by_role("button", name="Previous").press("Enter")  # there is none
    place.get_by_role("button", name="Next").press("Enter")
    place.get_by_role("button", name="Next").press("Space")
    assert slider.get_attribute("aria-valuetext") == "3"
    at = text[third.index(max(third))]
    assert f"writes “{made[2]}”, digit 3 of the year, and looks most at “{at}”" in says(place)
    assert written.inner_text() == f"written: {made[:3]}·······"
    slider.press("End")
    assert written.inner_text() == f"written: {made}"
    slider.press("ArrowLeft")
    assert f"writes “{made[8]}”, digit 1 of the day" in says(place)
    place.locator("[data-query='4'] rect").first.click()
    assert f"writes “{made[4]}”, a dash" in says(place)


@pytest.mark.parametrize(("text", "letter"), ALIGNMENTS)
def test_every_step_shows_the_weights_that_were_saved(sites, text, letter):
    place, example = on(sites("alignment"), "alignment"), ALIGNMENTS[text, letter]
    pick(place, text, letter)
    place.get_by_role("slider", name="characters written").press("Home")
    for made, row in zip(example["made"], example["weights"], strict=True):
        largest = sorted(row, reverse=True)
        shown = [*largest[:4], round(sum(largest[4:]), 3)]
        assert numbers(place) == [f"{weight:.2f}" for weight in shown]
        said = says(place)
        assert f"writes “{made}”" in said
        assert f", character {row.index(largest[0]) + 1} of the text" in said
        place.get_by_role("button", name="Next").press("Enter")


def test_some_date_is_shown_that_a_network_gets_wrong():
    assert any(example["made"] not in example["readings"] for example in ALIGNMENTS.values())


@pytest.mark.parametrize(
    ("text", "letter"), [of for of, example in ALIGNMENTS.items() if len(example["readings"]) == 1]
)
def test_mistakes_are_struck_out_and_told(sites, text, letter):
    place, example = on(sites("alignment"), "alignment"), ALIGNMENTS[text, letter]
    made, (date,) = example["made"], example["readings"]
    wrong = [step for step, sign in enumerate(made) if sign != date[step]]
    pick(place, text, letter)
    place.get_by_role("slider", name="characters written").press("End")
    assert place.locator(".widget-written s").all_inner_texts() == [made[step] for step in wrong]
    if not wrong:
        assert says(place).endswith("The date is right.")
    elif made[-1] == date[-1]:
        counted = f"Mistakes: {len(wrong)} of 10 characters. The date is {date}."
        assert says(place).endswith(counted)
    for step in reversed(wrong):  # a row is there once it is written
        place.locator(f"[data-query='{step}'] rect").first.click()
        assert says(place).endswith(f"That is a mistake: the date is {date}.")


def test_another_reading_is_no_mistake(widget):
    place = widget("alignment")
    place.get_by_role("slider", name="characters written").press("End")
    for (text, letter), example in ALIGNMENTS.items():
        if len(example["readings"]) == 2 and example["made"] in example["readings"]:
            pick(place, text, letter)
            assert place.locator(".widget-written s").count() == 0
            either = " or ".join(example["readings"])
            assert f"can mean {either}, and nothing in it says which" in says(place)


def test_tables_stand_in_with_the_numbers_that_the_widgets_begin_with(widget):
    place = widget("heads")
    rows = place.locator(".widget-static tbody tr").all_text_contents()
    assert len(rows) == 8
    place.get_by_label("layer 1, head 1").check()
    for row in rows:
        layer, head, *_, weight = row.split()
        assert f"Layer {layer}, head {head}" in says(place)
        assert f"largest weight, {weight}, to" in says(place)
        place.page.keyboard.press("ArrowRight")
    tables = widget("alignment").locator(".widget-static tbody tr").all_text_contents()
    wrong = [row for row in tables if "mistake" in row]
    assert len(tables) == len(ALIGNMENTS)
    assert len(wrong) == sum(e["made"] not in e["readings"] for e in ALIGNMENTS.values())
