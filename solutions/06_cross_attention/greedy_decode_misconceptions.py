"""Known mistakes of `greedy_decode`."""

import torch
import torch.nn.functional as F  # noqa: F401

from .greedy_decode import exercise


@exercise.base
def right(step, batch, start_id, end_id, pad_id, max_tokens):
    tokens = torch.full((batch, 1), start_id)
    for _ in range(max_tokens):
        finished = (tokens[:, 1:] == end_id).any(dim=1)  # [batch]
        if finished.all():
            break
        new = step(tokens).argmax(dim=-1).masked_fill(finished, pad_id)  # [batch]
        tokens = torch.cat([tokens, new[:, None]], dim=1)
    return tokens


# fmt: off
right.mistake("writes_on_after_the_end", {"any(dim=1)": "any(dim=1).all()"},
    "Rows continue after their end token. The model always returns something. Which code decides "
    "that it no longer counts?")
right.mistake("stops_all_with_the_first", {"finished.all()": "finished.any()"},
    "All rows stop when the first one has ended. The others are not finished.")
right.mistake("waits_for_all_ends_at_once", {"any(dim=1)": "all(dim=0).any()"},
    "You stop only when all rows write the end token in the same step. They may end at different "
    "times. What has to be remembered?")
right.mistake("stops_where_all_write_padding",
    {"if finished.all():\n            break\n        new": "new",
     "dim=1)\n"
     "    return":
        "dim=1)\n"
        "        if ((new == end_id) | (new == pad_id)).all():\n"
        "            break\n"
        "    return"},
    "You stop where each row writes the end token or padding in the same step. The model may "
    "write the padding's id as a token, and that does not end a row.")
right.mistake("decodes_row_by_row",
    {"step(tokens)": "torch.cat([step(row[None]) for row in tokens])"},
    "You pass only some of the rows to the model. Each call has all rows of the batch, in their "
    "order.")
right.mistake("runs_to_the_limit", {"if finished.all():\n            break\n        new": "new"},
    "The step is called even after every row has ended. A loop that knows which rows are finished "
    "need not run to the limit.")
right.mistake("forgets_who_has_finished", {"tokens[:, 1:]": "tokens[:, 1:][:, -1:]"},
    "A row that has ended continues after one padding. `finished` should stay True. What happens "
    "to it in the next step?")
right.mistake("writes_one_beyond_the_limit", {"range(max_tokens)": "range(max_tokens + 1)"},
    "There is one token too many: no row is longer than the limit plus its start token.")
right.mistake("calls_the_step_again",
    {"new = step(tokens)": "step(tokens)\n        new = step(tokens)"},
    "The tokens are right, but you call `step` more often than there are steps. Store its result "
    "and use it for everything in this step.")
right.mistake("pads_over_the_end",
    {"return": "tokens[:, 1:].masked_fill_(tokens[:, 1:] == end_id, pad_id)\n    return"},
    "A row's end token is missing: there is padding in its place. The end token is written, and "
    "padding begins after it.")
right.mistake("takes_the_start_for_the_end", {"tokens[:, 1:]": "tokens"},
    "A row is ended by its own start token where the two ids are the same. Only a token that the "
    "model has written can end a row.")
right.mistake("takes_padding_for_the_end",
    {"(tokens[:, 1:] == end_id)": "((tokens[:, 1:] == end_id) | (tokens[:, 1:] == pad_id))"},
    "You treat a row as ended where its last token has the padding's id. The model may write that "
    "id too. Only the end token ends a row.")
right.mistake("counts_the_start", {"range(max_tokens)": "range(max_tokens - 1)"},
    "There is one token too few: the limit counts the tokens written, which do not include the "
    "start token.")
right.mistake("shows_the_newest_token_only", {"step(tokens)": "step(tokens[:, -1:])"},
    "The step gets only the newest token. It has no memory of its own and needs all of them.")
right.mistake("pads_with_zero", {"finished, pad_id": "finished, 0"},
    "You pad with 0. Padding is `pad_id`, which may be another number.")
right.mistake("leaves_out_the_start", {"return tokens": "return tokens[:, 1:]"},
    "The start token is missing from your result.")
right.mistake("fills_up_to_the_limit",
    {"return tokens": "return F.pad(tokens, (0, max_tokens + 1 - tokens.size(1)), value=pad_id)"},
    "You fill every row to the limit. The exercise asks for a column for each call.")
