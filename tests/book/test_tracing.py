"""A text's path through the network of chapter 12: its arithmetic beside torch's, and the page."""

import gzip
import math

import axe
import measurements
import packed
import pytest
import stories
import stories_trace
import torch
from book_site import laid_out, watched

PAGE = "12_path.html"
SERIES = measurements.load("stories_trace")["series"]
NETWORK, FIRST = SERIES["network"], SERIES["first"]
EXAMPLES = {one["name"]: one["text"] for one in SERIES["examples"]}
READY = ".trace-ready"
RUN = """texts => {
  const { network, transformer, reader } = courseTracing;
  const [{ run, read }, understand] = [transformer(network), reader(network)];
  return texts.map((text) => {
    const { tokens } = understand(text);
    const blocks = run(tokens);
    return { tokens, weights: blocks.map((block) => block.map(({ weights }) => weights)),
      logits: blocks.at(-1).map(({ sum }) => read(sum)), added: blocks.flatMap((block) =>
        ["attention", "mlp", "sum"].map((part) => block.map((token) => [...token[part]]))) };
  });
}"""
STRENGTHS = """nodes => nodes.map((node) =>
  parseFloat(node.style.getPropertyValue('--w') || node.style.getPropertyValue('--v')))"""
PLACES = "nodes => nodes.map((node) => node.getBoundingClientRect().top + scrollY)"
SIZES = "nodes => nodes.map((node) => parseFloat(getComputedStyle(node).fontSize))"


@pytest.fixture(scope="module")
def model():
    """The same bytes, in torch."""
    torch.set_num_threads(1)
    return stories_trace.unpacked(NETWORK).requires_grad_(False)


@pytest.fixture(scope="module")
def opened(browser, book):
    """Opens the page in a context of its own; no error may be reported."""
    pages = []

    def open_page(wait=READY, **how):
        page = watched(browser.new_context(**how).new_page())
        pages.append(page)
        page.goto((book / PAGE).as_uri())
        page.locator(wait).first.wait_for()
        return page

    yield open_page
    for page in pages:
        page.context.close()
        assert page.said == [], page.said


@pytest.fixture(scope="module")
def shared(opened):
    return opened(viewport={"width": 1280, "height": 1000})


@pytest.fixture
def page(shared):
    """As a reader finds it who has just come."""
    shared.reload()
    shared.locator(READY).wait_for()
    return laid_out(shared)


def field(page):
    return page.get_by_label("Write a story")


def says(page):
    return page.locator(".trace-says").inner_text()


def told(page, place):
    return page.locator(f"[data-trace={place}] .trace-told").inner_text()


def example(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def shares(model, text):
    """Of the next word, in torch."""
    tokens = stories_trace.encode(NETWORK, text)[None]
    return model(tokens)[0, -1].softmax(dim=-1)


def likeliest(model, text):
    return NETWORK["words"][shares(model, text).argmax()]


def plain(text):
    """A told story as a reader would type it."""
    return "\n".join(line.strip() for line in text.splitlines())


def test_the_script_computes_what_torch_does(page, model):
    texts = [plain(stories.told(f"in the browser {at}").text) for at in range(5)]
    for text, found in zip(texts, page.evaluate(RUN, texts), strict=True):
        tokens = stories_trace.encode(NETWORK, text)
        assert found["tokens"] == tokens.tolist()
        torch.testing.assert_close(
            torch.tensor(found["logits"]), model(tokens[None])[0], atol=2e-3, rtol=1e-3
        )
        right = stories_trace.weights(model, tokens[None])[:, 0]
        for layer, rows in enumerate(found["weights"]):
            for place, row in enumerate(rows):
                seen = right[layer, :, place, : place + 1]
                torch.testing.assert_close(torch.tensor(row).float(), seen, atol=1e-4, rtol=0)
        streams = torch.stack(stories_trace.streams(model, tokens[None])[1:])[:, 0]
        torch.testing.assert_close(torch.tensor(found["added"]), streams, atol=2e-3, rtol=1e-3)


def test_bytes_are_at_most_half_a_step_from_the_weights():
    torch.manual_seed(0)
    state = {"matrix": torch.randn(3, 5), "vector": torch.randn(4)}
    back = packed.unpack(packed.pack(state))
    step = state["matrix"].abs().amax(dim=1, keepdim=True) / packed.LARGEST
    assert ((back["matrix"] - state["matrix"]).abs() <= 0.51 * step).all()
    assert torch.equal(back["vector"], state["vector"])


def test_the_answers_about_one_person_and_about_the_others_are_all_answers():
    given = stories_trace.stories("few", 10)
    token = given.tokens[0, 1].item()  # a name
    one = stories_trace.about(given, token).steps
    others = stories_trace.about(given, token, others=True).steps
    assert torch.equal(one + others, given.steps)
    assert {given.tokens[at, place - 3].item() for at, place in one.nonzero().tolist()} == {token}


def test_another_story_has_another_answer(page, model):
    for name in ("Ben moves", "Cleo moves"):
        example(page, name)
        assert field(page).input_value() == EXAMPLES[name]
        assert f"the likeliest word is “{likeliest(model, EXAMPLES[name])}” with" in says(page)
    assert [likeliest(model, EXAMPLES[name]) for name in ("Ben moves", "Cleo moves")] == [
        "Delhi",
        "Oslo",
    ]


def test_the_wrong_answer_is_wrong(model):
    text = EXAMPLES[stories_trace.WRONG]
    name, at = text.splitlines()[-1].split()[0], {}
    for line in text.splitlines()[:-1]:
        at[line.split()[0]] = line.split()[-1]
    assert likeliest(model, text) != at[name]


def test_what_is_typed_is_read_whatever_its_spaces_and_capitals(page, model):
    field(page).fill("\n ada is  in Oslo \n\nADA stays in")
    page.locator(".trace-says", has_text="token 9").wait_for()
    chips = page.locator(".trace-chip span").all_inner_texts()
    assert chips == ["start", "Ada", "is", "in", "Oslo", "↵", "Ada", "stays", "in"]
    next_word = likeliest(model, "Ada is in Oslo\nAda stays in")
    assert f"“{next_word}”" in says(page)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Ada is in Rome", "The network does not know “Rome”. Its names are Ada, Ben, Cleo, Dan, "),
        ("Ada is in Oslo.", "The network does not know “Oslo.”. Its names are Ada, Ben, Cleo, "),
        ("start", "The network does not know “start”. Its names are Ada, Ben, Cleo, Dan, Eva, "),
        ("Ada " * 106, "This text has 107 tokens; the longest story of the training has 106."),
    ],
)
def test_what_the_network_cannot_read_is_told_in_a_sentence_and_stays(page, text, problem):
    before = page.locator(".trace-picture").all_inner_texts()
    field(page).fill(text)
    page.locator("textarea[aria-invalid=true]").wait_for()
    assert says(page).startswith(problem)
    page.get_by_role("button", name="Draw the next word").first.click()
    assert field(page).input_value() == text
    assert page.locator(".trace-picture").all_inner_texts() == before


