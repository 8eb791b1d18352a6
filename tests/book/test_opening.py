"""The landing page's translator of dates: its arithmetic beside torch's, and what a reader does."""

import json

import cross_dates
import cross_opening
import measurements
import pytest
import torch
from cross_calendar import Written, sample
from opening_page import ARCS

SERIES = measurements.load("cross_opening")["series"]
FIRST = SERIES["examples"][0]
STEPS = """texts => {
  const translate = courseOpening.translator(courseOpening.network);
  return texts.map(text => [...translate(text)].map(
    step => ({logits: [...step.logits], weights: step.weights.map(row => [...row])})));
}"""


@pytest.fixture(scope="module")
def model():
    """The same bytes, in torch."""
    torch.set_num_threads(1)
    return cross_opening.unpacked(SERIES["network"])


@pytest.fixture
def page(landing):
    return landing


def written(page):
    return page.locator(".opening-iso").inner_text().replace("\n", "")


def says(page):
    return page.locator(".opening-says").inner_text()


def iso(model, text):
    """What torch writes."""
    return cross_dates.translate(model, [Written(text, "", [], ambiguous=False)])[0][0]


def test_the_script_computes_what_torch_does(page, model):
    """Given the symbols that the script chose: where two are nearly tied, either is right."""
    dates = sample(40, seed=7, test=True)
    for date, steps in zip(dates, page.evaluate(STEPS, [one.text for one in dates]), strict=True):
        logits = torch.tensor([step["logits"] for step in steps])
        weights = torch.tensor([step["weights"] for step in steps]).transpose(0, 1)
        chosen = logits.argmax(dim=1)
        before = torch.cat([torch.tensor([cross_dates.START]), chosen[:-1]])[None]
        right = cross_opening.forced(model, cross_dates.source_of([date]), before)
        torch.testing.assert_close(logits, right[0][0], atol=1e-3, rtol=1e-3)
        torch.testing.assert_close(weights, right[1][0, ..., : len(date.text)], atol=1e-4, rtol=0)


def test_a_date_that_is_typed_is_written(page, model):
    page.get_by_label("Write a date").fill("Jul 20, 1969")
    page.locator(".opening-says", has_text="Jul 20").wait_for()
    assert says(page) == f"“Jul 20, 1969” becomes {iso(model, 'Jul 20, 1969')}."
    assert written(page) == iso(model, "Jul 20, 1969")


def test_with_motion_it_is_written_one_character_after_the_other(opening):
    page = opening(reduced_motion="no-preference")
    page.locator(".opening-says", has_text="becomes").wait_for()
    page.evaluate("""() => {
      window.seen = [];
      const row = document.querySelector('.opening-iso');
      new MutationObserver(() => seen.push(row.textContent))
        .observe(row, {subtree: true, childList: true});
    }""")
    page.get_by_role("button", name="3/8/87").click()
    page.locator(".opening-says", has_text="3/8/87").wait_for()
    assert page.evaluate("seen") == [written(page)[:at].ljust(10, "·") for at in range(1, 11)]


@pytest.mark.parametrize("example", SERIES["examples"][1:], ids=lambda one: one["text"])
def test_an_example_is_written_as_the_record_says(page, example):
    page.get_by_role("button", name=example["text"], exact=True).click()
    assert says(page) == f"“{example['text']}” becomes {example['made']}."
    assert page.get_by_label("Write a date").input_value() == example["text"]


def test_another_date_is_one_that_was_kept_from_training_and_is_judged(page):
    known = {one.text: one for one in sample(20_000, seed=0)}
    texts = []
    for _ in range(12):
        page.get_by_role("button", name="another date").click()
        texts.append(page.get_by_label("Write a date").input_value())
        told = says(page).removeprefix(f"“{texts[-1]}” becomes {written(page)}.")
        assert told == " That is right." or told.startswith(
            (" A mistake: the", " The text can also")
        )
    assert len(set(texts)) == 12
    clear = [text for text in texts if "/" not in text]
    assert not [text for text in clear if text in known and not known[text].ambiguous]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("3 März 2019", "The network has never seen “ä”, “z”."),
        ("the 22nd of September, 2019", "That has 27 characters; the network reads at most 26."),
        (" ", "Write a date, and the network reads it."),
    ],
)
def test_what_the_network_cannot_read_is_told_in_a_sentence(page, text, told):
    place = page.get_by_label("Write a date")
    place.fill(text)
    place.press("Enter")
    assert says(page) == told
    assert place.get_attribute("aria-invalid") == "true" and written(page) == FIRST["made"]
    place.fill("3/8/87")
    place.press("Enter")
    assert place.get_attribute("aria-invalid") == "false" and "becomes" in says(page)


def test_what_a_telephone_types_for_an_apostrophe_is_one(page):
    place = page.get_by_label("Write a date")
    place.fill("5 Mar \u201919 ")
    place.press("Enter")
    assert says(page).startswith("“5 Mar '19” becomes 2019-03-05")


def test_by_keyboard_alone_a_date_is_written_and_every_character_tells_where_it_looks(page, model):
    page.get_by_label("Write a date").focus()
    press = page.keyboard.press
    press("ControlOrMeta+a")
    page.keyboard.type("05.11.1968")
    press("Enter")
    assert written(page) == iso(model, "05.11.1968")
    press("Tab")
    assert focused(page) == "Characters of the text"
    press("Tab")
    assert focused(page) == "Characters of the date"
    _, weights = cross_dates.translate(model, [Written("05.11.1968", "", [], ambiguous=False)])
    for step, key in ((0, "Home"), (1, "ArrowRight"), (9, "End"), (8, "ArrowLeft")):
        press(key)
        most = weights[0, step].argmax().item()
        told = page.locator(".opening-iso").get_attribute("aria-valuetext")
        assert f"looks most at “{'05.11.1968'[most]}”, character {most + 1} (" in told
        assert page.locator(".opening-looks").inner_text() == told
    press("Escape")
    assert page.locator(".has-picked").count() == 0


def focused(page):
    return page.evaluate("document.activeElement.ariaLabel")


def test_a_character_pointed_at_shows_its_own_arcs_only(page):
    every = page.locator(".opening-arcs path")
    for row, at, end in (("iso", 9, 0), ("text", 5, -2)):
        page.locator(f".opening-{row} span").nth(at).hover()
        shown = every.evaluate_all(
            "nodes => nodes.filter(node => getComputedStyle(node).visibility === 'visible')"
            ".map(node => node.getAttribute('d'))"
        )
        assert 0 < len(shown) < every.count() / 2
        assert len({d[1:].replace("C", " ").split()[end] for d in shown}) == 1
    assert "“2”, character 6, gets its largest" in page.locator(".opening-looks").inner_text()
    page.get_by_label("Write a date").hover()
    assert page.locator(".has-picked").count() == 0


def test_a_head_has_weights_of_its_own(page):
    told = set()
    page.locator(".opening-iso").press("End")
    for name in ("mean", "1", "2", "3", "4"):
        page.get_by_label(name, exact=True).check()
        told.add(json.dumps(page.locator(".opening-arcs path").evaluate_all(ARCS)))
        value = page.locator(".opening-iso").get_attribute("aria-valuetext")
        assert ("in head" in value) == (name != "mean")
    assert len(told) == 5
