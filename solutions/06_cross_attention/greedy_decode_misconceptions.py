"""Known mistakes of `greedy_decode`."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Int
from torch import Tensor

from .greedy_decode import exercise


def ended(tokens: Int[Tensor, "batch length"], end_id: int) -> Bool[Tensor, " batch"]:
    """The rows in which the model has written the end."""
    return (tokens[:, 1:] == end_id).any(dim=1)


def decoded(
    step, batch, start_id, end_id, pad_id, max_tokens, done=ended, stops=torch.all
) -> Int[Tensor, "batch length"]:
    """What the wrong functions have in common.

    `done` says which rows get padding from now on, `stops` whether these are enough to stop.
    """
    tokens = torch.full((batch, 1), start_id)
    for _ in range(max_tokens):
        finished = done(tokens, end_id)
        if stops(finished):
            break
        new = step(tokens).argmax(dim=-1).masked_fill(finished, pad_id)  # [batch]
        tokens = torch.cat([tokens, new[:, None]], dim=1)
    return tokens


@exercise.misconception(
    "Rows go on after their end token. The model always says something: who decides that it no "
    "longer counts?"
)
def writes_on_after_the_end(step, batch, start_id, end_id, pad_id, max_tokens):
    def done(tokens, end_id):
        return ended(tokens, end_id).all()

    return decoded(step, batch, start_id, end_id, pad_id, max_tokens, done)


@exercise.misconception(
    "All rows stop when the first one has ended. The others have not finished their sentence."
)
def stops_all_with_the_first(step, batch, start_id, end_id, pad_id, max_tokens):
    return decoded(step, batch, start_id, end_id, pad_id, max_tokens, stops=torch.any)


@exercise.misconception(
    "You stop when all rows write the end in the same step. They may end at different times: what "
    "has to be remembered?"
)
def waits_for_all_ends_at_once(step, batch, start_id, end_id, pad_id, max_tokens):
    def done(tokens, end_id):
        return (tokens[:, 1:] == end_id).all(dim=0).any()

    return decoded(step, batch, start_id, end_id, pad_id, max_tokens, done)


@exercise.misconception(
    "You stop where each row writes the end or padding in the same step. The model may write the "
    "padding's id as a token: it ends nothing."
)
def stops_where_all_write_padding(step, batch, start_id, end_id, pad_id, max_tokens):
    tokens = torch.full((batch, 1), start_id)
    for _ in range(max_tokens):
        new = step(tokens).argmax(dim=-1).masked_fill(ended(tokens, end_id), pad_id)
        tokens = torch.cat([tokens, new[:, None]], dim=1)
        if ((new == end_id) | (new == pad_id)).all():
            break
    return tokens


@exercise.misconception(
    "You show the model a part of the rows. Each call has all rows of the batch, in their order."
)
def decodes_row_by_row(step, batch, start_id, end_id, pad_id, max_tokens):
    rows = [decoded(step, 1, start_id, end_id, pad_id, max_tokens) for _ in range(batch)]
    longest = max(row.size(1) for row in rows)
    return torch.cat([F.pad(row, (0, longest - row.size(1)), value=pad_id) for row in rows])


@exercise.misconception(
    "The step is called after every row has ended. A loop that knows which rows are done need not "
    "run to the limit."
)
def runs_to_the_limit(step, batch, start_id, end_id, pad_id, max_tokens):
    return decoded(step, batch, start_id, end_id, pad_id, max_tokens, stops=lambda _: False)


@exercise.misconception(
    "A row that has ended writes again after one padding. `finished` is to hold for good: what "
    "becomes of it in the next step?"
)
def forgets_who_has_finished(step, batch, start_id, end_id, pad_id, max_tokens):
    def done(tokens, end_id):
        newest = tokens[:, 1:][:, -1:]  # none at first
        return (newest == end_id).any(dim=1)

    return decoded(step, batch, start_id, end_id, pad_id, max_tokens, done)


@exercise.misconception("One token too many: no row is longer than the limit and its start token.")
def writes_one_beyond_the_limit(step, batch, start_id, end_id, pad_id, max_tokens):
    return decoded(step, batch, start_id, end_id, pad_id, max_tokens + 1)


@exercise.misconception(
    "The tokens are right, but `step` is called more often than there are steps. Keep what it "
    "returned for all that you do with it in this step."
)
def calls_the_step_again(step, batch, start_id, end_id, pad_id, max_tokens):
    def twice(tokens):
        step(tokens)
        return step(tokens)

    return decoded(twice, batch, start_id, end_id, pad_id, max_tokens)


@exercise.misconception(
    "A row's end token is missing: padding stands in its place. The end is written, and padding "
    "begins after it."
)
def pads_over_the_end(step, batch, start_id, end_id, pad_id, max_tokens):
    tokens = decoded(step, batch, start_id, end_id, pad_id, max_tokens)
    tokens[:, 1:].masked_fill_(tokens[:, 1:] == end_id, pad_id)
    return tokens


@exercise.misconception(
    "A row is ended by its own start token where the two ids are the same. Only what the model "
    "has written can end a row."
)
def takes_the_start_for_the_end(step, batch, start_id, end_id, pad_id, max_tokens):
    return decoded(
        step, batch, start_id, end_id, pad_id, max_tokens, lambda t, end: (t == end).any(dim=1)
    )


@exercise.misconception(
    "A row is taken as ended where its last token is the padding's id. The model may write that id "
    "too; only the end token ends a row."
)
def takes_padding_for_the_end(step, batch, start_id, end_id, pad_id, max_tokens):
    def done(tokens, end_id):
        return ended(tokens, end_id) | ended(tokens, pad_id)

    return decoded(step, batch, start_id, end_id, pad_id, max_tokens, done)


@exercise.misconception(
    "One token too few: the limit counts what is written, and the start token is not."
)
def counts_the_start(step, batch, start_id, end_id, pad_id, max_tokens):
    return decoded(step, batch, start_id, end_id, pad_id, max_tokens - 1)


@exercise.misconception(
    "The step gets the newest token only. It keeps nothing by itself and has to see all of them."
)
def shows_the_newest_token_only(step, batch, start_id, end_id, pad_id, max_tokens):
    def forgetful(tokens):
        return step(tokens[:, -1:])

    return decoded(forgetful, batch, start_id, end_id, pad_id, max_tokens)


@exercise.misconception("You pad with 0. Padding is `pad_id`, which may be another number.")
def pads_with_zero(step, batch, start_id, end_id, pad_id, max_tokens):
    return decoded(step, batch, start_id, end_id, 0, max_tokens)


@exercise.misconception("The start token is missing from what you return.")
def leaves_out_the_start(step, batch, start_id, end_id, pad_id, max_tokens):
    return decoded(step, batch, start_id, end_id, pad_id, max_tokens)[:, 1:]


@exercise.misconception("You fill every row to the limit. Asked for is a column for each call.")
def fills_up_to_the_limit(step, batch, start_id, end_id, pad_id, max_tokens):
    tokens = decoded(step, batch, start_id, end_id, pad_id, max_tokens)
    return F.pad(tokens, (0, max_tokens + 1 - tokens.size(1)), value=pad_id)
