import torch
from torch import nn

from autograder.observe import observe
from autograder.spec import Case


def seen(target, gradient=False, **inputs):
    return observe(target, Case("case", inputs, gradient=gradient, traced=True, meta=True))


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
    assert "expected device" in seen(lambda x: x + torch.zeros(2), x=torch.ones(2)).meta
    assert "cpu" in seen(lambda x: torch.zeros(2), x=torch.ones(2)).meta
    assert seen(lambda x: x + torch.zeros_like(x), x=torch.ones(2)).meta == ""


def test_code_that_looks_at_values_is_no_clash():
    assert seen(lambda x: x * 2 if x.any() else x, x=torch.ones(2)).meta == ""


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
    assert seen(lambda x: object(), x=1).output == "a object"
