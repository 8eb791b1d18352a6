import math
from collections import OrderedDict

import numpy
import pytest
import torch
from torch import nn

from autograder.author import Case, Generator
from autograder.confined.observe import observe
from autograder.exercise.observation import Unsent


def seen(target, gradient=False, **inputs):
    return observe(target, Case("case", inputs, gradient=gradient, traced=True, placed=True))


def test_the_output_is_recorded_without_its_graph():
    x = torch.ones(2, requires_grad=True)
    assert not seen(lambda x: x * 2, x=x).output.requires_grad


def test_an_exception_is_an_observation_with_its_type_and_message():
    failure = seen(lambda x: 1 / 0, x=torch.ones(2)).failure
    assert (failure.type, failure.message) == ("ZeroDivisionError", "division by zero")


def test_a_changed_input_is_named_and_the_case_stays_as_it_was():
    x, y = torch.ones(2), torch.ones(2)
    assert seen(lambda x, y: x.add_(y), x=x, y=y).changed == ["x"]
    assert torch.equal(x, torch.ones(2))


def test_gradients_are_recorded_by_input_and_none_where_none_arrives():
    found = seen(lambda x, y: x * y.detach(), gradient=True, x=torch.ones(2), y=torch.ones(2))
    assert found.gradients["y"] is None
    assert found.gradients["x"].abs().min() > 0


