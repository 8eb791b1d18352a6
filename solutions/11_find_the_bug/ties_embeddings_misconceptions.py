"""Known mistakes of `ties_embeddings`."""

import torch
from torch import nn

from .ties_embeddings import exercise


def redrawn(model):
    """With random numbers for weights."""
    for p in model.parameters():
        nn.init.normal_(p)
    return model


def count(model) -> int:
    """How many symbols it knows."""
    return int(model(torch.tensor([[0]])).size(-1))


def linears(model) -> list[nn.Linear]:
    return [part for part in model.modules() if isinstance(part, nn.Linear)]


@exercise.base
def right(make):
    model = redrawn(make())
    for symbol in range(size := count(model)):
        present = (symbol + 1) % size
        logits = model(torch.tensor([[present, present]]))[..., symbol].sum()
        (found,) = torch.autograd.grad(logits, model.embed.weight, materialize_grads=True)
        if not found[symbol].all():
            return False
    return True


# fmt: off
right.mistake("says_the_opposite",
    {"return False\n    return True": "return True\n    return False"},
    "Your function returns False for tied models, and True for others. Read its name as a "
    "question: is the embedding tied?")


@exercise.misconception(
    "You call models tied that are not. If you compare shapes, note that untied models have two "
    "matrices of the same shape."
)
def compares_shapes(make):
    return any(layer.weight.shape == make().embed.weight.shape for layer in linears(make()))


@exercise.misconception(
    "You call models tied that are not. If you compare numbers, note that two parameters may "
    "start with the same ones, as copies or zeros do, and differ after the first step."
)
def compares_numbers(make):
    model = make()
    layers = [layer for layer in linears(model) if layer.weight.shape == model.embed.weight.shape]
    return not layers or any(torch.equal(layer.weight, model.embed.weight) for layer in layers)


@exercise.misconception(
    "You mistake two parameters for one. If you ask where numbers are in memory, note that two "
    "parameters can share memory. Each then has its own gradient, and an optimiser changes the "
    "numbers twice."
)
def compares_memory(make):
    model = make()
    place = model.embed.weight.data_ptr()
    layers = linears(model)
    return not layers or any(layer.weight.data_ptr() == place for layer in layers)


@exercise.misconception(
    "If you look for a layer whose weight is the embedding's, note that a model can multiply by "
    "the embedding without any such layer, or have such a layer and not use it."
)
def looks_for_a_layer(make):
    model = make()
    return any(layer.weight is model.embed.weight for layer in linears(model))


@exercise.misconception(
    "You call models tied because they have no second matrix. If you count parameters, note that "
    "this does not show how the first is used. With a cut gradient, a buffer or the wrong rows, "
    "the model is not tied."
)
def counts_parameters(make):
    model = make()
    return sum(p.numel() == model.embed.weight.numel() for p in model.parameters()) == 1


@exercise.misconception(
    "You call models tied that copy the numbers at each call. If you change a row and see whether "
    "its logit changes, note that it also does with a copy, though no gradient comes back. Which "
    "parameter does the gradient reach?"
)
def moves_a_row(make):
    model = redrawn(make())
    for symbol in range(size := count(model)):
        tokens = torch.tensor([[(symbol + 1) % size] * 2])
        before = model(tokens)[..., symbol].detach().clone()
        with torch.no_grad():
            model.embed.weight[symbol] += torch.randn(model.embed.weight.size(1))
        if torch.allclose(model(tokens)[..., symbol], before, rtol=0, atol=1e-6):
            return False
    return True


@exercise.misconception(
    "You mistake two parameters that share memory for one. If you take a step with all "
    "parameters, note that the other one's gradient then changes the embedding. Look at "
    "`embed.weight.grad`."
)
def takes_a_step_of_all(make):
    model = redrawn(make())
    step = torch.optim.SGD(model.parameters(), lr=0.1)
    for symbol in range(size := count(model)):
        old = model.embed.weight.detach().clone()
        step.zero_grad()
        logits = model(torch.tensor([[(symbol + 1) % size] * 2]))[..., symbol].sum()
        if logits.requires_grad:
            logits.backward()
            step.step()
        if (model.embed.weight[symbol] == old[symbol]).any():
            return False
    return True


right.mistake("tries_one_symbol",
    {"range(size := count(model))": "range(1)", "% size": "% count(model)"},
    "You test a single symbol only. If you try one symbol, or let the gradients of several calls "
    "add up, note that each symbol has a row, and a model may tie all but one of them.")
right.mistake("takes_the_weights_as_they_are", {"redrawn(make())": "make()"},
    "You use the weights as they are. Where they are zeros, so are the gradients, tied or not. "
    "Set them to random numbers first.")


@exercise.misconception(
    "You accept every model. If the symbols are in the text, or you accept any gradient, note "
    "that rows of the text get one as inputs, tied or not. Test the row of a symbol that is not "
    "in the text."
)
def asks_about_symbols_that_are_there(make):
    model = redrawn(make())
    tokens = torch.arange(count(model))[None]
    model(tokens).logsumexp(-1).sum().backward()
    return bool(model.embed.weight.grad[tokens[0]].ne(0).all())


right.mistake("asks_for_one_entry", {".all()": ".any()"},
    "If you ask whether any entry of a row gets a gradient, note that a model with a missing "
    "transpose passes: one entry gets a gradient, but all of them should.")
right.mistake("asks_for_any_row",
    {"found[symbol].all()": "found[torch.arange(len(found)) != present].any()"},
    "If you ask whether any row gets a gradient from a symbol's logit, note that it has to be the "
    "symbol's own row.")
right.mistake("sets_all_to_one",
    {"redrawn(make())": "make()\n    for p in model.parameters():\n        nn.init.ones_(p)"},
    "You reject models that are tied. If all parameters are the same number, hidden vectors can "
    "be zeros, for instance after a norm. Draw random ones.")
right.mistake("asks_with_one_text_for_all", {"(symbol + 1) % size": "0", "size := ": ""},
    "If you test all symbols with one text, that text contains the symbol you test, so its row "
    "also gets a gradient from the input. Test each symbol with a text that lacks it.")
