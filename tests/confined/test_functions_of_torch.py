"""Every function of torch on tensors that seem to be on a GPU, against the same call on the CPU.

The calls are those with which torch tests its own operators and modules.
"""

import copy
import warnings
from functools import partial
from itertools import islice

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves, tree_map

from autograder.common.fake_gpu import is_on_fake_gpu, on_fake_gpu

SAMPLES = 3  # of each operator and each module
DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64)
FORMS = ("op", "method_variant", "inplace_variant")
# Their calls end in an exception that is no clash, so nobody is refused for them.
RAISES = {
    "as_strided.partial_views": "its views lie in a storage that a copy on a GPU has not",
    "sparse.mm.reduce": "tensors in CSR form are not imitated",
    "sparse.sampled_addmm": "tensors in CSR form are not imitated",
    "tensor_split": "its samples give it positions on the GPU, which a GPU refuses, too",
}
UNEQUAL = {
    "empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided",
    "nn.functional.rrelu",  # draws in another order
}  # fmt: skip


def there(value):
    """The value with its tensors on the GPU, and with the GPU where it names a device."""
    if isinstance(value, Tensor):
        return value.detach().clone().to("cuda")
    return "cuda" if isinstance(value, torch.device) or value == "cpu" else value


def here(value):
    return value.detach().clone() if isinstance(value, Tensor) else value


def outcome(call, move):
    """What a call returns, with the same random numbers each time."""
    torch.default_generator.manual_seed(0)
    result = call(move)
    return [leaf for leaf in tree_leaves(result) if isinstance(leaf, Tensor)]


def difference(call, values=True):
    """What differs where tensors seem to be on a GPU; None where the CPU itself cannot do it."""
    try:
        right = outcome(call, partial(tree_map, here))
    except Exception:
        return None
    with on_fake_gpu():
        try:
            seen = outcome(call, partial(tree_map, there))
        except Exception as error:
            return f"{type(error).__name__}: {error}"[:200]
    if not all(map(is_on_fake_gpu, seen)):
        return "something is on the CPU"
    try:
        pairs = zip(right, seen, strict=True)
        for one, other in pairs if values else ():
            torch.testing.assert_close(other.held, one.detach(), equal_nan=True, check_stride=False)
    except (AssertionError, ValueError) as error:
        return str(error)[:200]
    return ""


def calls(operator):
    """Its calls as a function, and one of them as a method and in place."""
    dtype = next((dtype for dtype in DTYPES if dtype in operator.dtypes), None)
    if dtype is None or operator.name == "to":  # whose samples name devices by themselves
        return
    try:
        samples = list(islice(operator.sample_inputs("cpu", dtype), SAMPLES))
    except Exception:  # needs a library that is not here
        return
    for number, form in enumerate(getattr(operator, form) for form in FORMS):
        for sample in samples[: 1 if number else SAMPLES] if form else ():
            inputs = sample.input, sample.args, sample.kwargs

            def call(move, form=form, inputs=inputs):
                given, args, kwargs = move(inputs)
                return form(given, *args, **kwargs)

            yield call


@pytest.fixture
def operators(monkeypatch):
    """Torch's own list, which takes seconds to import.

    For each sample torch looks through the whole stack, which would take most of the time.
    """
    from torch.testing._internal import common_utils
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.testing._internal.opinfo import core

    seed = torch.default_generator.manual_seed
    monkeypatch.setattr(common_utils, "set_rng_seed", lambda number=0: seed(number or 0))
    for module in (common_utils, core):
        monkeypatch.setattr(module, "extract_test_fn", lambda: None)
    return op_db


