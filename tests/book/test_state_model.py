"""The state of the experiments on a state of fixed size, against one position after another."""

import pytest
import state_model
import torch
from torch.nn import functional as F


def one_by_one(key, value, decay, beta):
    state = torch.zeros(key.size(-1), value.size(-1))
    for k, v, a, b in zip(key, value, decay, beta, strict=True):
        state = a * state
        state = state + b * torch.outer(k, v - k @ state) if beta.min() < 1 else state + k.outer(v)
    return state


@pytest.mark.parametrize("gated", [False, True])
@pytest.mark.parametrize("delta", [False, True])
def test_the_state_after_several_chunks_is_that_after_each_position(gated, delta):
    torch.manual_seed(0)
    length = 2 * state_model.CHUNK + 5
    key, value = F.normalize(torch.randn(length, 8), dim=-1), torch.randn(length, 5)
    decay = 0.9 + 0.1 * torch.rand(length) if gated else torch.ones(length)
    beta = torch.rand(length) if delta else torch.ones(length)
    found = state_model.state(key, value, decay.log() if gated else None, beta if delta else None)
    torch.testing.assert_close(found, one_by_one(key, value, decay, beta), atol=1e-4, rtol=1e-4)
