"""Known mistakes of `leaks_future`."""

import math

import torch
import torch.nn.functional as F

from .leaks_future import exercise


def changes(attention, drawn_anew=torch.ge, batch=3, length=20, parts=(True, True)):
    """For each position t: t, and how far each output moves, [batch, queries], once the keys and
    the values from t on are drawn anew; `parts` says whether keys and whether values are."""
    query, old, new = torch.randn(batch, length, 4), *torch.randn(2, 2, batch, length, 4)
    before = attention(query, *old)  # [batch, queries, d_v]
    position, part = torch.arange(length)[:, None], torch.tensor(parts)[:, None, None, None]
    for t in range(1, length):
        both = torch.where(drawn_anew(position, t) & part, new, old)  # [2, batch, keys, 4]
        yield t, (attention(query, *both) - before).abs().amax(dim=-1)


def leaks(moved, tolerance=1e-5):
    """Whether an output before t moves."""
    return any(of_output[:, :t].max() > tolerance for t, of_output in moved)


@exercise.base
def right(attention):
    return leaks(changes(attention))


# fmt: off
right.mistake("answers_the_opposite", {"leaks": "not leaks"},
    "Your function returns True where there is no leak, and False where there is one. Read its "
    "name as a question: does it leak?")
right.mistake("changes_the_past",
    {"leaks(changes(attention))":
        "any(of_output[:, t:].max() > 1e-5 for t, of_output in changes(attention, torch.lt))"},
    "You return True for nearly all attention that is right. If you change earlier positions and "
    "look at later ones, remember that these may see them: that is the past, not the future.")
right.mistake("looks_at_the_changed_position",
    {"leaks": "any", "changes": "of_output[:, t].max() > 1e-5 for t, of_output in changes"},
    "You return True wherever a query sees itself, which is allowed. If you look at the output of "
    "the position that you changed, look at the queries before it instead.")
right.mistake("changes_keys_only", {"attention))": "attention, parts=(True, False)))"},
    "You miss leaks through the values. If you change later keys only, note that the output is a "
    "sum of values, which can leak while the weights are right.")
right.mistake("changes_values_only", {"attention))": "attention, parts=(False, True)))"},
    "You miss leaks through the keys. If you change later values only, note that a later key can "
    "leak through the denominator of the softmax even if its value has no weight.")
right.mistake("looks_at_one_pair",
    {"return leaks(changes(attention))":
        "_, of_output = [*changes(attention)][-1]\n    return bool(of_output[:, 0].max() > 1e-5)"},
    "You miss queries that see just one key too many. If you only test whether the first query "
    "sees the last position, look instead at every query and every later position.")
right.mistake("changes_the_last_position_only",
    {"changes(attention)": "[*changes(attention)][-1:]"},
    "You miss a leak that only early queries have. If you change only the last position, a query "
    "that sees one key too far does not reach it. Change everything from t on, for every t.")
right.mistake("tries_short_sequences_only", {"attention))": "attention, length=8))"},
    "You miss a leak that begins at a later position. How many positions do you try, and which of "
    "them do you change? The docstring says how many are needed.")
right.mistake("tries_five_positions", {"attention))": "attention, length=5))"},
    "You miss leaks that need more than a handful of positions, such as a query that sees a key "
    "seven positions ahead. The docstring says how many positions are needed.")
right.mistake("tolerates_too_much", {"attention))": "attention), tolerance=0.01)"},
    "You miss faint leaks. Check your tolerance: the docstring says how large rounding errors "
    "are, and how small a leak may be.")
right.mistake("allows_no_rounding", {"attention))": "attention), tolerance=0)"},
    "You mistake rounding errors for a leak. The docstring says how large they are, and for which "
    "inputs. If you require equal outputs, terms that cancel still change the last digits. If you "
    "draw other inputs, large numbers have large rounding errors.")
right.mistake("tries_one_sequence", {"attention))": "attention, batch=1))"},
    "You miss a leak that only some sequences of the batch have. How many sequences do you try, "
    "and do you look at all of them?")
right.mistake("tries_two_sequences", {"attention))": "attention, batch=2))"},
    "You miss a leak in the third sequence. The docstring says how many sequences are needed.")
right.mistake("looks_at_the_first_sequence",
    {"changes": "(t, of_output[:1]) for t, of_output in changes"},
    "You miss leaks that the first sequence of the batch does not have. If you index the outputs "
    "with 0, which sequences do you look at?")


@exercise.misconception(
    "You miss a faint leak in one entry of the output. If you average the change, what becomes of "
    "one entry among hundreds that stay the same?"
)
def averages_the_change(attention):
    query, key, value, *new = torch.randn(5, 3, 20, 8)
    before = attention(query, key, value)
    for t in range(1, 20):
        old = (torch.cat([a[:, :t], b[:, t:]], 1) for a, b in zip((key, value), new, strict=True))
        if (attention(query, *old) - before)[:, :t].abs().mean() > 1e-5:
            return True
    return False


