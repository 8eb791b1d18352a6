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


@exercise.misconception(
    "You take states from the start of the sequence. The context is made of the newest ones, at "
    "the end."
)
def takes_the_first_states(states, window):
    return states[:, :window].mean(dim=1)


@exercise.misconception("You add the states up. How does a mean differ from a sum?")
def adds_up(states, window):
    return states[:, -window:].sum(dim=1)


@exercise.misconception(
    "You always divide by `window`. How many states did you add up where the sequence is shorter?"
)
def always_divides_by_the_window(states, window):
    return states[:, -window:].sum(dim=1) / window


@exercise.misconception(
    "Where does your slice start if the window is longer than the sequence? A negative start "
    "counts from the end."
)
def starts_before_the_start(states, window):
    return states[:, states.size(1) - window :].mean(dim=1)


@exercise.misconception("You average all states, whatever the window is.")
def averages_everything(states, window):
    return states.mean(dim=1)


@exercise.misconception("You return the last state alone, whatever the window is.")
def takes_the_last_state(states, window):
    return states[:, -1]


@exercise.misconception(
    "Your window ends one state too early. Is the last state of the sequence in your slice?"
)
def leaves_out_the_last_state(states, window):
    return states[:, -window - 1 : -1].mean(dim=1)


@exercise.misconception(
    "Your slice leaves out its own end: with `a:b`, entry b is not in it. What is left of a window "
    "of one?"
)
def stops_before_the_end(states, window):
    return states[:, -window:-1].mean(dim=1)


@exercise.misconception(
    "You average over the batch, so sequences that have nothing to do with each other are mixed. "
    "Which axis holds the positions?"
)
def averages_over_the_batch(states, window):
    return states[:, -window:].mean(dim=0)


@exercise.misconception(
    "You average the features of each state: one number a position is left. Which axis holds the "
    "positions?"
)
def averages_over_the_features(states, window):
    return states[:, -window:].mean(dim=-1)


@exercise.misconception(
    "A single slice acts on the first axis, which is the batch: you took the last sequences, not "
    "the last states."
)
def slices_the_batch(states, window):
    return states[-window:].mean(dim=1)


@exercise.misconception(
    "The numbers are right, but an axis of length 1 is left. The context has the shape "
    "(batch, d_model)."
)
def keeps_the_axis(states, window):
    return states[:, -window:].mean(dim=1, keepdim=True)


@exercise.misconception("You put the states side by side. Asked for is their mean.")
def concatenates(states, window):
    return states[:, -window:].flatten(start_dim=1)


@exercise.misconception(
    "A slice in the third place acts on the features. Each place in the brackets belongs to one "
    "axis: which place is that of the positions?"
)
def slices_the_features(states, window):
    return states[:, :, -window:].mean(dim=2)


@exercise.misconception(
    "One number is left of all. A mean without an axis runs over everything, other sequences and "
    "features included."
)
def averages_everything_at_once(states, window):
    return states[:, -window:].mean()


@exercise.misconception(
    "You divide by the length of the sequence. How many states did you add up where the window is "
    "shorter?"
)
def divides_by_the_length(states, window):
    return states[:, -window:].sum(dim=1) / states.size(1)


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
