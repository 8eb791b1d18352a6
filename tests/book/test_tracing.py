"""A text's path through the network of chapter 12: what the page computes, beside torch."""

import packed
import pytest
import stories
import stories_trace
import torch
from tracing_page import EXAMPLES, FIRST, NETWORK, example, field, says, told

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


@pytest.fixture(scope="module")
def model():
    """The same bytes, in torch."""
    torch.set_num_threads(1)
    return stories_trace.unpacked(NETWORK).requires_grad_(False)


def shares(model, text):
    """Of the next word, in torch."""
    tokens = stories_trace.encode(NETWORK, text)[None]
    return model(tokens)[0, -1].softmax(dim=-1)


def likeliest(model, text):
    return NETWORK["words"][shares(model, text).argmax()]


def plain(text):
    """A told story as a reader would type it."""
    return "\n".join(line.strip() for line in text.splitlines())


def test_the_script_computes_what_torch_does(trace, model):
    texts = [plain(stories.told(f"in the browser {at}").text) for at in range(5)]
    for text, found in zip(texts, trace.evaluate(RUN, texts), strict=True):
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


def test_another_story_has_another_answer(trace, model):
    for name in ("Ben moves", "Cleo moves"):
        example(trace, name)
        assert field(trace).input_value() == EXAMPLES[name]
        assert f"the likeliest word is “{likeliest(model, EXAMPLES[name])}” with" in says(trace)
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


def test_what_is_typed_is_read_whatever_its_spaces_and_capitals(trace, model):
    field(trace).fill("\n ada is  in Oslo \n\nADA stays in")
    trace.locator(".trace-says", has_text="token 9").wait_for()
    chips = trace.locator(".trace-chip span").all_inner_texts()
    assert chips == ["start", "Ada", "is", "in", "Oslo", "↵", "Ada", "stays", "in"]
    next_word = likeliest(model, "Ada is in Oslo\nAda stays in")
    assert f"“{next_word}”" in says(trace)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Ada is in Rome", "The network does not know “Rome”. Its names are Ada, Ben, Cleo, Dan, "),
        ("Ada is in Oslo.", "The network does not know “Oslo.”. Its names are Ada, Ben, Cleo, "),
        ("start", "The network does not know “start”. Its names are Ada, Ben, Cleo, Dan, Eva, "),
        ("Ada " * 106, "This text has 107 tokens; the longest story of the training has 106."),
    ],
)
def test_what_the_network_cannot_read_is_told_in_a_sentence_and_stays(trace, text, problem):
    before = trace.locator(".trace-picture").all_inner_texts()
    field(trace).fill(text)
    trace.locator("textarea[aria-invalid=true]").wait_for()
    assert says(trace).startswith(problem)
    trace.get_by_role("button", name="Draw the next word").first.click()
    assert field(trace).input_value() == text
    assert trace.locator(".trace-picture").all_inner_texts() == before


def test_the_sentence_on_an_unknown_word_names_every_word_there_is(trace):
    field(trace).fill("Rome")
    trace.locator("textarea[aria-invalid=true]").wait_for()
    assert all(word in says(trace) for word in NETWORK["words"][2:])


def test_drawn_words_grow_the_text_as_the_probabilities_say_and_can_be_taken_back(trace, model):
    text = EXAMPLES["Ben moves"]
    for number in (0.5, 0.9, 0.1, 0.5):
        trace.evaluate("number => { Math.random = () => number; }", number)
        ends = shares(model, text).cumsum(dim=0)
        token = int((ends <= number).sum())
        assert (ends - number).abs().min() > 1e-3  # no tie that rounding would decide
        trace.get_by_role("button", name="Draw the next word").first.click()
        word = NETWORK["words"][token]
        text += word if "\n" in (word, text[-1]) else f" {word}"
        assert field(trace).input_value() == text
        said = "a line break" if word == "\n" else f"“{word}”"
        assert f"The number drawn is {number:.3f}. It falls on {said}, " in told(trace, "draw")
    for _ in range(4):
        trace.get_by_role("button", name="Take back").click()
    assert field(trace).input_value() == EXAMPLES["Ben moves"]
    assert trace.get_by_role("button", name="Take back").is_disabled()


def test_a_picked_token_is_looked_from_and_what_follows_it_is_said(trace, model):
    trace.locator(".trace-chip", has_text="Delhi").click()
    before = "\n".join([*FIRST["text"].splitlines()[:2], "Ben goes to Delhi"])
    assert f"After “Delhi”, token {len(before.split()) + 3}" in says(trace)
    expected = {"\n": "a line break"}.get(likeliest(model, before))
    assert f"the likeliest word is {expected} with" in says(trace)
    assert "From “Delhi”" in told(trace, "block1")


def test_the_numbers_of_a_step_are_those_of_torch(trace, model):
    for place, tables in {"tokens": 1, "vector": 1, "block2": 4, "next": 1, "draw": 1}.items():
        part = trace.locator(f"[data-trace={place}]")
        part.get_by_text("The numbers").click()
        part.locator("table").first.wait_for()
        assert part.locator("table").count() == tables
    shown = trace.locator("[data-trace=vector] td").all_inner_texts()
    numbers = [float(text.replace("\N{MINUS SIGN}", "-")) for text in shown]
    assert numbers == pytest.approx(FIRST["streams"][0], abs=0.006)
    first = trace.locator("[data-trace=next] tbody tr").first.locator("td").all_inner_texts()
    assert first[0] == likeliest(model, FIRST["text"])
    assert float(first[2]) == pytest.approx(shares(model, FIRST["text"]).max().item(), abs=1e-3)
