"""What a call may change, where its inputs seem to be on a GPU."""

import math

import pytest
import torch
from test_stateful import TOKENS, loss_of, model, seen, train_step
from torch import nn

from autograder.author import Case, Generator, Optimizer
from autograder.common.fake_gpu import on_fake_gpu
from autograder.exercise.stateful import build_inputs


def clipped(model, tokens, optimizer):
    optimizer.zero_grad()
    loss = loss_of(model, tokens)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()
    return loss.item()


def sample(model, tokens, generator):
    logits = model(tokens)[:, -1]
    logits = logits.masked_fill(logits < logits.topk(2).values[:, -1:], -math.inf)
    drawn = torch.multinomial(logits.softmax(-1), 1, generator=generator)
    return torch.cat([tokens, drawn], dim=1)


def batch(model, tokens, generator):
    starts = torch.randint(3, (5,), generator=generator)
    return torch.stack([tokens[0, start : start + 2] for start in starts])


def batch_at_once(model, tokens, generator):
    starts = torch.randint(3, (5, 1), generator=generator, device=generator.device)
    return tokens[0][starts + torch.arange(2, device=tokens.device)]


def gumbel(model, tokens, generator):
    logits = model(tokens)[:, -1]
    noise = torch.rand(logits.shape, generator=generator, device=logits.device)
    return (logits - (-noise.log()).log()).argmax(-1)


CHANGING = {"optimizer": Optimizer("AdamW", "model", {"lr": 0.1})}
DRAWING = {"generator": Generator(2)}


@pytest.mark.parametrize(
    ("target", "more"),
    [(train_step, CHANGING), (clipped, CHANGING), (sample, DRAWING), (batch, DRAWING),
     (batch_at_once, DRAWING), (gumbel, DRAWING)],
)  # fmt: skip
def test_right_answers_meet_no_clash_where_their_inputs_seem_to_be_on_a_gpu(target, more):
    found = seen(target, placed=True, model=model(), tokens=TOKENS, **more)
    assert (found.failure, found.clash) == (None, "")
    with on_fake_gpu():  # it is no clash either that the call cannot be made there
        assert run_placed(target, more) is not None


def run_placed(target, more):
    case = Case("c", {"model": model(), "tokens": TOKENS, **more})
    return target(*build_inputs(case.inputs, "cuda").values())


def test_a_tensor_on_the_cpu_that_meets_a_model_on_the_gpu_is_a_clash():
    def strays(model, tokens):
        return model(tokens) + torch.ones(3)

    assert "on the CPU" in seen(strays, placed=True, model=model(), tokens=TOKENS).clash


def test_a_model_alone_does_not_say_where_the_work_belongs():
    def tries(model):
        return model(torch.tensor([[0, 1]])).isnan().any().item()

    assert seen(tries, placed=True, model=model()).clash == ""
