"""Known mistakes of `greedy_decode`."""

import torch

from .greedy_decode import exercise


@exercise.misconception(
    "Rows go on after their end token. The model always says something: who decides that it no "
    "longer counts?"
)
def writes_on_after_the_end(step, batch, start_id, end_id, pad_id, max_tokens):
    tokens = torch.full((batch, 1), start_id)
    for _ in range(max_tokens):
        tokens = torch.cat([tokens, step(tokens).argmax(dim=-1, keepdim=True)], dim=1)
        if (tokens[:, 1:] == end_id).any(dim=1).all():
            break
    return tokens


@exercise.misconception(
    "All rows stop when the first one has ended. The others have not finished their sentence."
)
def stops_all_with_the_first(step, batch, start_id, end_id, pad_id, max_tokens):
    tokens = torch.full((batch, 1), start_id)
    for _ in range(max_tokens):
        tokens = torch.cat([tokens, step(tokens).argmax(dim=-1, keepdim=True)], dim=1)
        if (tokens[:, -1] == end_id).any():
            break
    return tokens


@exercise.misconception(
    "You stop when all rows write the end in the same step. They may end at different times: what "
    "has to be remembered?"
)
def waits_for_all_ends_at_once(step, batch, start_id, end_id, pad_id, max_tokens):
    tokens = torch.full((batch, 1), start_id)
    for _ in range(max_tokens):
        tokens = torch.cat([tokens, step(tokens).argmax(dim=-1, keepdim=True)], dim=1)
        if (tokens[:, -1] == end_id).all():
            break
    return tokens


@exercise.misconception(
    "The step is called after every row has ended. A loop that knows which rows are done need not "
    "run to the limit."
)
def runs_to_the_limit(step, batch, start_id, end_id, pad_id, max_tokens):
    tokens, done = torch.full((batch, 1), start_id), torch.zeros(batch, dtype=torch.bool)
    for _ in range(max_tokens):
        new = step(tokens).argmax(dim=-1).masked_fill(done, pad_id)
        done |= new == end_id
        tokens = torch.cat([tokens, new[:, None]], dim=1)
    return tokens


@exercise.misconception(
    "A row's end token is missing: padding stands in its place. The end is written, and padding "
    "begins after it."
)
def pads_over_the_end(step, batch, start_id, end_id, pad_id, max_tokens):
    tokens, done = torch.full((batch, 1), start_id), torch.zeros(batch, dtype=torch.bool)
    shown = tokens
    for _ in range(max_tokens):
        new = step(tokens).argmax(dim=-1)
        tokens = torch.cat([tokens, new[:, None]], dim=1)
        done |= new == end_id
        shown = torch.cat([shown, new.masked_fill(done, pad_id)[:, None]], dim=1)
        if done.all():
            break
    return shown


@exercise.misconception(
    "A row is ended by its own start token where the two ids are the same. Only what the model "
    "has written can end a row."
)
def takes_the_start_for_the_end(step, batch, start_id, end_id, pad_id, max_tokens):
    tokens = torch.full((batch, 1), start_id)
    for _ in range(max_tokens):
        done = (tokens == end_id).any(dim=1)
        if done.all():
            break
        new = step(tokens).argmax(dim=-1).masked_fill(done, pad_id)
        tokens = torch.cat([tokens, new[:, None]], dim=1)
    return tokens


@exercise.misconception(
    "A row is taken as ended where its last token is the padding's id. The model may write that id "
    "too; only the end token ends a row."
)
def takes_padding_for_the_end(step, batch, start_id, end_id, pad_id, max_tokens):
    tokens, done = torch.full((batch, 1), start_id), torch.zeros(batch, dtype=torch.bool)
    for _ in range(max_tokens):
        new = step(tokens).argmax(dim=-1).masked_fill(done, pad_id)
        done |= (new == end_id) | (new == pad_id)
        tokens = torch.cat([tokens, new[:, None]], dim=1)
        if done.all():
            break
    return tokens


@exercise.misconception(
    "One token too few: the limit counts what is written, and the start token is not."
)
def counts_the_start(step, batch, start_id, end_id, pad_id, max_tokens):
    tokens, done = torch.full((batch, 1), start_id), torch.zeros(batch, dtype=torch.bool)
    for _ in range(max_tokens - 1):
        new = step(tokens).argmax(dim=-1).masked_fill(done, pad_id)
        done |= new == end_id
        tokens = torch.cat([tokens, new[:, None]], dim=1)
        if done.all():
            break
    return tokens


@exercise.misconception(
    "The step gets the newest token only. It keeps nothing by itself and has to see all of them."
)
def shows_the_newest_token_only(step, batch, start_id, end_id, pad_id, max_tokens):
    tokens, done = torch.full((batch, 1), start_id), torch.zeros(batch, dtype=torch.bool)
    for _ in range(max_tokens):
        new = step(tokens[:, -1:]).argmax(dim=-1).masked_fill(done, pad_id)
        done |= new == end_id
        tokens = torch.cat([tokens, new[:, None]], dim=1)
        if done.all():
            break
    return tokens


@exercise.misconception("The start token is missing from what you return.")
def leaves_out_the_start(step, batch, start_id, end_id, pad_id, max_tokens):
    tokens, done = torch.full((batch, 1), start_id), torch.zeros(batch, dtype=torch.bool)
    for _ in range(max_tokens):
        new = step(tokens).argmax(dim=-1).masked_fill(done, pad_id)
        done |= new == end_id
        tokens = torch.cat([tokens, new[:, None]], dim=1)
        if done.all():
            break
    return tokens[:, 1:]


@exercise.misconception("You fill every row to the limit. Asked for is a column for each call.")
def fills_up_to_the_limit(step, batch, start_id, end_id, pad_id, max_tokens):
    tokens = torch.full((batch, max_tokens + 1), pad_id)
    tokens[:, 0], done = start_id, torch.zeros(batch, dtype=torch.bool)
    for t in range(max_tokens):
        tokens[:, t + 1] = step(tokens[:, : t + 1]).argmax(dim=-1).masked_fill(done, pad_id)
        done |= tokens[:, t + 1] == end_id
        if done.all():
            break
    return tokens
