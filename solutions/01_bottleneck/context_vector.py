"""Cases, oracle and known mistakes of `context_vector`."""

import torch

from autograder.author import EVERY, Case, Exercise, Finite

exercise = Exercise(
    "context_vector",
    points=2,
    difficulty=2,
    minutes=12,
    returns=("the context",),
    read="01_bottleneck.html#a-recurrent-state",
    properties=(Finite(),),
)


@exercise.cases
def cases(rng):
    lengths = torch.tensor([3, 5, 1])
    inputs = {"states": rng.normal(3, 6, 4), "lengths": lengths}
    yield Case("three sequences with padding", inputs, gradient=True)
    example = torch.tensor([[1.0, 1], [2, 2], [9, 9]]).repeat(2, 1, 1)
    yield Case("the example above", {"states": example, "lengths": torch.tensor([2, 3])})
    inputs = {"states": rng.normal(4, 7, 3), "lengths": torch.tensor([4, 0, 2, 1])}
    yield Case("an empty sequence", inputs, gradient=True)
    # in half precision, position 300 is not told from its neighbours, and in 8 bits it is 44
    states = rng.normal(2, 302, 1, dtype=torch.bfloat16)
    yield Case("half precision", {"states": states, "lengths": torch.tensor([302, 0])})
    states = rng.normal(1, 3, 2, dtype=torch.float64)
    yield Case("one sequence in float64", {"states": states, "lengths": torch.tensor([2])})


@exercise.secret_cases
def secret_cases(rng):
    batch, length = rng.integer(4, 7), rng.integer(8, 12)
    lengths = rng.integers(0, length, batch)
    lengths[1], lengths[2] = 0, length
    inputs = {"states": rng.normal(batch, length, 3), "lengths": lengths}
    yield Case("all kinds of lengths", inputs, gradient=True)
    inputs = {"states": rng.normal(2, 5, 4), "lengths": torch.zeros(2, dtype=torch.int64)}
    yield Case("nothing but empty sequences", inputs)  # a loop may give constants here
    inputs = {"states": rng.normal(batch, 1, 1), "lengths": torch.arange(batch) % 2}
    yield Case("at most one state", inputs)
    states, lengths = rng.normal(batch, length, 3), rng.integers(0, length, batch)
    valid = (torch.arange(length) < lengths[:, None])[..., None]
    states = torch.where(valid, states, states.sign() * torch.finfo(states.dtype).max)
    yield Case("padding of the largest numbers", {"states": states, "lengths": lengths})


exercise.promise("the states of each sequence.", EVERY)
exercise.promise(
    "Position t of sequence", "three sequences with padding", "padding of the largest numbers"
)
exercise.promise(
    "number of valid states", "the example above", "all kinds of lengths", "at most one state"
)
exercise.promise(
    "One vector per sequence", "an empty sequence", "half precision", "nothing but empty sequences"
)


@exercise.oracle
def cut_sequence_by_sequence(states, lengths):
    """The sum of at most one state is zero where there is none."""
    cut = [states[row, :count] for row, count in enumerate(lengths.tolist())]
    return torch.stack([valid[-1:].sum(dim=0) for valid in cut])


@exercise.base
def right(states, lengths):
    return states[torch.arange(states.size(0)), lengths - 1].masked_fill((lengths == 0)[:, None], 0)


# fmt: off
right.mistake("takes_the_padding",
    {"states[torch.arange(states.size(0)), lengths - 1].masked_fill((lengths == 0)[:, None], 0)":
        "states[:, -1]"},
    "You return the state at the end of the padded sequence. What is at that position if the "
    "sequence ends earlier?")
right.mistake("looks_one_too_far",
    {"lengths - 1].masked_fill((lengths == 0)[:, None], 0)": "lengths]"},
    "You look one position too far. In a sequence of length 1, the only state is at position 0.")
right.mistake("caps_the_index", {"lengths - 1]": "lengths.clamp(max=states.size(1) - 1)]"},
    "Your index is one too large. Capping it at the end hides the error only for full sequences. "
    "At which position is the only state of a sequence of length 1?")
right.mistake("wraps_around_when_empty", {".masked_fill((lengths == 0)[:, None], 0)": ""},
    "An empty sequence gets padding, but its context should be zeros. If you index with -1, "
    "Python takes the last entry.")
right.mistake("takes_the_first_when_empty",
    {"lengths - 1].masked_fill((lengths == 0)[:, None], 0)": "(lengths - 1).clamp(min=0)]"},
    "An empty sequence gets its first state, which is padding. Its context should be zeros.")
