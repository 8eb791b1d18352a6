"""The built book, page by page in a real browser, and the numbers it quotes."""

import importlib
import io
import re
import sys
from collections import Counter

import book_site
import numpy as np
import pytest
import torch
from PIL import Image

from autograder import chapter

sys.path[:0] = [str(book_site.BOOK), str(book_site.BOOK / "experiments")]
import measurements  # noqa: E402
import plots  # noqa: E402

PAGES = ["index", "04_masks", "notation", "bibliography", "search", "genindex"]
torch.set_num_threads(1)  # tiny tensors: more threads only wait for each other

CHEAP = ["masks_fill", "masks_torch", "masks_after_softmax"]
INK = {"light": (0x1F, 0x23, 0x28), "dark": (0xE6, 0xE6, 0xE6)}


@pytest.fixture(scope="session")
def html():
    return book_site.build()


@pytest.fixture(scope="session")
def pages(html):
    return book_site.pages(html)


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = book_site.chromium()
    if path is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="session")
def address(html):
    with book_site.server(html) as root:
        yield root


@pytest.fixture
def visit(browser, address):
    """Open a page in a theme and wait until it is quiet; what it asked for and said is kept."""
    contexts = []

    def open_page(name, theme="light"):
        context = browser.new_context(color_scheme=theme, device_scale_factor=2)
        contexts.append(context)
        context.add_init_script(f"localStorage.mode = localStorage.theme = '{theme}'")
        page = context.new_page()
        page.asked, page.said = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("console", lambda m: page.said.append(m.text) if m.type == "error" else None)
        page.goto(f"{address}{name}.html")
        page.wait_for_load_state("networkidle")
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_no_other_site_for_anything_and_reports_no_error(visit, address, name):
    page = visit(name)
    assert [url for url in page.asked if not url.startswith((address, "data:"))] == []
    assert page.said == []


def test_formulas_are_typeset_without_a_network(visit):
    page = visit("04_masks")
    page.wait_for_selector("mjx-container", timeout=10_000)
    assert page.locator("mjx-merror").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_ink_of_every_figure_follows_the_theme(visit, theme):
    page = visit("04_masks", theme)
    figures = page.locator("figure img").all()
    assert figures
    for figure in figures:
        picture = np.array(Image.open(io.BytesIO(figure.screenshot())).convert("RGB"), dtype=int)
        ink = (abs(picture - INK[theme]) < 12).all(axis=-1)  # [height, width]
        assert ink.sum() > 100, "the text and axes of a figure cannot be read in this theme"
        assert contrast(INK[theme], picture[1, 1]) > 7, "a figure has a background"


