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


def test_the_row_moves_by_arrow_keys_and_says_where_it_looks(widget):
    place = widget("heads")
    assert "Layer 2, head 4 is one of the induction heads: induction score 0.95" in says(place)
    assert "Query 10, T, gives its largest weight, 0.99, to B at place 3" in says(place)
    assert "what followed T the first time" in says(place)
    press = place.page.keyboard.press
    place.get_by_role("button", name="place 10, T").press("ArrowRight")
    assert "Query 11, B, gives its largest weight, 1.00, to N at place 4" in says(place)
    press("ArrowUp")
    assert "Query 3, B, gives its largest weight, 1.00, to R at place 1, the first" in says(place)
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
    written = place.locator(".widget-written")
    slider = place.get_by_role("slider", name="characters written")
    assert "Network A writes “1”, digit 1 of the year" in says(place)
    place.get_by_role("button", name="Previous").press("Enter")  # there is none
    place.get_by_role("button", name="Next").press("Enter")
    place.get_by_role("button", name="Next").press("Space")
    assert slider.get_attribute("aria-valuetext") == "3"
    assert "Network A writes “8”, digit 3 of the year, and looks most at “8”" in says(place)
    assert written.inner_text() == "written: 198·······"
    slider.press("End")
    assert written.inner_text() == "written: 1989-01-12"
    assert says(place).endswith("The date is right.")
    slider.press("ArrowLeft")
    assert "writes “1”, digit 1 of the day" in says(place)
    place.locator("[data-query='4'] rect").first.click()
    assert "writes “-”, a dash" in says(place)


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


def test_mistakes_are_struck_out_and_told_and_another_reading_is_none(widget):
    place = widget("alignment")
    place.get_by_role("slider", name="characters written").press("End")
    struck = place.locator(".widget-written s")
    pick(place, "26th Sep 1996", "B")
    assert struck.all_inner_texts() == ["6", "9"]
    assert says(place).endswith("Mistakes: 2 of 10 characters. The date is 1996-09-26.")
    pick(place, "September 3rd, '31", "A")  # the day is the 33rd
    assert struck.all_inner_texts() == ["3"]
    assert "Mistakes: 1 of 10 characters. The date is 2031-09-03." in says(place)
    place.get_by_role("button", name="Previous").click()
    assert says(place).endswith("That is a mistake: the date is 2031-09-03.")
    place.get_by_role("button", name="Next").click()
    for letter in "AB":
        pick(place, "3/5/2019", letter)
        assert struck.count() == 0
        assert "can mean 2019-03-05 or 2019-05-03, and nothing in it says which" in says(place)


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