def test_every_operator_gives_the_same_on_the_gpu(operators):
    tried, found = 0, {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for operator in operators:
            name = operator.full_name
            for call in calls(operator):
                said = difference(call, values=name not in UNEQUAL)
                tried += said is not None
                if said and name not in RAISES:
                    found[name] = said
    assert found == {}
    assert tried > 2000


def module_calls(info):
    """A module with its parameters where its inputs are, called and copied, in training."""
    try:
        samples = info.module_inputs_func(
            info.module_cls, device="cpu", dtype=torch.float32, requires_grad=False, training=True
        )
    except Exception:
        return
    for sample in samples[:SAMPLES]:
        made = sample.constructor_input
        module = info.module_cls(*made.args, **made.kwargs)
        inputs = sample.forward_input and (sample.forward_input.args, sample.forward_input.kwargs)
        if not inputs:
            continue

        def call(move, module=module, inputs=inputs):
            args, kwargs = move(inputs)
            device = next(leaf.device for leaf in tree_leaves(args) if isinstance(leaf, Tensor))
            return copy.deepcopy(module).to(device)(*args, **kwargs)

        yield call


@pytest.mark.usefixtures("operators")
def test_every_module_gives_the_same_on_the_gpu():
    from torch.testing._internal.common_modules import module_db

    tried, found = 0, {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for info in module_db:
            lazy = info.name.startswith("nn.Lazy")  # these end in an exception that is no clash
            for call in module_calls(info) if not lazy else ():
                said = difference(call)
                tried += said is not None
                if said:
                    found[info.name] = said
    assert found == {}
    assert tried > 200


tensor_by_its_own_name = torch.tensor  # as after `from torch import tensor`
MADE_FROM_NUMBERS = [
    lambda x, i: x.new_tensor([1.0, 2.0]),
    lambda x, i: x.new_tensor(data=3),
    lambda x, i: x.new_tensor([i[0], i[1]]),
    lambda x, i: Tensor.new_tensor(x, [1, 2], dtype=torch.int32),
    lambda x, i: x.new_tensor([1.0], device=x.device),
    lambda x, i: x.new([1.0, 2.0]),
    lambda x, i: x.new_full((2,), 3),
    lambda x, i: torch.tensor([i[0], i[1]], device=x.device),
    lambda x, i: torch.tensor([[x.sum(), x.mean()]], device="cuda" if x.is_cuda else "cpu"),
    lambda x, i: torch.tensor(x, dtype=torch.float64),
    lambda x, i: torch.tensor(torch.ones(2), device=x.device),
    lambda x, i: torch.tensor(data=[1, 2], device=x.device),
    lambda x, i: tensor_by_its_own_name([1, 2], device=x.device),
    lambda x, i: torch.asarray(obj=[1, 2], device=x.device),
    lambda x, i: x.new(x.shape).fill_(1.0),
    lambda x, i: torch.as_tensor(x),
    lambda x, i: torch.as_tensor([1, 2], device=x.device),
    lambda x, i: torch.asarray(x, dtype=torch.float64),
    lambda x, i: torch.asarray([1, 2], device=x.device),
    lambda x, i: torch.asarray(torch.ones(2).numpy(), device=x.device),
    lambda x, i: torch.from_numpy(torch.ones(2).numpy()).to(x),
    lambda x, i: torch.unravel_index(i, (3, 4)),
    lambda x, i: torch.unravel_index(x.argmax(), x.shape),
    lambda x, i: x[:, [i[0], i[1]]],
    lambda x, i: x[[i[0], 1], [0, i[1]]],
    lambda x, i: x[i[0], i[1]],
    lambda x, i: torch.stack([i[0], i[1]]),
    lambda x, i: torch.full((2,), x.max().item(), device=x.device),
    lambda x, i: torch.full_like(x, x.max().item()),
    lambda x, i: torch.scalar_tensor(2.0, device=x.device),
    lambda x, i: torch.arange(int(i[1]), device=x.device),
    lambda x, i: torch.linspace(0, 1, 3, device=x.device),
    lambda x, i: torch.zeros(2).type_as(x),
    lambda x, i: torch.zeros(3, 4).copy_(x).to(x.device),
    lambda x, i: x.clone().fill_diagonal_(2.0),
    lambda x, i: x.clone().random_(3),
    lambda x, i: x.clone().normal_().exponential_(),
    lambda x, i: x.data,
    lambda x, i: x.type(torch.float64),
    lambda x, i: torch.poisson(x),
    lambda x, i: torch.binomial(x, torch.full_like(x, 0.5)),
    lambda x, i: F.gumbel_softmax(x),
    lambda x, i: F.fold(x.reshape(1, 12, 1), (2, 2), (2, 2)),
    lambda x, i: F.affine_grid(x[:2, :3][None], (1, 1, 2, 2)),
    lambda x, i: F.dropout1d(x[None]),
    lambda x, i: F.lp_pool1d(x[None], 2, 2),
    lambda x, i: nn.init.xavier_uniform_(x.clone()),
    lambda x, i: nn.init.trunc_normal_(x.clone()),
    lambda x, i: torch.max(x, 1, out=(x.new_empty(3), i.new_empty(3))),
    lambda x, i: torch.sort(x, out=(torch.empty_like(x), torch.empty_like(x).long())),
    lambda x, i: torch.add(x, x, out=torch.empty_like(x)),
    lambda x, i: torch.distributions.Categorical(logits=x).log_prob(i[:1]),
    lambda x, i: torch.distributions.Normal(x, 1.0).cdf(x),
    lambda x, i: torch.optim.swa_utils.get_ema_avg_fn()(x, x, 1),
]  # fmt: skip


@pytest.mark.parametrize("made", MADE_FROM_NUMBERS)
def test_what_torch_makes_from_numbers_has_them_on_the_gpu(made):
    values = torch.arange(12.0).reshape(3, 4), torch.tensor([1, 2])
    assert difference(lambda move: made(*move(values))) == ""


def test_torch_has_its_own_functions_again():
    with on_fake_gpu():
        assert torch.tensor(1.0).item() == 1.0
    assert type(torch.tensor) is type(torch.as_tensor) is type(torch.zeros)
