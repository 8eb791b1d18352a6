"""Known mistakes of `delta_step`."""

import torch

from .delta_step import exercise


@exercise.base
def right(state, key, value, beta, decay):
    kept = decay[..., None, None] * state
    read = (key[..., None, :] @ kept).squeeze(-2)
    change = beta[..., None] * (value - read)
    return kept + key[..., :, None] * change[..., None, :]


# fmt: off
right.mistake("adds_without_reading", {"(value - read)": "value"},
    "You add the new value to what the state holds for this key. First read what it holds, and "
    "write only the difference.")
right.mistake("reads_before_it_decays", {"None, :] @ kept": "None, :] @ state"},
    "You read from the state before it decays, and write into the decayed one. Decay first, then "
    "read.")
right.mistake("decays_what_is_written",
    {"kept + key[..., :, None]": "kept + decay[..., None, None] * key[..., :, None]"},
    "What you write is multiplied by the decay. Only the old state decays.")
right.mistake("decays_last",
    {"= decay[..., None, None] * state": "= state",
     "kept + key[..., :, None] * change[..., None, :]":
        "decay[..., None, None] * (kept + key[..., :, None] * change[..., None, :])"},
    "You read and write first and multiply the result by the decay, so what is new decays, too. "
    "Decay comes first.")
right.mistake("beta_on_the_reading_only",
    {"beta[..., None] * (value - read)": "value - beta[..., None] * read"},
    "You multiply only the reading by beta. It multiplies the whole difference between value and "
    "reading.")
right.mistake("beta_on_the_value_only",
    {"beta[..., None] * (value - read)": "beta[..., None] * value - read"},
    "You multiply only the value by beta, so the old value is erased in full. Beta multiplies the "
    "whole difference between value and reading.")
right.mistake("ignores_beta", {"beta[..., None] * (value": "(value"},
    "`beta` changes nothing in your result.")
right.mistake("fades_the_whole_state",
    {"beta[..., None] * (value - read)": "beta[..., None] * value",
     "= decay[..., None, None]": "= (decay * (1 - beta))[..., None, None]"},
    "You multiply the whole state by 1 - beta. Only what the state holds for this key is replaced; "
    "a key at right angles keeps its value.")
right.mistake("returns_the_transposed_state",
    {"kept + key[..., :, None] * change[..., None, :]":
        "(kept + key[..., :, None] * change[..., None, :]).mT"},
    "You return the state transposed. Its rows belong to features of the key, and its columns to "
    "those of the value.")
right.mistake("reads_from_the_transposed_state",
    {"key[..., None, :] @ kept": "key[..., None, :] @ kept.mT"},
    "You read from the transposed state, or the call raises an exception there. The key sums over "
    "the rows of the state: k S.")
right.mistake("turns_the_product_round",
    {"key[..., :, None] * change[..., None, :]": "change[..., :, None] * key[..., None, :]"},
    "The outer product of key and difference is transposed, or the call raises an exception there. "
    "Entry (i, j) of it is entry i of the key times entry j of the difference.")
right.mistake("has_the_layout_of_the_paper",
    {"key[..., None, :] @ kept": "key[..., None, :] @ kept.mT",
     "key[..., :, None] * change[..., None, :]": "change[..., :, None] * key[..., None, :]"},
    "Your state has a row for each feature of the value, as in the paper, or the call raises an "
    "exception. Here each row belongs to a feature of the key. Both the reading and the outer "
    "product follow from that.")
right.mistake("normalises_the_key",
    {"kept =": "key = key / key.norm(dim=-1, keepdim=True)\n    kept ="},
    "You divide the key by its length. It should be used as it comes.")
right.mistake("normalises_the_key_to_read",
    {"(key[..., None, :] @ kept)": "((key / key.norm(dim=-1, keepdim=True))[..., None, :] @ kept)"},
    "You divide the key by its length to read, but not to write. Use it as it comes for both.")
right.mistake("normalises_the_key_to_write",
    {"kept + key[..., :, None]": "kept + (key / key.norm(dim=-1, keepdim=True))[..., :, None]"},
    "You divide the key by its length to write, but not to read. Use it as it comes for both.")
right.mistake("divides_by_the_square_of_the_length",
    {"kept + key[..., :, None]":
        "kept + (key / key.square().sum(-1, keepdim=True))[..., :, None]"},
    "You divide what you write by the square of the key's length, so that any key is stored in "
    "full. The formula has no such divisor.")
