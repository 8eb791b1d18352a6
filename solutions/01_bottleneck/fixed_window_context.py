"""Cases, oracle and known mistakes of `fixed_window_context`."""

import torch

from autograder.author import EVERY, Case, Exercise, Finite

exercise = Exercise(
    "fixed_window_context",
    points=1,
    difficulty=1,
    minutes=8,
    returns=("the context",),
    read="01_bottleneck.html#a-fixed-window",
    properties=(Finite(),),
)


@exercise.cases
def cases(rng):
    states = rng.normal(2, 5, 4)
    yield Case("the last two of five states", {"states": states, "window": 2}, gradient=True)
    example = torch.tensor([[[1, 0], [3, 2], [5, 6]]], dtype=torch.float64)
    yield Case("the example above in float64", {"states": example, "window": 9})
    yield Case("the last state only", {"states": rng.normal(3, 4, 6), "window": 1})
    yield Case("as long as the window", {"states": rng.normal(2, 4, 3), "window": 4})
    # less than twice as long as the sequence, so that a negative start of a slice shows
    yield Case("shorter than the window", {"states": rng.normal(3, 4, 5), "window": 6})
    half = rng.normal(2, 6, 5, dtype=torch.float16)
    yield Case("half precision", {"states": half, "window": 3})


@exercise.secret_cases
def secret_cases(rng):
    batch, length, window = rng.integer(3, 6), rng.integer(8, 14), rng.integer(3, 7)
    states = rng.normal(batch, length, 7)
    yield Case("a longer sequence", {"states": states, "window": window}, gradient=True)
    yield Case("one state", {"states": rng.normal(batch, 1, 1), "window": 3})


exercise.promise("the states of each sequence", EVERY)
exercise.promise("how many of the newest", "the last two of five states", "the last state only")
exercise.promise("Where a sequence has fewer", "as long as the window", "shorter than the window")
exercise.promise("One vector per sequence.", "one state", "the example above in float64")


@exercise.oracle
def one_state_after_the_other(states, window):
    newest_first = list(states.unbind(1))[::-1]
    total, count = torch.zeros_like(newest_first[0]), 0
    for state in newest_first:
        if count < window:
            total, count = total + state, count + 1
    return total / count


@exercise.base
def right(states, window):
    return states[:, -window:].mean(dim=1)


# fmt: off
right.mistake("takes_the_first_states", {"-window:": ":window"},
    "You take states from the start of the sequence. The context is the mean of the newest ones, "
    "at the end.")
right.mistake("adds_up", {"mean": "sum"},
    "You add up the states. How does a mean differ from a sum?")
right.mistake("always_divides_by_the_window", {"mean(dim=1)": "sum(dim=1) / window"},
    "You always divide by `window`. How many states did you add up where the sequence is shorter?")
right.mistake("starts_before_the_start", {"-window": "states.size(1) - window"},
    "Where does your slice start if the window is longer than the sequence? A negative start "
    "counts from the end.")
right.mistake("averages_everything", {"states[:, -window:]": "states"},
    "You average all states, whatever the window is.")
right.mistake("takes_the_last_state", {"window:].mean(dim=1)": "1]"},
    "You return the last state alone, whatever the window is.")
right.mistake("leaves_out_the_last_state", {"window:": "window - 1:-1"},
    "Your window ends one state too early. Is the last state of the sequence in your slice?")
right.mistake("stops_before_the_end", {"window:": "window:-1"},
    "Your slice leaves out its own end: `a:b` does not include entry b. What is left of a window "
    "of one?")
right.mistake("averages_over_the_batch", {"dim=1": "dim=0"},
    "You average over the batch, which mixes sequences that have nothing to do with each other. "
    "Which axis holds the positions?")
right.mistake("averages_over_the_features", {"dim=1": "dim=-1"},
    "You average the features of each state, so only one number per position is left. Which axis "
    "holds the positions?")
right.mistake("slices_the_batch", {":, -window": "-window"},
    "A single slice acts on the first axis, which is the batch: you took the last sequences, not "
    "the last states.")
right.mistake("keeps_the_axis", {"dim=1": "dim=1, keepdim=True"},
    "The numbers are right, but an axis of length 1 is left over. The context has the shape "
    "(batch, d_model).")
right.mistake("concatenates", {"mean(dim=1)": "flatten(start_dim=1)"},
    "You put the states side by side. The exercise asks for their mean.")
right.mistake("slices_the_features", {"-window": ":, -window", "dim=1": "dim=2"},
    "A slice in the third place acts on the features. Each place in the brackets belongs to one "
    "axis. Which place belongs to the positions?")
right.mistake("averages_everything_at_once", {"dim=1": ""},
    "Only one number is left. A mean without an axis runs over everything, including the other "
    "sequences and the features.")
right.mistake("divides_by_the_length", {"mean(dim=1)": "sum(dim=1) / states.size(1)"},
    "You divide by the length of the sequence. How many states did you add up where the window is "
    "shorter?")
# fmt: on


@exercise.variant
def narrowed(states, window):
    length = states.shape[1]
    count = min(window, length)
    return torch.narrow(states, 1, length - count, count).mean(1)


@exercise.variant
def as_a_matrix_product(states, window):
    length = states.size(1)
    positions = torch.arange(length, device=states.device)
    inside = (positions >= length - window).to(states.dtype)
    return torch.einsum("n,bnd->bd", inside / inside.sum(), states)


@exercise.variant
def sequence_by_sequence(states, window):
    contexts = []
    for sequence in states:
        newest = sequence[max(len(sequence) - window, 0) :]
        contexts.append(sum(newest) / len(newest))
    return torch.stack(contexts)


@exercise.variant
def turned_round(states, window):
    newest = states.flip(1)[:, :window]
    return newest.sum(1).div(newest.size(1))