def test_no_page_is_wider_than_a_phone(visit):
    for name in PAGES:
        page = visit(name)
        page.set_viewport_size({"width": 390, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, name


def test_every_page_that_is_listed_here_exists_and_no_other(pages):
    assert {f"{name}.html" for name in PAGES} == set(pages)


def test_every_figure_has_an_alt_text_with_a_number_that_is_not_a_path(pages):
    for name, page in pages.items():
        for image in page.select(".bd-article img"):
            alt = image.get("alt", "")
            assert len(alt.split()) > 12 and re.search(r"\d", alt), f"{name}: alt text {alt!r}"
            assert not re.search(r"\.(svg|png)|_images|\[\[", alt), f"{name}: alt text {alt!r}"


def test_every_figure_has_a_caption(pages):
    for name, page in pages.items():
        for image in page.select(".cell_output img"):
            assert image.find_parent("figure").figcaption.text.strip(), name


def test_every_internal_link_and_anchor_resolves(html, pages):
    assert book_site.broken_links(html, pages) == []


def test_the_section_that_an_exercise_points_to_exists(html, pages):
    for exercise in chapter.load(book_site.ROOT, "04_masks").exercises.values():
        assert book_site.resolves(html, pages, "index.html", exercise.read), exercise.name


def test_the_table_of_exercises_says_what_the_exercises_say(pages):
    rows = [[cell.text for cell in row.find_all("td")] for row in pages["04_masks.html"]("tr")]
    shown = {row[0]: row[2:] for row in rows if len(row) == 4}
    for name, exercise in chapter.load(book_site.ROOT, "04_masks").exercises.items():
        assert shown[name] == [str(exercise.difficulty), str(exercise.minutes)], name


def test_no_cell_printed_to_stderr_or_failed(pages):
    for name, page in pages.items():
        assert page.select(".output.stderr, .output.traceback") == [], name


def test_every_measured_number_on_a_page_is_the_one_in_its_file(pages):
    shown = Counter()
    for name, page in pages.items():
        for span in page.select("[data-measured]"):
            file, key = span["data-measured"].split(":")
            record = measurements.load(file)
            choices = {measurements.text_of(record, key, spread) for spread in (False, True)}
            assert span.text in choices, f"{name}: {span['data-measured']} shows {span.text!r}"
            shown[name] += 1
    assert shown["04_masks.html"] > 20


def test_every_claim_of_an_experiment_stands_in_a_table(pages):
    tables = " ".join(t.text for page in pages.values() for t in page.select(".measured-table"))
    for path in measurements.FOLDER.glob("*.json"):
        for entry in measurements.load(path.stem)["claims"]:
            assert entry["text"] in tables


@pytest.mark.parametrize("name", CHEAP)
def test_running_an_experiment_again_gives_the_numbers_on_disk(name):
    numbers, _ = importlib.import_module(name).measure()
    saved = measurements.load(name)["numbers"]
    assert numbers.keys() == saved.keys()
    for key, entry in numbers.items():
        assert same(entry["value"], saved[key]["value"]), key


def test_the_floor_on_disk_follows_from_the_source_alone():
    leak = importlib.import_module("masks_leak")
    saved = measurements.load("masks_leak")["numbers"]
    for key, entry in leak.exact_numbers(leak.the_chain()).items():
        assert entry["value"] == pytest.approx(saved[key]["value"], rel=1e-5)


def test_the_source_surprises_its_own_model_by_its_entropy():
    chain = importlib.import_module("masks_leak").the_chain()
    tokens = chain.sample(4000, 20, np.random.default_rng(1))
    assert chain.surprise(tokens).mean() == pytest.approx(chain.entropy, abs=0.02)


def test_only_models_with_a_leak_score_below_the_floor():
    saved = measurements.load("masks_leak")["numbers"]
    floor = saved["floor"]["value"]
    assert all(loss > floor for loss in saved["causal_loss"]["sample"])
    for leak in ("off_by_one", "none"):
        assert all(loss < floor / 2 for loss in saved[f"{leak}_loss"]["sample"])
        assert all(loss > 2 * floor for loss in saved[f"{leak}_alone"]["sample"])


def test_a_spread_is_that_of_the_sample_it_stands_for():
    for path in measurements.FOLDER.glob("*.json"):
        for key, entry in measurements.load(path.stem)["numbers"].items():
            if "sample" in entry:
                again = measurements.number(entry["sample"])
                assert entry["value"] == pytest.approx(again["value"], rel=1e-4, abs=1e-9), key
                assert entry["spread"] == pytest.approx(again["spread"], rel=1e-2, abs=1e-7), key


def test_a_figure_drawn_twice_is_the_same_bytes():
    assert a_figure() == a_figure()


def test_a_figure_has_no_date_no_background_and_no_fixed_ink():
    text = a_figure()
    assert "<dc:date>" not in text and plots.INK not in text
    assert "prefers-color-scheme: dark" in text


def test_a_hidden_cell_is_hatched_and_prints_no_value():
    figure, axes = plots.panels(1)
    plots.weights(axes[0], [[1.0, 0.0]], mask=[[True, False]])
    assert [patch.get_hatch() for patch in axes[0].patches] == ["////"]
    assert [text.get_text() for text in axes[0].texts] == ["1.00"]
    plots.plt.close(figure)


def test_cells_run_again_when_a_module_or_a_number_changes(tmp_path, monkeypatch):
    sys.path.insert(0, str(book_site.BOOK / "_ext"))
    cell_cache = importlib.import_module("cell_cache")
    monkeypatch.setattr(cell_cache, "BOOK", tmp_path)
    (tmp_path / "plots.py").write_text("a")
    before = cell_cache.key()
    assert cell_cache.key() == before
    (tmp_path / "plots.py").write_text("b")
    assert cell_cache.key() != before


def a_figure():
    figure, axes = plots.plt.subplots()
    plots.lines(axes, [0, 1, 2], {"one": [[1, 2, 3], [2, 3, 4]]})
    text = plots.svg(figure)
    plots.plt.close(figure)
    return text


def contrast(one, other):
    """WCAG 2 contrast ratio of two sRGB colours."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(color):
    parts = [c / 255 for c in color]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def same(value, saved):
    """Equal up to rounding that differs between machines; sizes of rounding errors within 10x."""
    if isinstance(saved, str) or isinstance(value, str):
        return value == saved
    if 0 < abs(saved) < 0.02:
        return saved / 10 < value < saved * 10
    return value == pytest.approx(saved, rel=0.02, abs=1e-9)
