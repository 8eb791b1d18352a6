"""Weights of `nn.MultiheadAttention` in the module of chapter 5: the same outputs in float64."""

import pytest
import torch
from torch import nn

from autograder.chapters.solutions import load
from autograder.common.files import REPOSITORY
from autograder.notebooks.chapter import reference_cells

# d_model, num_heads, biases, kdim, vdim; None stands for d_model, and two for packed weights
LAYERS = [
    (16, 1, True, None, None),
    (16, 2, False, None, None),
    (24, 3, True, 20, 28),
    (32, 4, False, 8, None),
    (48, 6, True, None, 40),
    (60, 5, True, None, None),
    (96, 8, False, 64, 128),
    (144, 9, True, None, None),
    (220, 11, False, None, None),
    (256, 8, True, 32, 16),
    (384, 12, True, None, None),
    (512, 1, False, None, None),
    (768, 12, True, None, None),
    (768, 12, False, 640, 512),
]


@pytest.fixture(scope="module")
def solved():
    """The names that the reference solutions of the chapter define."""
    names = {}
    for cell in reference_cells(load(REPOSITORY, "05_multi_head")):
        exec(cell.source, names)
    return names


def both(solved, d_model, num_heads, bias, kdim, vdim):
    """PyTorch's layer with random weights and biases, and ours with the same, in float64."""
    sizes = {"bias": bias, "kdim": kdim, "vdim": vdim}
    theirs = nn.MultiheadAttention(d_model, num_heads, batch_first=True, **sizes).double().eval()
    for parameter in theirs.parameters():  # its biases are zeros at first, which would hide them
        nn.init.normal_(parameter, std=d_model**-0.5)
    ours = solved["MultiHeadAttention"](d_model, num_heads, **sizes).double().eval()
    ours.load_state_dict(dict(solved["from_torch"](list(theirs.state_dict().items()))))
    return theirs, ours


@pytest.mark.parametrize(("d_model", "num_heads", "bias", "kdim", "vdim"), LAYERS)
def test_a_loaded_layer_gives_pytorchs_output_and_weights(
    solved, d_model, num_heads, bias, kdim, vdim
):
    torch.manual_seed(d_model + num_heads)
    theirs, ours = both(solved, d_model, num_heads, bias, kdim, vdim)
    query, key, value = (
        torch.randn(2, length, width or d_model, dtype=torch.float64)
        for length, width in ((5, d_model), (7, kdim), (7, vdim))
    )
    mask = torch.ones(5, 7, dtype=torch.bool).tril(2)
    right = theirs(query, key, value, attn_mask=~mask, average_attn_weights=False)
    given = ours(query, key, value, mask)
    for expected, actual in zip(right, given, strict=True):
        torch.testing.assert_close(actual, expected, rtol=1e-12, atol=1e-12)


def test_the_layers_cover_what_is_claimed():
    widths, heads = ([layer[place] for layer in LAYERS] for place in (0, 1))
    assert (min(widths), max(widths), min(heads), max(heads)) == (16, 768, 1, 12)
    assert {layer[2] for layer in LAYERS} == {True, False}
    assert {layer[3:] == (None, None) for layer in LAYERS} == {True, False}