def test_the_sentence_on_an_unknown_word_names_every_word_there_is(page):
    field(page).fill("Rome")
    page.locator("textarea[aria-invalid=true]").wait_for()
    assert all(word in says(page) for word in NETWORK["words"][2:])


def test_drawn_words_grow_the_text_as_the_probabilities_say_and_can_be_taken_back(page, model):
    text = EXAMPLES["Ben moves"]
    for number in (0.5, 0.9, 0.1, 0.5):
        page.evaluate("number => { Math.random = () => number; }", number)
        ends = shares(model, text).cumsum(dim=0)
        token = int((ends <= number).sum())
        assert (ends - number).abs().min() > 1e-3  # no tie that rounding would decide
        page.get_by_role("button", name="Draw the next word").first.click()
        word = NETWORK["words"][token]
        text += word if "\n" in (word, text[-1]) else f" {word}"
        assert field(page).input_value() == text
        said = "a line break" if word == "\n" else f"“{word}”"
        assert f"The number drawn is {number:.3f}. It falls on {said}, " in told(page, "draw")
    for _ in range(4):
        page.get_by_role("button", name="Take back").click()
    assert field(page).input_value() == EXAMPLES["Ben moves"]
    assert page.get_by_role("button", name="Take back").is_disabled()


def test_a_picked_token_is_looked_from_and_what_follows_it_is_said(page, model):
    page.locator(".trace-chip", has_text="Delhi").click()
    before = "\n".join([*FIRST["text"].splitlines()[:2], "Ben goes to Delhi"])
    assert f"After “Delhi”, token {len(before.split()) + 3}" in says(page)
    expected = {"\n": "a line break"}.get(likeliest(model, before))
    assert f"the likeliest word is {expected} with" in says(page)
    assert "From “Delhi”" in told(page, "block1")


def test_the_numbers_of_a_step_are_those_of_torch(page, model):
    for place, tables in {"tokens": 1, "vector": 1, "block2": 4, "next": 1, "draw": 1}.items():
        part = page.locator(f"[data-trace={place}]")
        part.get_by_text("The numbers").click()
        part.locator("table").first.wait_for()
        assert part.locator("table").count() == tables
    shown = page.locator("[data-trace=vector] td").all_inner_texts()
    numbers = [float(text.replace("\N{MINUS SIGN}", "-")) for text in shown]
    assert numbers == pytest.approx(FIRST["streams"][0], abs=0.006)
    first = page.locator("[data-trace=next] tbody tr").first.locator("td").all_inner_texts()
    assert first[0] == likeliest(model, FIRST["text"])
    assert float(first[2]) == pytest.approx(shares(model, FIRST["text"]).max().item(), abs=1e-3)


