"""The machine that opens each chapter: it grows, its links lead somewhere, and its run computes."""

import re
from itertools import combinations, pairwise

import axe
import machine_numbers
import machine_parts
import pytest
import torch
from book_site import watched
from torch.nn import functional as F

CHAPTERS = list(machine_parts.CHAPTERS)
RUNS = "06_cross_attention"
STATIONS = len(machine_numbers.through())


@pytest.fixture(scope="module")
def drawings(pages):
    return {name: pages[f"{name}.html"].select_one(".machine svg") for name in CHAPTERS}


@pytest.mark.parametrize(("earlier", "later"), [*pairwise(CHAPTERS)])
def test_a_chapter_keeps_each_part_of_the_one_before_in_its_place(drawings, earlier, later):
    kept, grown = (shapes(drawings[name]) for name in (earlier, later))
    assert kept.items() < grown.items()


@pytest.mark.parametrize("name", CHAPTERS)
def test_exactly_the_parts_of_a_chapter_are_marked_as_new_in_it(drawings, name):
    new = {link["data-part"] for link in drawings[name].select("a.machine-new")}
    assert new == {part.name for part in machine_parts.PARTS if part.chapter == name} != set()
    for link in drawings[name].select("a"):
        assert link.title.text.startswith("New in this chapter") == (link["data-part"] in new)


@pytest.mark.parametrize("name", CHAPTERS)
def test_each_part_leads_to_a_section_of_its_own_chapter(pages, drawings, name):
    for link in drawings[name].select("a"):
        part = next(one for one in machine_parts.PARTS if one.name == link["data-part"])
        file, anchor = link["href"].split("#")
        assert file == ("" if part.chapter == name else f"{part.chapter}.html")
        assert pages[f"{part.chapter}.html"].find(id=anchor), f"{name}: {link['href']}"


@pytest.mark.parametrize("name", CHAPTERS)
def test_nothing_of_a_drawing_is_outside_of_it(drawings, name):
    for rect in drawings[name].select("rect"):
        x, y, width, height = (int(rect[key]) for key in ("x", "y", "width", "height"))
        assert min(x, y) >= 0
        assert x + width <= machine_parts.WIDTH and y + height <= machine_parts.HEIGHT


def test_no_box_of_the_finished_machine_stands_on_another():
    boxes = [part.box for part in machine_parts.PARTS if part.framed]
    for one, other in combinations(boxes, 2):
        beside = one.x + one.width <= other.x or other.x + other.width <= one.x
        below = one.y + one.height <= other.y or other.y + other.height <= one.y
        assert beside or below, (one.name, other.name)


def test_one_chapter_alone_loads_the_script_of_the_run(book):
    using = [path.stem for path in book.glob("*.html") if "machine/run.js" in path.read_text()]
    assert using == [RUNS]