def test_a_backward_pass_that_raises_is_told_apart_from_the_call():
    class Broken(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            raise ValueError("no way back")

    found = seen(Broken.apply, gradient=True, x=torch.ones(2))
    assert found.failure is None
    assert found.gradient_failure.message == "no way back"


def test_a_tensor_made_on_the_cpu_is_noticed_without_a_gpu():
    assert "on the CPU" in seen(lambda x: x + torch.zeros(2), x=torch.ones(2)).clash
    assert "on the CPU" in seen(lambda x: torch.zeros(2), x=torch.ones(2)).clash
    assert seen(lambda x: x + torch.zeros_like(x), x=torch.ones(2)).clash == ""


def test_code_that_looks_at_values_is_no_clash():
    assert seen(lambda x: x * 2 if x.any() else x, x=torch.ones(2)).clash == ""


def test_work_is_counted_not_timed():
    cost = seen(lambda a, b: a @ b, a=torch.ones(2, 3), b=torch.ones(3, 5)).cost
    assert (cost.flops, cost.matmuls, cost.largest) == (2 * 2 * 3 * 5, 1, 10)


def test_library_functions_that_a_call_reaches_are_named():
    def through_an_alias(x):
        softmax = torch.softmax
        return softmax(x, -1)

    assert "softmax" in seen(through_an_alias, x=torch.ones(2)).used


def test_a_module_gets_the_weights_of_the_case_and_is_in_evaluation_mode():
    class Layer(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.W_q = nn.Linear(width, 1, bias=False)

        def forward(self, x):
            assert not self.training
            return self.W_q(x)

    weights = {"W_q.weight": torch.tensor([[2.0, 3.0]], dtype=torch.float64)}
    case = Case("c", {"x": torch.ones(2).double()}, construct={"width": 2}, state=weights)
    assert observe(Layer, case).output == torch.tensor([5.0]).double()


def test_a_strange_return_value_becomes_the_name_of_its_type():
    assert seen(lambda x: object(), x=1).output == Unsent("a object")


@pytest.mark.parametrize("dtype", [torch.complex128, torch.uint16, torch.float8_e4m3fn])
def test_a_tensor_that_cannot_be_sent_or_compared_is_told_by_its_dtype(dtype):
    output = seen(lambda x: x.to(dtype), x=torch.ones(2)).output
    assert output == Unsent(f"a tensor of {dtype}")


def test_a_text_that_reads_like_the_name_of_a_type_is_a_text():
    assert seen(lambda x: "a cat", x=1).output == "a cat"


def test_the_name_of_a_type_is_short_and_plain_whatever_the_type_says():
    class Name(str):
        __slots__ = ()
        __str__ = __getitem__ = __format__ = None

    class Meta(type):
        __name__ = property(lambda cls: 1 / 0)

    strange = Meta("Strange", (), {"__module__": 5})
    assert seen(lambda x: strange(), x=1).output == Unsent("a Strange")
    named = type("X", (), {})
    named.__name__ = Name("y" * 10_000)
    kind = seen(lambda x: named(), x=1).output.kind
    assert type(kind) is str and len(kind) <= 100


def test_a_number_of_a_library_is_told_by_its_type_unless_python_knows_it():
    assert type(seen(lambda x: numpy.float64(0.5), x=1).output) is float
    assert seen(lambda x: numpy.float32(0.5), x=1).output == Unsent("a numpy.float32")
    assert seen(lambda x: numpy.ones(2), x=1).output == Unsent("a numpy.ndarray")
    assert seen(lambda x: 1j, x=1).output == Unsent("a complex")
    assert seen(lambda x: True, x=1).output is True


@pytest.mark.parametrize("returned", [{1: 2}, {(1, 2): 3, "a": 4}, OrderedDict({None: 1})])
def test_a_dict_with_keys_that_are_no_texts_is_told_by_its_type(returned):
    kind = Unsent(f"a {'' if type(returned) is dict else 'collections.'}{type(returned).__name__}")
    assert seen(lambda x: returned, x=1).output == kind
    assert seen(lambda x: [{"a": returned}], x=1).output == [{"a": kind}]


def test_an_integer_that_nobody_can_write_down_is_told_by_its_length():
    assert seen(lambda x: 10**400, x=1).output == 10**400
    assert seen(lambda x: 1 << 99_999, x=1).output == Unsent("an integer of 100,000 bits")


def test_a_result_with_more_than_can_be_compared_is_said_to_be_one():
    many = "of more than 1,000 values"
    assert seen(lambda x: x[(None,) * 64], x=torch.ones(2)).output == Unsent("a tensor of 65 axes")
    assert seen(lambda x: [0] * 1_000, x=1).output == Unsent(f"a list {many}")
    assert seen(lambda x: ([{}] * 500, [{}] * 500), x=1).output == Unsent(f"a tuple {many}")
    assert seen(lambda x: [0] * 999, x=1).output == [0] * 999


def test_what_is_too_much_is_named_without_what_the_call_left():
    returned, generator = seen(lambda x, generator: [x] * 4_000, x=1, generator=Generator(3)).output
    assert returned == Unsent("a list of more than 1,000 values")
    assert not isinstance(generator, Unsent)


def test_a_result_that_is_too_large_to_send_is_told_by_what_it_is():
    large, long = "which is too large to compare", "that is too long to compare"
    x = torch.ones(2)
    shape = Unsent(f"a tensor of shape (300000,), {large}")
    assert seen(lambda x: x.expand(150_000, 2).flatten(), x=x).output == shape
    assert seen(lambda x: [x.repeat(100_000)] * 2, x=x).output == Unsent(
        f"a list of tensors, {large}"
    )
    assert seen(lambda x: [x + n for n in range(900)], x=x).output == Unsent(f"a list {long}")
    assert seen(lambda x: "a" * 10**6, x=1).output == Unsent(f"a str {long}")
    assert isinstance(seen(lambda x: x.repeat(130_000), x=x).output, torch.Tensor)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (math.nan, 0.0),
        (0.0, -0.0),
        (-0.0, 0.0),
        (math.inf, torch.finfo(torch.float32).max),
        (-math.inf, torch.finfo(torch.float32).min),
        (1.0, math.nan),
    ],
)
@pytest.mark.parametrize("shape", [(), (2, 3)])
def test_a_number_that_was_written_over_is_a_change(before, after, shape):
    found = seen(lambda x: x.fill_(after), x=torch.full(shape, before))
    assert found.changed == ["x"]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64, torch.complex64, torch.bool])
def test_an_input_that_is_only_looked_at_is_unchanged(dtype):
    special = torch.tensor([math.nan, math.inf, -0.0]).to(dtype)
    for x in (special, special.expand(2, 3).mT, special[:0], special[0]):
        assert seen(lambda x: x.clone(), x=x).changed == []


def test_an_input_in_a_list_that_was_replaced_is_a_change():
    def replaces(x):
        x[1] = None

    def counts(x):
        x[0] += 1

    assert seen(replaces, x=[torch.ones(2), torch.ones(2)]).changed == ["x"]
    assert seen(counts, x=[1, math.nan]).changed == ["x"]
    assert seen(len, x=[1, math.nan, None, "text"]).changed == []
