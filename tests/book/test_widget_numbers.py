"""The functions behind the widgets give what torch gives."""

import base64
import functools
import math

import book_site
import numpy as np
import pytest
import torch
from lm_model import Kind, Transformer
from torch.nn import functional as F
from widget_functions import assert_same, compute, random
from widget_pages import widget_data


@pytest.fixture(scope="module")
def scripts(browser):
    """An empty page with the scripts of all widgets."""
    page = browser.new_page()
    folder = book_site.BOOK / "widgets"
    names = [path.name for path in folder.glob("*.js") if path.name != "widget.js"]
    for name in ("elements.js", "random.js"):
        page.add_script_tag(path=book_site.BOOK / "scripts" / name)
    for name in ("widget.js", *names):
        page.add_script_tag(path=folder / name)
    yield page
    page.close()


@pytest.mark.parametrize("temperature", [0.05, 0.5, 1.0, 8.0])
def test_the_soft_lookup_is_that_of_torch(scripts, temperature):
    scores, value = random(5).requires_grad_(), random(5) * 10
    found = compute(scripts, "soft_lookup", scores, value, temperature)
    weights = (scores / temperature).softmax(dim=-1)
    output = weights @ value
    output.backward()
    assert_same(found["weights"], weights)
    assert_same(found["output"], output)
    assert_same(found["gradient"], scores.grad)
    assert found["hard"] == value[scores.argmax()].item()


def test_queries_keys_and_values_give_what_torch_gives(scripts):
    query, key, value = random(4, 2), random(5, 2), random(5, 3)
    found = compute(scripts, "three_tokens", query, key, value)
    assert_same(found["scores"], query @ key.T)
    assert_same(found["weights"], (query @ key.T).softmax(dim=-1))
    assert_same(found["output"], F.scaled_dot_product_attention(query, key, value, scale=1.0))


@pytest.mark.parametrize("power", [0, 0.5, 1])
@pytest.mark.parametrize("d_k", [1, 64, 1024])
def test_the_saturation_and_its_jacobian_are_those_of_torch(scripts, d_k, power):
    scaled = random(4)
    found = compute(scripts, "saturation", scaled, d_k, power)
    scores = scaled * d_k**0.5 / d_k**power
    assert_same(found["weights"], scores.softmax(dim=-1))
    softmax = functools.partial(torch.softmax, dim=-1)
    assert_same(found["jacobian"], torch.autograd.functional.jacobian(softmax, scores))


