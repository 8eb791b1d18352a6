"""The stacks of layers and the chosen blocks of chapter 13 compute what they say."""

import pytest
import torch
from state_blocks_model import Reading, read
from state_crowd_layers import STACKS, Kind, by_loop, gated_delta, logits_of, new_models
from state_crowds import LINE, LINES, TOKENS, stories
from state_stories import kept, lines_read
from torch.nn import functional as F


def drawn(*shape):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def test_a_whole_text_at_once_gives_what_the_loop_over_its_tokens_gives():
    query, key = (F.normalize(drawn(2, 40, 6), dim=-1) for _ in range(2))
    value, beta, decay = drawn(2, 40, 5), drawn(2, 40).sigmoid(), F.logsigmoid(drawn(2, 40))
    given = query.flip(1), key, value, beta, decay
    torch.testing.assert_close(gated_delta(*given), by_loop(*given))


@pytest.mark.parametrize("stack", STACKS)
def test_no_stack_sees_a_later_token(stack):
    kind = Kind(stack, 4, 9)
    models, tokens = new_models(kind, [0, 1]), torch.arange(12).view(1, 1, 12).expand(2, 1, 12) % 9
    other = tokens.clone()
    other[..., 8:] = 3
    first, second = (logits_of(models, kind, one) for one in (tokens, other))
    torch.testing.assert_close(first[:, :, :8], second[:, :, :8])
    assert not torch.equal(first[:, :, 8:], second[:, :, 8:])


@pytest.mark.parametrize("by", ["mean", "greatest", "random", "last"])
def test_a_question_reads_its_own_block_and_as_many_others_as_are_asked_for(by):
    found = read(torch.randn(2, 3, 4, 255), Reading(by, 4), torch.Generator())
    assert found[..., 240:].all()
    assert (found.sum(dim=-1) == 63).all()  # the question itself is the last token of its block


def test_lines_that_are_read_are_earlier_ones_and_the_own_one():
    seen = torch.ones(12, 12, dtype=torch.bool).tril()
    found = seen & lines_read("last", 2)(torch.zeros(1, 12, 12))[0]
    window = seen & (torch.arange(12)[:, None] // LINE - torch.arange(12) // LINE <= 1)
    assert torch.equal(found, window)


def test_all_stories_are_as_long_and_an_answer_is_the_city_after_stays():
    told = stories("a test", 5, 2, 12)
    assert told.tokens.shape == (5, LINE * LINES)
    assert (told.tokens[:, :-1][told.answers[:, 1:]] == TOKENS["stays in"]).all()


def test_a_state_is_as_large_after_more_tokens_and_a_cache_is_not():
    assert kept("gated delta", 4, 60) == kept("gated delta", 4, 600)
    assert kept("softmax", 4, 600) == 10 * kept("softmax", 4, 60)