right.mistake("clears_the_callers_states",
    {"return": "states[lengths == 0] = 0\n    return",
     ".masked_fill((lengths == 0)[:, None], 0)": ""},
    "The values are right, but the caller's `states` have changed: assigning to a slice of a "
    "tensor changes that tensor. Put the zeros into your result instead.")


@exercise.misconception(
    "You average the valid states. The context in this exercise is the last valid state alone."
)
def averages_the_valid_states(states, lengths):
    valid = (torch.arange(states.size(1), device=states.device) < lengths[:, None])[..., None]
    return (states * valid).sum(dim=1) / lengths[:, None].clamp(min=1)


@exercise.misconception(
    "You average the valid states, and where there are none you divide by 0. The context in this "
    "exercise is the last valid state alone."
)
def averages_sequence_by_sequence(states, lengths):
    pairs = zip(states, lengths.tolist(), strict=True)
    return torch.stack([row[:count].mean(dim=0) for row, count in pairs])


right.mistake("takes_the_first_state",
    {"states[torch.arange(states.size(0)), lengths - 1].masked_fill((lengths == 0)[:, None], 0)":
        "states[:, 0] * (lengths > 0)[:, None]"},
    "You return the first state of each sequence. Which state has read the whole sequence?")
right.mistake("takes_the_longest_length",
    {"states[torch.arange(states.size(0)), lengths - 1]": "states[:, int(lengths.max()) - 1]"},
    "You take the same position in all sequences: the end of the longest. Each sequence has its "
    "own length.")
right.mistake("takes_all_lengths_from_all",
    {"torch.arange(states.size(0))": ":", ".masked_fill((lengths == 0)[:, None], 0)": ""},
    "Your result has one axis too many: `states[:, index]` takes every index from every sequence. "
    "Say which sequence each index belongs to.")
right.mistake("gathers_one_feature",
    {"states[torch.arange(states.size(0)), lengths - 1].masked_fill((lengths == 0)[:, None], 0)":
        "states.gather(1, (lengths - 1).clamp(min=0)[:, None, None])[:, 0]"},
    "You gather one number from each state. The result of `gather` has the shape of its index, so "
    "the index needs an axis of features as well.")
right.mistake("keeps_the_axis", {", 0)": ", 0).unsqueeze(1)"},
    "The values are right, but an axis of length 1 is left over where the positions were. The "
    "context has the shape (batch, d_model).")


@exercise.misconception(
    "The numbers are right, but their dtype is not. Something that you combine with `states` is "
    "float32, from `torch.zeros` or `.float()`."
)
def fills_float32(states, lengths):
    context = torch.zeros(states.size(0), states.size(2), device=states.device)
    for row, count in enumerate(lengths.tolist()):
        if count > 0:
            context[row] = states[row, count - 1]
    return context


@exercise.misconception(
    "Shorter sequences get zeros. If you set the padding to 0, the last position is still "
    "padding. At which position is the last valid state?"
)
def takes_the_end_of_the_cleared(states, lengths):
    valid = torch.arange(states.size(1), device=states.device) < lengths[:, None]
    return (states * valid[..., None])[:, -1]


@exercise.misconception(
    "You add up the valid states. The context in this exercise is the last valid state alone."
)
def adds_up_the_valid_states(states, lengths):
    valid = torch.arange(states.size(1), device=states.device) < lengths[:, None]
    return (states * valid[..., None]).sum(dim=1)
# fmt: on


@exercise.variant
def indexed_and_filled(states, lengths):
    rows = torch.arange(states.size(0))
    return states[rows, lengths - 1].masked_fill((lengths == 0).unsqueeze(-1), 0.0)


@exercise.variant
def gathered(states, lengths):
    index = (lengths - 1).clamp(min=0).view(-1, 1, 1).expand(-1, 1, states.size(-1))
    last = torch.gather(states, dim=1, index=index).squeeze(1)
    return torch.where(lengths[:, None] > 0, last, torch.zeros_like(last))


@exercise.variant
def one_hot_product(states, lengths):
    positions = torch.arange(states.shape[1], device=states.device)
    last = (positions[None] == lengths[:, None] - 1).to(states.dtype)
    return torch.einsum("bn,bnd->bd", last, states)


@exercise.variant
def loop_with_an_exception(states, lengths):
    nothing = torch.zeros(states.size(-1), dtype=states.dtype, device=states.device)
    pairs = zip(states, lengths, strict=True)
    return torch.stack([row[n - 1] if n > 0 else nothing for row, n in pairs])


@exercise.variant
def zeros_put_in_front(states, lengths):
    front = states.new_zeros(states.size(0), 1, states.size(2))
    longer = torch.cat([front, states], dim=1)
    return longer[range(len(longer)), lengths]