def test_by_keyboard_alone_a_story_grows_and_tokens_and_heads_are_picked(page):
    press = page.keyboard.press
    field(page).focus()
    press("ControlOrMeta+a")
    page.keyboard.type("Ben is in Oslo\nBen stays")
    press("Tab")
    press("Enter")  # draws, and reads what was typed before
    assert field(page).input_value().startswith("Ben is in Oslo\nBen stays")
    page.locator(".trace-chip :checked").focus()
    press("ArrowLeft")
    assert "After “stays”" in says(page)
    for key, head in (("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2)):
        page.locator("[data-trace=block2] :checked").focus()
        press(key)
        assert f"head {head} looks most at" in told(page, "block2")
    page.locator("[data-trace=vector] summary").focus()
    press("Enter")
    page.locator("[data-trace=vector] td").first.wait_for()


def test_by_touch_a_token_is_picked_and_a_word_drawn(opened):
    phone = {"width": 390, "height": 800}
    page = laid_out(opened(viewport=phone, has_touch=True, is_mobile=True))
    page.locator(".trace-chip", has_text="goes").tap()
    assert "After “goes”" in says(page)
    page.get_by_role("button", name="Draw the next word").last.tap()
    assert field(page).input_value().startswith(EXAMPLES["Ben moves"])
    assert field(page).input_value() != EXAMPLES["Ben moves"]


def test_the_still_is_what_the_script_draws_first(page, pages):
    """The record's numbers are rounded: a last digit may differ."""
    still = pages[PAGE].select(".trace-picture")
    cells = [one for part in still for one in part.select("i")]
    before = [float(one["style"].split(":")[1]) for one in cells]
    drawn = page.locator(".trace-picture i").evaluate_all(STRENGTHS)
    assert drawn == pytest.approx(before, abs=0.006)
    words = [word.text for part in still for word in part.select(".trace-bars li > :first-child")]
    assert page.locator(".trace-bars li > :first-child").all_inner_texts() == words


def test_without_scripts_a_still_stands_there_and_nothing_to_click(opened):
    page = opened(wait=".trace-still", java_script_enabled=False)
    assert page.locator(".trace-still").inner_text() == FIRST["text"]
    assert page.locator(".trace :is(button, textarea, input, summary):visible").count() == 0
    heads = page.locator(".trace-map")
    assert heads.count() == 12 and heads.first.is_visible()
    assert page.locator("[data-trace=next] li:visible").count() == 8


def test_paper_has_the_text_and_the_pictures_and_no_control(page):
    example(page, "Cleo moves")
    page.emulate_media(media="print")
    assert page.locator(".trace-still").inner_text() == EXAMPLES["Cleo moves"]
    assert page.locator(".trace-map").first.is_visible()
    assert page.locator(".trace :is(button, textarea, summary):visible").count() == 0
    page.emulate_media(media="screen")


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_moves_when_the_scripts_take_over(opened, width):
    how = {"viewport": {"width": width, "height": 800}}
    page = laid_out(opened(**how))
    parts = page.locator(".trace")
    after = parts.evaluate_all(PLACES)
    late = watched(page.context.new_page())
    late.route("**/_static/tracing/*", lambda route: route.abort())
    late.goto(page.url)
    late.locator(".trace-still").first.wait_for(state="attached")
    assert laid_out(late).locator(".trace").evaluate_all(PLACES) == pytest.approx(after, abs=1)
    late.close()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert min(page.locator(".trace *").evaluate_all(SIZES)) >= 12


def test_axe_finds_nothing_whatever_is_open_and_wherever_the_text_cannot_be_read(window, address):
    page = window.new_page()  # served, since axe fetches the styles again
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{address}{PAGE}")
    page.locator(READY).wait_for()
    page.locator(".trace details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    page.locator("[data-trace=draw] table").wait_for(state="attached")
    assert axe.faults(page, ".trace") == []
    field(page).fill("Rome")
    page.locator("textarea[aria-invalid=true]").wait_for()
    assert axe.faults(page, ".trace") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


def test_it_weighs_400_kilobytes_at_most_and_no_other_page_loads_it(book, pages):
    folders = [book / "_static" / name for name in ("tracing", "networks")]
    files = [one for folder in folders for one in folder.iterdir()]
    assert len(files) > 5
    assert sum(len(gzip.compress(one.read_bytes())) for one in files) <= 400_000
    assert [name for name in pages if "_static/tracing" in str(pages[name])] == [PAGE]


def test_it_is_fetched_after_the_page_has_loaded(window, address):
    page = window.new_page()
    page.goto(f"{address}{PAGE}")
    page.locator(READY).wait_for()
    early = page.evaluate("""() => {
      const loaded = performance.getEntriesByType('navigation')[0].loadEventStart;
      const all = performance.getEntriesByType('resource');
      return all.filter((one) => one.startTime <= loaded).map(({name}) => name);
    }""")
    assert early and not [name for name in early if "tracing/" in name]
    page.close()


def test_a_vector_of_the_still_has_the_length_that_it_shows(pages):
    shown = [float(one.text) for one in pages[PAGE].select(".trace-row > .trace-number")]
    vectors = [FIRST["streams"][0]]
    for block in range(3):
        vectors += FIRST["streams"][3 * block : 3 * block + 4]
    assert shown == pytest.approx([math.hypot(*vector) for vector in vectors], abs=0.06)
