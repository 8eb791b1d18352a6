"""Tensors without data seem to be on a GPU: code treats them as it would treat those."""

import pytest
import torch
from torch import nn

from autograder.calls.observe import observe
from autograder.spec import Case


def clash(target):
    return observe(target, Case("case", {"x": torch.ones(2)}, meta=True)).meta


def adds_a_table(where):
    def call(x):
        table = torch.zeros(2)
        return x + (table.to(x.device) if where(x) else table)

    return clash(call)


@pytest.mark.parametrize(
    "looks",
    [
        lambda x: x.is_meta,
        lambda x: x.device.type == "meta",
        lambda x: x.device == torch.device("meta"),
        lambda x: "meta" in str(x.device),
    ],
)
def test_an_exception_made_for_meta_does_not_hide_a_tensor_on_the_cpu(looks):
    assert "expected device" in adds_a_table(looks)


@pytest.mark.parametrize(
    "looks", [lambda x: x.is_cuda, lambda x: x.device.type != "cpu", lambda x: not x.is_cpu]
)
def test_code_that_asks_for_a_gpu_finds_one_where_the_inputs_are(looks):
    assert adds_a_table(looks) == ""


@pytest.mark.parametrize(
    "make",
    [
        lambda x: torch.zeros(2, device=x.device),
        lambda x: torch.zeros(2).to(x.device),
        lambda x: torch.zeros(2).to(x),
        lambda x: torch.zeros(2).to(device=f"{x.device}"),
        lambda x: torch.zeros(2).cuda() if x.is_cuda else torch.zeros(2),
        lambda x: torch.tensor([1.0, 2.0], device=x.device),
        lambda x: x.new_zeros(2),
        lambda x: nn.Linear(2, 2).to(x.device)(x),
        lambda x: nn.Linear(2, 2, device=x.device)(x),
        lambda x: torch.tensor(2.0),
    ],
)
def test_a_tensor_that_is_made_where_the_input_is_is_no_clash(make):
    assert clash(lambda x: x + make(x)) == ""


def test_a_tensor_made_in_the_scope_of_a_device_is_no_clash():
    def call(x):
        with torch.device(x.device):
            return x + torch.zeros(2)

    assert clash(call) == ""