@pytest.mark.parametrize("late", [False, True])
def test_masked_weights_are_those_of_torch_and_leaks_those_of_autograd(scripts, late):
    scores, mask = random(6, 6), random(6, 6).T > -0.3
    mask[3], mask[4] = False, torch.arange(6) < 4  # an empty row, and an honest one
    found = compute(scripts, "mask_paint", scores, mask, late)

    def attend(scores):
        hidden = scores if late else scores.masked_fill(~mask, -math.inf)
        return hidden.softmax(dim=-1).nan_to_num() * mask

    assert_same(found["weights"], attend(scores))
    slopes = torch.autograd.functional.jacobian(attend, scores).nan_to_num()  # [q, k, q, k]
    later = torch.ones(6, 6).triu(1).bool()
    moved = (slopes * later).abs().sum(dim=(1, 2, 3)) > 1e-12
    assert found["leaks"] == (moved | (attend(scores) * later > 0).any(dim=-1)).tolist()
    assert found["empty"] == (~mask.any(dim=-1)).tolist()


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 6])
@pytest.mark.parametrize("backwards", [False, True])
def test_tiles_merge_to_what_torch_gives_at_once(scripts, size, backwards, causal):
    scores, value = 300 * random(6, 6), random(6)
    how = {"size": size, "backwards": backwards, "causal": causal}
    run = "([how, scores, values]) => courseWidgets.tiles(how, 99, scores, values)"
    found = scripts.evaluate(run, [how, scores.tolist(), value.tolist()])
    kept = {name: [state[name] for state in found["states"]] for name in found["states"][0]}
    seen = scores.masked_fill(torch.ones(6, 6).triu(1).bool() & causal, -math.inf)
    assert_same(kept["maximum"], seen.amax(dim=-1))
    assert_same(kept["total"], (seen - seen.amax(dim=-1, keepdim=True)).exp().sum(dim=-1))
    output = [summed / total for summed, total in zip(kept["summed"], kept["total"], strict=True)]
    assert_same(output, seen.softmax(dim=-1) @ value)
    rows = 6 // size
    assert len(found["tiles"]) == (rows * (rows + 1) // 2 if causal else rows**2)


def test_bytes_of_a_cache_are_those_of_its_tensors(scripts):
    for shared, window, size, texts in ((32, math.inf, 2, 1), (8, 1024, 1, 16)):
        state = {"shared": shared, "window": window, "size": size, "texts": texts}
        run = "([state, length]) => courseWidgets.cache_bars(state, length)"
        for length in (1000, 4096):
            dtype = torch.float16 if size == 2 else torch.int8
            kept = length if window == math.inf else min(length, window + 4)
            keys = torch.empty(texts, shared, kept, 128, dtype=dtype, device="meta")
            assert scripts.evaluate(run, [state, length]) == 2 * 32 * keys.nbytes


@pytest.mark.parametrize("decay", [1, 0.3])
@pytest.mark.parametrize("rule", ["linear", "delta"])
def test_a_written_state_is_that_of_torch(scripts, rule, decay):
    keys, values, betas = random(5, 3), random(5, 3), random(5).sigmoid()
    how = {"rule": rule, "decay": decay}
    writes = [
        {"key": key, "value": value, "beta": beta} | how
        for key, value, beta in zip(keys.tolist(), values.tolist(), betas.tolist(), strict=True)
    ]
    state = torch.zeros(3, 3, dtype=torch.float64)  # [d_k, d_v]
    for key, value, beta in zip(keys, values, betas, strict=True):
        state = decay * state
        missing = value if rule == "linear" else beta * (value - key @ state)
        state = state + torch.outer(key, missing)
    assert_same(scripts.evaluate("writes => courseWidgets.state_matrix(writes)", writes), state)


def test_found_curves_count_the_names_that_are_right_and_the_ends_that_nobody_can_tell(scripts):
    curves = [{"name": name, "values": [2, end]} for name, end in (("a", 1), ("b", 1.02), ("c", 0))]
    run = "([data, guesses]) => courseWidgets.find_curve(data, guesses)"
    for guesses, right in ((["a", "b", "c"], 3), (["b", "a", "c"], 1), (["", "", ""], 0)):
        found = scripts.evaluate(run, [{"curves": curves, "near": 0.05}, guesses])
        assert found == {"right": right, "twins": [[0, 1]]}


@pytest.mark.parametrize("temperature", [0.25, 1.0, 4.0])
@pytest.mark.parametrize("top_p", [0.05, 0.6, 1.0])
def test_draws_have_the_chances_that_torch_gives(scripts, temperature, top_p):
    logits = random(50).sort(descending=True).values * 3
    found = compute(scripts, "sampling.chances", logits, temperature, top_p)
    weights = (logits / temperature).softmax(dim=-1)
    kept = weights * ((weights.cumsum(dim=-1) - weights < top_p) | (top_p == 1))
    assert_same(found, kept / kept.sum())


def test_the_model_in_the_page_says_what_its_weights_say_in_torch(scripts, book):
    data = widget_data(book, "sampling")
    tokens = [at * 37 % len(data["tokens"]) for at in range(50)]  # more than the window
    model = Transformer(Kind(window=32, vocabulary=len(data["tokens"])))
    whole = np.frombuffer(base64.b64decode(data["weights"]), dtype=np.int8)
    weights, end = dict(model.named_parameters()), 0
    for name, rows, columns, step in data["parts"]:
        start, end = end, end + rows * columns
        weights[name].data = torch.tensor(whole[start:end] * step).float().view_as(weights[name])
    assert end == len(whole) and {part[0] for part in data["parts"]} == {*weights} - {
        "positions.weight"
    }
    found = torch.tensor(compute(scripts, "sampling.logits", data, tokens))
    expected = model(torch.tensor([tokens]))[0, -1].detach()
    torch.testing.assert_close(found, expected, atol=1e-3, rtol=0)


def test_head_scores_are_those_of_the_experiment(scripts):
    period = 5
    weights = random(2 * period, 2 * period).exp().tril()
    weights /= weights.sum(dim=-1, keepdim=True)
    seen = [row[: at + 1] for at, row in enumerate(weights.tolist())]
    found = scripts.evaluate("([rows, n]) => courseWidgets.heads(rows, n)", [seen, period])
    assert_same(found["previous"], weights.diagonal(-1)[: period - 1].mean())
    assert_same(found["induction"], weights.diagonal(1 - period)[1:].mean())
    assert found["largest"] == weights.argmax(dim=-1).tolist()


def test_the_largest_weights_of_a_step_are_those_of_torch(scripts):
    weights = random(10, 12).softmax(dim=-1)
    for step in (1, 10):
        example = {"weights": weights.tolist(), "made": "2019-03-05", "readings": ["2019-03-05"]}
        found = scripts.evaluate("([e, n]) => courseWidgets.alignment(e, n)", [example, step])
        values, keys = weights[step - 1].topk(4)
        assert [key for key, _ in found["largest"]] == keys.tolist()
        assert_same([weight for _, weight in found["largest"]], values)
        assert_same(found["rest"], 1 - values.sum())


@pytest.mark.parametrize(
    ("readings", "made", "step", "mistakes"),
    [
        (["1996-09-26"], "1969-09-26", 10, [2, 3]),
        (["1996-09-26"], "1969-09-26", 3, [2]),  # what is not yet written is no mistake
        (["2019-03-05", "2019-05-03"], "2019-05-03", 10, []),
        (["2019-03-05", "2019-05-03"], "2019-05-04", 10, [9]),  # of the nearest reading
    ],
)
def test_a_mistake_is_one_by_the_nearest_reading(scripts, readings, made, step, mistakes):
    example = {"readings": readings, "made": made, "weights": [[1.0]] * 10}
    found = scripts.evaluate("([e, n]) => courseWidgets.alignment(e, n)", [example, step])
    assert found["mistakes"] == mistakes


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize("mlp", [False, True])
def test_tokens_go_through_the_layers_of_the_widget_as_through_those_of_torch(
    scripts, skip, norm, mlp
):
    shapes = {"compare": (2, 2), "W_v": (2, 2), "W_1": (2, 8), "W_2": (8, 2)}
    layers = [{name: random(*shape) for name, shape in shapes.items()}] * 3
    x, expected = random(8, 2), []
    plain = [{name: matrix.tolist() for name, matrix in one.items()} for one in layers]
    data = {"tokens": x.tolist(), "layers": plain}
    switches = {"skip": skip, "norm": norm, "mlp": mlp}
    found = scripts.evaluate("([d, s]) => courseWidgets.collapse(d, s)", [data, switches])
    for layer in layers:
        expected.append(x)
        inner = F.rms_norm(x, (2,), eps=1e-5) if norm else x
        made = F.scaled_dot_product_attention(inner @ layer["compare"], inner, inner, scale=1.0)
        x = made @ layer["W_v"] + (x if skip else 0)
        if mlp:
            inner = F.rms_norm(x, (2,), eps=1e-5) if norm else x
            x = F.relu(inner @ layer["W_1"]) @ layer["W_2"] + (x if skip else 0)
    assert_same(found, torch.stack([*expected, x]))


@pytest.mark.parametrize(("query_at", "key_at"), [(3, 2), (64, 0), (1064, 1000), (5, 5)])
@pytest.mark.parametrize("speed", [1, 0.1, 0.01])
def test_the_hands_of_the_clock_are_turned_vectors_and_their_product_knows_the_distance(
    scripts, query_at, key_at, speed
):
    found = compute(scripts, "clock_hands", query_at, key_at, speed)
    first = torch.tensor([1.0, 0.0], dtype=torch.float64)
    query, key = (turned(first, at * speed) for at in (query_at, key_at))
    assert_same(found["query"], query)
    assert_same(found["key"], key)
    assert_same(found["product"], first @ turned(first, (query_at - key_at) * speed))
    assert_same(found["apart"], torch.tensor((query_at - key_at) * speed, dtype=torch.float64))


def test_numbers_are_printed_as_python_prints_them(scripts):
    values = [at / 16 for at in range(-40, 40)] + [0.145, 1.005, 2.675, 1e-9, math.pi]
    shown = scripts.evaluate("all => all.map(x => courseWidgets.text(x))", values)
    for value, text in zip(values, shown, strict=True):
        plain = f"{value:.2f}".replace("-", "\N{MINUS SIGN}") if value else "0"
        assert text == plain, value


def turned(vector, angle):
    """From (1, 0) to (0, 1), by a matrix."""
    generator = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=torch.float64)
    return torch.matrix_exp(angle * generator) @ vector
