"""Tensors that seem to be on a GPU: what would fail there fails, and what would run there runs."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from autograder.author import Case
from autograder.common.fake_gpu import on_fake_gpu
from autograder.confined.observe import observe


def clash(target):
    return observe(target, Case("case", {"x": torch.ones(2, 3)}, placed=True)).clash


def filled_in_place(x):
    out = torch.zeros(2, 3)
    out[0] = x[0]
    return out


ON_THE_CPU = [
    filled_in_place,
    lambda x: x + torch.zeros(2, 3),
    lambda x: torch.tensor(x.tolist()),
    lambda x: x.cpu(),
    lambda x: x.masked_fill(torch.ones(2, 3).bool(), 0),
    lambda x: x.masked_fill(torch.ones(2, 3).triu() == 0, 0) if x.any() else x,
    lambda x: torch.stack([x.sum(), torch.tensor(1.0)]),
    lambda x: torch.where(x > 0, x, torch.zeros(2, 3)),
    lambda x: F.embedding(torch.tensor([0, 1]), x),
    nn.Linear(3, 3),
    lambda x: torch.from_numpy(x.numpy() * 2).to(x.device),
    lambda x: torch.tensor(1.0),
    lambda x: x.index_put((torch.tensor([0]),), torch.zeros(1, 3)),
    lambda x: torch.zeros(2, 3)[x[0].long()],
    lambda x: torch.tensor(0.0).add_(x.sum()),
    lambda x: x.clamp(max=torch.tensor(1.0)),
    lambda x: x.index_select(0, torch.tensor(1)),
    lambda x: F.mse_loss(x, torch.tensor(0.0)),
    lambda x: F.cross_entropy(x[0], torch.tensor(1)),
    lambda x: torch.searchsorted(x[0], torch.tensor(0.5)),
]
ON_THE_GPU = [
    lambda x: x * 2 if (x > 0).any() else x,
    lambda x: x * x.max().item() + float(x.sum()),
    lambda x: torch.tensor(sorted(x.flatten().tolist()), device=x.device),
    lambda x: torch.tensor(x.tolist()).to(x),
    lambda x: (x.cpu() * 2).to(x.device),
    lambda x: torch.from_numpy(x.cpu().numpy() * 2).to(x),
    lambda x: x + torch.tensor(2.0),
    lambda x: x.clone().t_().t_() + x[0] @ x.mT @ x,
    lambda x: x[torch.tensor([0, 1])],
    lambda x: x[x > 0],
    lambda x: x.index_put((torch.tensor([0]),), torch.tensor(0.0)),
    lambda x: x + torch.arange(3, device=x.device) + x.new_ones(3) + torch.zeros_like(x),
    lambda x: F.scaled_dot_product_attention(x, x, x),
    lambda x: nn.MultiheadAttention(3, 1).to(x.device)(x, x, x),
    lambda x: torch.autograd.functional.jacobian(lambda y: y * 2, x),
    lambda x: torch.stack([row.softmax(-1) for row in x]),
    lambda x: torch.func.jacfwd(lambda y: (y @ x.mT).softmax(-1))(x),
    lambda x: torch.func.hessian(lambda y: (y * x).square().sum())(x),
    lambda x: torch.func.jvp(torch.sin, (x,), (x,))[1],
    lambda x: x.clone().fill_(torch.tensor(0.5)) + x.clone().add_(torch.tensor(0.5)),
    lambda x: x.clone().index_put_((torch.tensor([0]),), torch.tensor(0.0)),
    lambda x: torch.where(x > 0, x, torch.tensor(0.0)) ** torch.tensor(2.0),
    lambda x: torch.lerp(x, x, torch.tensor(0.5)),
    lambda x: x.select_scatter(torch.zeros(3), 0, 0),
    lambda x: x.slice_scatter(torch.zeros(1, 3), 0, 0, 1),
    lambda x: torch.addcmul(x, x, torch.tensor(2.0)),
]


@pytest.mark.parametrize("wrong", ON_THE_CPU)
def test_what_stays_on_the_cpu_is_found(wrong):
    assert "CPU" in clash(wrong) or "NumPy" in clash(wrong)


def test_a_device_chosen_by_whether_there_is_a_gpu_is_not_that_of_the_input(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "CPU" in clash(lambda x: x.to("cuda" if torch.cuda.is_available() else "cpu"))


@pytest.mark.parametrize("right", ON_THE_GPU)
def test_what_runs_on_a_gpu_is_left_alone(right):
    assert clash(right) == ""


def adds_a_table(where):
    def call(x):
        table = torch.zeros(2, 3)
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
    assert "CPU" in adds_a_table(looks)


@pytest.mark.parametrize(
    "looks", [lambda x: x.is_cuda, lambda x: x.device.type != "cpu", lambda x: not x.is_cpu]
)
def test_code_that_asks_for_a_gpu_finds_one_where_the_inputs_are(looks):
    assert adds_a_table(looks) == ""


@pytest.mark.parametrize(
    "make",
    [
        lambda x: torch.zeros(3, device=x.device),
        lambda x: torch.zeros(3).to(x.device),
        lambda x: torch.zeros(3).to(x),
        lambda x: torch.zeros(3).to(device=f"{x.device}"),
        lambda x: torch.zeros(3).cuda() if x.is_cuda else torch.zeros(3),
        lambda x: torch.tensor([1.0, 2.0, 3.0], device=x.device),
        lambda x: x.new_zeros(3),
        lambda x: nn.Linear(3, 3).to(x.device)(x),
        lambda x: nn.Linear(3, 3, device=x.device)(x),
        lambda x: torch.tensor(2.0),
    ],
)
def test_a_tensor_that_is_made_where_the_input_is_is_no_clash(make):
    assert clash(lambda x: x + make(x)) == ""


def test_a_tensor_made_in_the_scope_of_a_device_is_no_clash():
    def call(x):
        with torch.device(x.device):
            return x + torch.zeros(3)

    assert clash(call) == ""


def test_weights_that_a_module_forgets_to_register_are_found():
    class Forgetful(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 3, bias=False)
            self.table = torch.ones(3)

        def forward(self, x):
            return self.layer(x) + self.table

    state = {"layer.weight": torch.eye(3)}
    case = Case("case", {"x": torch.ones(2, 3)}, placed=True, construct={}, state=state)
    assert "CPU" in observe(Forgetful, case).clash
    Forgetful.forward = lambda self, x: self.layer(x)
    assert observe(Forgetful, case).clash == ""


@pytest.mark.parametrize(
    "index",
    [
        [1, 0],
        ([1, 0], [2, 0]),
        (slice(None), [2, 0]),
        ([[1], [0]], [2, 0]),
        [True, False],
        (slice(None), []),
        (Ellipsis, [-1]),
    ],
)
def test_lists_find_the_numbers_that_they_name(index):
    """Which torch would put where there are none."""
    values = torch.arange(6.0).reshape(2, 3)
    with on_fake_gpu():
        there = values.to("cuda")
        found = there[index].tolist()
        there[index] = there[index] + 7
        written = there.cpu().tolist()
    assert found == values[index].tolist()
    values[index] += 7
    assert written == values.tolist()
