"""What holds for every widget: on its page, on a phone, in both themes, and without scripts."""

import pytest
from widget_pages import PAGES, WIDGETS, on


@pytest.mark.parametrize("name", WIDGETS)
def test_a_chapter_works_from_a_file_and_reports_no_error(sites, name):
    page = sites(name)
    assert [url for url in page.asked if not url.startswith(("file:", "data:"))] == []
    assert page.failed == page.said == []


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_stands_on_its_page_alone(book, name):
    using = [path.stem for path in book.glob("*.html") if f"widgets/{name}.js" in path.read_text()]
    assert using == [PAGES[name]]


@pytest.mark.parametrize("name", WIDGETS)
def test_every_control_has_a_name(sites, name):
    place = on(sites(name), name)
    assert place.get_attribute("aria-label")
    names = place.locator("input, button, [tabindex], [role=img]").evaluate_all(
        "nodes => nodes.map(node => node.getAttribute('aria-label')"
        " || node.closest('label')?.innerText || node.innerText)"
    )
    assert names
    assert min(len(name.strip()) for name in names) >= 3


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_fits_a_phone_and_its_controls_a_finger(sites, name):
    place = on(sites(name, width=390), name)
    assert place.evaluate("node => node.scrollWidth <= node.clientWidth")
    boxes = place.locator("input[type=range], button").evaluate_all(
        "nodes => nodes.map(node => node.getBoundingClientRect().toJSON())"
    )
    for box in boxes:
        assert min(box["width"], box["height"]) >= 24  # WCAG 2.2, target size (minimum)


@pytest.mark.parametrize("name", WIDGETS)
def test_without_scripts_a_table_stands_in_and_with_them_it_gives_way(sites, name):
    for scripts in (False, True):
        place = on(sites(name, width=390, scripts=scripts), name)
        table, attempt = (place.locator(part) for part in (".widget-static table", ".widget-try"))
        assert (table.is_visible(), attempt.is_visible()) == (not scripts, scripts)
        if not scripts:
            assert table.bounding_box()["width"] <= place.bounding_box()["width"]


@pytest.mark.parametrize("name", WIDGETS)
def test_the_ink_of_a_widget_is_that_of_its_page_in_both_themes(sites, name):
    place = on(sites(name), name)
    color = "node => getComputedStyle(node)[node.matches('svg text') ? 'fill' : 'color']"
    for theme in ("light", "dark"):
        place.evaluate("(_, theme) => (document.documentElement.dataset.theme = theme)", theme)
        inked = place.locator("svg text:not(.widget-label, .widget-name), .widget-says")
        inks = inked.evaluate_all(f"nodes => nodes.map({color})")
        assert set(inks) == {place.page.locator("body").evaluate(color)}