right.mistake("tries_the_middle_only", {"changes(attention)": "[*changes(attention)][9:10]"},
    "You miss a leak of one query to the next key. If you try a single position t, note that such "
    "a leak shows at one t only, where the query is before t and the key is not.")
right.mistake("tries_odd_positions_only", {"changes(attention)": "[*changes(attention)][::2]"},
    "You miss a leak of one query to the next key. If you try only every other position t, note "
    "that such a leak shows at one t only, which may be any.")
right.mistake("tries_even_positions_only", {"changes(attention)": "[*changes(attention)][1::2]"},
    "You miss a leak in which only one query sees the next key. If you leave out some positions "
    "t, such as 1 and every other one, note that such a leak shows at one t only.")
right.mistake("begins_at_position_two", {"changes(attention)": "[*changes(attention)][1:]"},
    "You miss a leak in which the first query sees the second key. Is 1 among the positions t "
    "that you try?")
right.mistake("ends_before_the_last_position", {"changes(attention)": "[*changes(attention)][:-1]"},
    "You miss a leak in which the second-to-last query sees the last key. Do you also change the "
    "last position alone?")


@exercise.misconception(
    "You miss leaks of one sequence of the batch at one position. If each sequence of your batch "
    "has its own t, note that every sequence needs every t."
)
def takes_sequences_for_positions(attention):
    query, old, new = torch.randn(3, 24, 8)
    earlier = torch.arange(24) < torch.arange(1, 25)[:, None]  # [sequence, position]
    both = torch.where(earlier[..., None], old, new)  # [sequence, position, 8]
    output = attention(query.expand(24, -1, -1), both, both)  # the last sequence is all old
    return bool((output - output[-1]).abs().amax(dim=-1)[earlier].max() > 1e-5)


right.mistake("looks_at_the_query_before",
    {"leaks(changes(attention))":
        "any(of_output[:, t - 1].max() > 1e-5 for t, of_output in changes(attention, torch.eq))"},
    "You miss a query that sees a key further ahead, but not the next one. If you change one "
    "position and look at the query just before it, which other queries should not notice?")


@exercise.misconception(
    "You return True for attention that does not leak. If you put NaN or infinity at later "
    "positions, note that 0 times NaN is NaN, so even a key of weight 0 spoils the output."
)
def poisons_with_nan(attention):
    query, key, value = torch.randn(3, 3, 20, 4)
    for t in range(1, 20):
        key, value = key.clone(), value.clone()
        key[:, -t:], value[:, -t:] = math.nan, math.nan
        if attention(query, key, value)[:, :-t].isnan().any():
            return True
    return False


@exercise.misconception(
    "You return True where the output depends on the length. If you compare with a shorter "
    "sequence, note that using the number of positions is not a leak; using their content may be."
)
def compares_with_a_shorter_sequence(attention):
    query, key, value = torch.randn(3, 3, 20, 4)
    whole = attention(query, key, value)
    parts = [attention(query[:, :n], key[:, :n], value[:, :n]) for n in range(1, 20)]
    return any((whole[:, : p.size(1)] - p).abs().max() > 1e-5 for p in parts)


@exercise.misconception(
    "You return True for attention that sees less than it may. If you compare with causal "
    "attention, other attention may be right, too. Which inputs may change which outputs?"
)
def compares_with_causal_attention(attention):
    query, key, value = torch.randn(3, 3, 20, 4)
    right = F.scaled_dot_product_attention(query, key, value, is_causal=True)
    return not torch.allclose(attention(query, key, value), right, rtol=0, atol=1e-5)


@exercise.misconception(
    "You miss attention without any mask. If you only change the order of later positions, a sum "
    "over all of them stays the same."
)
def shuffles_later_positions(attention):
    query, key, value = torch.randn(3, 3, 24, 8)
    before = attention(query, key, value)
    for t in range(1, 24):
        order = torch.cat([torch.arange(t), t + torch.randperm(24 - t)])
        if (attention(query, key[:, order], value[:, order]) - before)[:, :t].abs().max() > 1e-5:
            return True
    return False


right.mistake("draws_everything_anew",
    {"leaks(changes(attention))":
        "not torch.allclose(attention(*torch.randn(3, 3, 20, 4))[:, :-1], "
        "attention(*torch.randn(3, 3, 20, 4))[:, :-1], atol=1e-5)"},
    "You return True for attention that does not leak. If you compare outputs of two unrelated "
    "inputs, they always differ. Keep everything up to a position, change only what comes later, "
    "and look only at what comes before.")
