"""Chapter 6 compares attention with rivals that lack attention, but not size or the question."""

import elsewhere_pointing as pointing
import elsewhere_portfolio as portfolio
import pytest
import torch
from cross_fit import parameters
from cross_model import EncoderLayer, UnmixedLayer


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)


def changed(layer):
    """Which of five tokens get another output when the first becomes another one."""
    x = torch.randn(1, 5, 32)
    other = torch.cat([torch.randn(1, 1, 32), x[:, 1:]], dim=1)
    return (layer(x) != layer(other)).any(dim=-1)[0].tolist()


def test_the_layer_without_attention_mixes_no_tokens_and_is_as_large():
    mixed, unmixed = EncoderLayer(32, 4), UnmixedLayer(32, 4)
    assert changed(mixed) == [True] * 5
    assert changed(unmixed) == [True] + [False] * 4
    assert parameters(unmixed) == pytest.approx(parameters(mixed), rel=0.01)


def test_the_portfolio_without_attention_is_the_same_network_but_for_one_layer():
    networks = [portfolio.OverAssets(layer) for layer in portfolio.LAYERS.values()]
    names = [{name for name, _ in one.named_parameters() if not name.startswith("layer.")}
             for one in networks]  # fmt: skip
    assert names[0] == names[1]


def test_a_gru_that_is_asked_first_has_the_question_in_its_state():
    """Two questions about one story: only then does the last state differ."""
    facts, asked, _ = pointing.data("places", 2, 0)
    story = facts[:1].expand(2, -1, -1)
    for name, differs in (("places", False), ("asked", True)):
        model = pointing.MODELS[name]()
        states = []
        model.gru.register_forward_hook(lambda *made, kept=states: kept.append(made[2][0][:, -1]))
        model(story, asked)
        assert (states[0][0] != states[0][1]).any() == differs
        assert parameters(model) == parameters(pointing.MODELS["places"]())
