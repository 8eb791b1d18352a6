"""The widgets: the same numbers as torch, by keyboard, on a phone, and without scripts.

The pages are opened from file://, where no server helps.
"""

import math

import book_site
import pytest
import torch

pytestmark = pytest.mark.xdist_group("book")  # one build, one browser
PAGES = {
    "soft_lookup": "01_bottleneck",
    "three_tokens": "02_qkv",
    "saturation": "03_scaling",
    "mask_paint": "04_masks",
}
WIDGETS = sorted(PAGES)


@pytest.fixture(scope="module")
def html():
    return book_site.build()


@pytest.fixture(scope="module")
def sites(browser, html):
    """Open pages with scripts or without, at a width; each is loaded once."""
    opened = {}

    def page_of(name, width=1280, scripts=True):
        key = (name, scripts)
        if key not in opened:
            context = browser.new_context(java_script_enabled=scripts)
            context.route("**/mathjax/*", lambda route: route.fulfill(body=""))  # not needed here
            opened[key] = context.new_page()
            opened[key].said = []
            opened[key].on("pageerror", lambda error: opened[key].said.append(str(error)))
            opened[key].goto((html / f"{PAGES[name]}.html").as_uri())
        opened[key].set_viewport_size({"width": width, "height": 800})
        return opened[key]

    yield page_of
    for page in opened.values():
        page.context.close()


@pytest.fixture
def widget(sites):
    """The widget on its page, as the reader finds it."""

    def find(name, **how):
        page = sites(name, **how)
        if how.get("scripts", True):
            page.reload()
        return page.locator(f"[data-widget={name}]")

    return find


def compute(page, name, *inputs):
    """What the widget's function gives for these tensors and numbers."""
    plain = [i.tolist() if isinstance(i, torch.Tensor) else i for i in inputs]
    return page.evaluate(f"inputs => courseWidgets.{name}(...inputs)", plain)


def random(*shape):
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def assert_same(found, expected):
    torch.testing.assert_close(torch.tensor(found, dtype=torch.float64), expected.detach())


@pytest.mark.parametrize("temperature", [0.05, 0.5, 1.0, 8.0])
def test_the_soft_lookup_is_that_of_torch(sites, temperature):
    scores, value = random(5).requires_grad_(), random(5) * 10
    found = compute(sites("soft_lookup"), "soft_lookup", scores, value, temperature)
    weights = (scores / temperature).softmax(dim=-1)
    output = weights @ value
    output.backward()
    assert_same(found["weights"], weights)
    assert_same(found["output"], output)
    assert_same(found["gradient"], scores.grad)
    assert found["hard"] == value[scores.argmax()].item()


def test_cooling_by_keyboard_turns_the_soft_lookup_into_the_hard_one(widget):
    place = widget("soft_lookup")
    assert "returns 18.00, the hard one 16." in place.inner_text()
    temperature = place.get_by_label("temperature")
    temperature.press("Home")
    assert temperature.get_attribute("aria-valuetext") == "0.06"
    assert "returns 16.00, the hard one 16." in place.inner_text()
    place.get_by_label("exp(score) of token 3").press("End")
    assert "returns 40.00, the hard one 40." in place.inner_text()


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_stands_on_its_page_alone_and_reports_no_error(html, sites, name):
    page = sites(name)
    assert page.said == []
    using = [path.stem for path in html.glob("*.html") if f"widgets/{name}.js" in path.read_text()]
    assert using == [PAGES[name]]


@pytest.mark.parametrize("name", WIDGETS)
def test_every_control_has_a_name(widget, name):
    place = widget(name)
    assert place.get_attribute("aria-label")
    for control in place.locator("input, button, [tabindex], [role=img]").all():
        label = control.evaluate(
            "node => node.getAttribute('aria-label') || node.closest('label')?.innerText"
            " || node.innerText"
        )
        assert len(label.strip()) > 3, control.evaluate("node => node.outerHTML")


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_fits_a_phone_and_its_controls_a_finger(widget, name):
    place = widget(name, width=390)
    assert place.evaluate("node => node.scrollWidth <= node.clientWidth")
    for table in place.locator("table:visible").all():
        assert table.evaluate("node => node.scrollWidth <= node.parentElement.clientWidth")
    for control in place.locator("input[type=range], button").all():
        box = control.bounding_box()
        assert min(box["width"], box["height"]) >= 24  # WCAG 2.2, target size (minimum)


@pytest.mark.parametrize("name", WIDGETS)
def test_without_scripts_a_table_stands_in(widget, name):
    place = widget(name, width=390, scripts=False)
    table = place.locator(".widget-static table")
    assert table.is_visible()
    assert not place.locator(".widget-try").is_visible()
    assert table.bounding_box()["width"] <= place.bounding_box()["width"]


@pytest.mark.parametrize("name", WIDGETS)
def test_with_scripts_the_table_gives_way(widget, name):
    place = widget(name)
    assert not place.locator(".widget-static").is_visible()
    assert place.locator(".widget-try").is_visible()


def test_numbers_are_printed_as_python_prints_them(sites):
    values = [at / 16 for at in range(-40, 40)] + [0.145, 1.005, 2.675, 1e-9, math.pi]
    shown = sites("soft_lookup").evaluate("all => all.map(x => courseWidgets.text(x))", values)
    for value, text in zip(values, shown, strict=True):
        plain = f"{value:.2f}".replace("-", "\N{MINUS SIGN}") if value else "0"
        assert text == plain, value