right.mistake("divides_the_reading_by_the_root_of_d_k",
    {".squeeze(-2)": ".squeeze(-2) / key.size(-1) ** 0.5"},
    "You divide the reading by the root of d_k. There is no such scale here.")
right.mistake("takes_the_rest_of_decay", {"= decay[": "= (1 - decay)["},
    "You multiply the state by 1 - decay. `decay` is the share that stays: 1 forgets nothing.")
right.mistake("ignores_decay", {"= decay[..., None, None] * state": "= state"},
    "`decay` changes nothing in your result. Multiply the old state by it.")
right.mistake("decays_for_the_reading_only", {"return kept": "return state"},
    "You read from the decayed state, but add to the one before the decay. Decay the state once, "
    "then read from it and add to it.")
right.mistake("decays_twice", {"return kept": "return decay[..., None, None] * kept"},
    "The old state is multiplied by the decay twice.")
right.mistake("takes_exponentials_of_decay", {"= decay[": "= decay.exp()["},
    "You take the exponential of `decay`. It is the factor itself, not its logarithm.")
right.mistake("exchanges_beta_and_decay",
    {"kept =": "beta, decay = decay, beta\n    kept ="},
    "You use beta where decay belongs, and the other way round.")
right.mistake("subtracts_what_it_should_add", {"return kept +": "return kept -"},
    "The change has the wrong sign: the state moves away from the new value. Add beta times the "
    "outer product of the key with value less reading.")
right.mistake("adds_the_reading", {"(value - read)": "(value + read)"},
    "You add the reading to the value. Subtract it: what the state holds already need not be "
    "written.")
right.mistake("reads_from_the_new_state",
    {"@ kept)": "@ (kept + beta[..., None, None] * key[..., :, None] * value[..., None, :]))"},
    "You write the value first and then read from the new state, so you subtract a part of the "
    "value just written. Read before you write.")
right.mistake("drops_the_old_state", {"return kept +": "return"},
    "You return only what is written. Add it to the decayed state.")
right.mistake("reads_without_a_sum",
    {"read = (key[..., None, :] @ kept).squeeze(-2)": "read = key[..., :, None] * kept",
     "beta[..., None] * (value - read)": "beta[..., None, None] * (value[..., None, :] - read)",
     "change[..., None, :]": "change"},
    "The reading should be one row: the key times the state, summed over the features of the key. "
    "You subtract from each row of the state its own part only.")
right.mistake("reads_the_mean",
    {".squeeze(-2)": ".squeeze(-2) / key.size(-1)"},
    "The reading is too small by the factor d_k: you take the mean over the features of the key "
    "instead of the sum.")
right.mistake("shares_beta_among_the_batch",
    {"beta[..., None] *": "beta.mean() *"},
    "One write strength serves all. Each sequence and each head has its own.")
right.mistake("multiplies_the_key_by_beta",
    {"kept =": "key = beta[..., None] * key\n    kept ="},
    "You multiply the key by beta before you read, so the reading is too small. Beta multiplies "
    "only what is written.")
right.mistake("writes_into_every_row",
    {"kept + key[..., :, None] * change[..., None, :]": "kept + change[..., None, :]"},
    "You add the same to every row of the state. Row i gets it times entry i of the key.")
right.mistake("decays_the_reading_again",
    {".squeeze(-2)": ".squeeze(-2) * decay[..., None]"},
    "The reading decays twice: you read from the decayed state, and multiply by the decay again.")
right.mistake("takes_the_rest_of_beta", {"beta[..., None] *": "(1 - beta)[..., None] *"},
    "You multiply the difference by 1 - beta. `beta` is the share that is written: 1 writes all.")
right.mistake("subtracts_the_reading_twice",
    {"return kept + ": "return kept - key[..., :, None] * read[..., None, :] + "},
    "You subtract the reading twice: once in the difference, and once more from the state.")


@exercise.misconception(
    "You change the caller's state. Compute a new tensor: `decay * state` instead of `*=` or "
    "`mul_`."
)
def changes_the_state(state, key, value, beta, decay):
    with torch.no_grad():
        state.mul_(decay[..., None, None])
        read = (key[..., None, :] @ state).squeeze(-2)
        change = beta[..., None] * (value - read)
        state.add_(key[..., :, None] * change[..., None, :])
    return state