@pytest.fixture(scope="module")
def open_page(browser, book):
    """Opens a chapter from its file, with the preferences of a reader."""
    contexts = []

    def opened(name, width=390, **how):
        contexts.append(browser.new_context(viewport={"width": width, "height": 844}, **how))
        page = watched(contexts[-1].new_page())
        page.goto((book / f"{name}.html").as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def running(open_page):
    """The chapter with the run."""
    return open_page(RUNS)


@pytest.fixture
def machine(running):
    """The run before its first station."""
    again = running.get_by_role("button", name="Start again")
    if again.is_enabled():
        again.click()
    return running.locator(".machine")


def test_the_numbers_of_the_run_are_those_of_torch(running):
    inputs = machine_numbers.INPUTS
    found = running.evaluate("inputs => courseWidgets.machine(inputs)", inputs)
    x, memory, *projections = (
        torch.tensor(inputs[name], dtype=torch.float64)
        for name in ("x", "memory", "W_q", "W_k", "W_v", "W_o")
    )
    query, key, value = (
        (tokens @ matrix).unflatten(-1, (2, 2)).transpose(0, 1)  # [heads, tokens, d_k]
        for tokens, matrix in zip((x, memory, memory), projections, strict=False)
    )
    average = F.scaled_dot_product_attention(query, key, value, torch.tensor([inputs["mask"]]))
    merge = average.transpose(0, 1).flatten(1)
    expected = {"scores": query @ key.mT, "weighted sum": average}
    for name, right in expected.items():
        torch.testing.assert_close(
            torch.tensor(found[name]).double(), right[:, 0], atol=1e-6, rtol=0
        )
    output = torch.tensor(found["output"]).double()
    torch.testing.assert_close(output, merge @ projections[-1], atol=1e-6, rtol=0)


def test_no_number_is_so_near_a_tie_that_its_last_bit_would_show():
    for station in machine_numbers.through().values():
        for number in station.ravel():
            cents = abs(number) * 100
            if number not in (0, -float("inf")) and number != int(number):
                assert abs(cents % 1 - 0.5) > 1e-6, number


def test_the_keyboard_steps_through_all_stations_and_back(machine):
    step, back = (machine.get_by_role("button", name=name, exact=True) for name in ("Step", "Back"))
    for at in range(1, STATIONS + 1):
        step.press("Enter")
        assert machine.locator(".machine-run p").inner_text().startswith(f"{at} of {STATIONS}: ")
        assert machine.locator(".machine-now").count() >= 1
    assert step.is_disabled()
    assert numbers(machine, "weights") == ["0.94", "0.06", "0", "0.20", "0.80", "0"]
    back.press("Space")
    assert machine.locator(".machine-run p").inner_text().startswith(f"{STATIONS - 1} of")
    assert numbers(machine, "output") == []


@pytest.mark.parametrize("width", [390, 1280])
def test_at_each_step_the_buttons_and_what_is_lit_are_on_the_screen(open_page, width):
    page = open_page(RUNS, width=width, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 664})  # what a phone's browser leaves
    step = page.get_by_role("button", name="Step", exact=True)
    for _ in range(STATIONS):
        step.click()
        top, bottom = page.locator(".machine-now rect").evaluate_all(
            """lit => [Math.min(...lit.map(one => one.getBoundingClientRect().top)),
                       Math.max(...lit.map(one => one.getBoundingClientRect().bottom))]"""
        )
        bar = page.locator(".machine-run").bounding_box()
        assert 0 <= bar["y"] < bar["y"] + bar["height"] <= top < bottom <= 664


def test_the_table_without_scripts_has_the_numbers_that_the_run_shows(machine, pages):
    static = pages[f"{RUNS}.html"].select(".machine-static tbody tr")
    cells = [[cell.text.strip() for cell in row("td")] for row in static]
    expected = [(station, found.split(" · ")) for station, _, found in cells]
    shown = []
    for _ in range(STATIONS):
        machine.get_by_role("button", name="Step", exact=True).click()
        table = machine.locator(".machine-run table")
        station = table.locator("caption").text_content()
        for row in table.locator("tr:has(th[scope=row])").all():
            shown.append((station, row.locator("td").all_inner_texts()))
    assert shown == expected


def test_without_scripts_the_drawing_stands_over_a_table_and_no_button(open_page):
    page = open_page(RUNS, java_script_enabled=False)
    assert page.locator(".machine svg").is_visible()
    assert page.locator(".machine-static table").is_visible()
    assert page.locator(".machine button").count() == 0


def test_a_run_stops_by_itself_at_the_output(machine):
    machine.page.clock.install()
    play = machine.locator(".machine-play")
    play.click()
    assert play.inner_text() == "Pause"
    machine.page.clock.run_for(60_000)
    assert play.inner_text() == "Run"
    assert len(numbers(machine, "output")) == 4


def test_under_reduced_motion_nothing_moves_and_there_are_steps_only(open_page):
    page = open_page(RUNS, reduced_motion="reduce")
    assert page.locator(".machine-new").first.evaluate("node => node.getAnimations().length") == 0
    assert not page.locator(".machine-play").is_visible()
    assert page.get_by_role("button", name="Step", exact=True).is_visible()


@pytest.mark.parametrize("width", [320, 360, 390, 768, 1440])
def test_a_machine_fits_the_screen_and_its_text_can_be_read(open_page, width):
    page = open_page(RUNS, width=width, reduced_motion="reduce")
    drawing = page.locator(".machine svg")
    box = drawing.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width
    assert box["height"] <= 620
    sizes = drawing.locator("text, tspan").evaluate_all(
        "nodes => nodes.map(node => parseFloat(getComputedStyle(node).fontSize))"
    )
    assert min(sizes) * box["width"] / machine_parts.WIDTH >= 12
    assert page.failed == page.said == []


def test_axe_finds_nothing_in_the_machine(running):
    assert axe.faults(running, ".machine") == []


def shapes(drawing):
    """What each part draws, by its name; where it leads and what it says do not count."""
    start = re.compile(r"^<a[^>]*><title>[^<]*</title>")
    return {link["data-part"]: start.sub("", str(link)) for link in drawing.select("a")}


def numbers(machine, part):
    """What is written into a station."""
    return machine.locator(f"[data-part={part}] .machine-number").all_text_contents()
