"""Cases, oracle and known mistakes of `decoder_mask`."""

import torch

from autograder.author import EVERY, Case, Exercise

from .padding_mask import LARGE, NEARLY_PADDING, padded

exercise = Exercise(
    "decoder_mask",
    points=2,
    difficulty=2,
    minutes=10,
    returns=("the mask",),
    read="04_masks.html#combined-mask",
    builds_on=("padding_mask", "causal_mask", "combine_masks"),
)


@exercise.cases
def cases(rng):
    yield Case("the example of the text", {"tokens": torch.tensor([[7, 8, 0]]), "pad_id": 0})
    tokens = padded(rng, 3, 6, LARGE, low=0, shortest=2)
    tokens[:, :2] = NEARLY_PADDING
    yield Case("a padding id that is not 0", {"tokens": tokens, "pad_id": LARGE})
    tokens = padded(rng, 3, 4, 0, low=0, shortest=2).flip(1)
    yield Case("padding at the front", {"tokens": tokens, "pad_id": 0})


@exercise.secret_cases
def secret_cases(rng):
    batch, keys = rng.integer(2, 5), rng.integer(6, 12)
    tokens = rng.integers(-3, 9, 2, 127 + keys)
    yield Case("no padding", {"tokens": tokens, "pad_id": -4})
    yield Case("sequences of one token", {"tokens": tokens[:, :1], "pad_id": int(tokens[0, 0])})
    tokens, pad_id = rng.integers(0, 8, batch, keys), rng.integer(2, 7)
    tokens[0] = pad_id
    yield Case("a sequence of nothing but padding", {"tokens": tokens, "pad_id": pad_id})


exercise.promise("token ids, any int64", "a padding id that is not 0", "no padding")
exercise.promise(
    "Padding may be anywhere.", "padding at the front", "a sequence of nothing but padding"
)
exercise.promise("the id of the padding", "a padding id that is not 0", "no padding")
exercise.promise("Boolean mask on the device", EVERY)
exercise.promise("Rows are queries.", EVERY)
exercise.promise(
    "A row in which no key", "padding at the front", "a sequence of nothing but padding"
)


@exercise.oracle
def pair_by_pair(tokens, pad_id):
    rows = tokens.tolist()
    keys = range(tokens.size(1))
    allowed = [[[row[k] != pad_id and k <= q for k in keys] for q in keys] for row in rows]
    return torch.tensor(allowed)[:, None]


@exercise.base
def right(tokens, pad_id):
    keys = tokens.size(1)
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).tril()
    return (tokens != pad_id)[:, None, None, :] & causal


# fmt: off
right.mistake("stays_on_the_cpu", {"bool, device=tokens.device": "bool"},
    "The values are right, but the causal part is created on the CPU, wherever the tokens are. On "
    "a GPU the two masks could not be combined.")
right.mistake("forgets_the_padding",
    {"keys = tokens.size(1)": "batch, keys = tokens.shape",
     "(tokens != pad_id)[:, None, None, :] & causal": "causal.expand(batch, 1, keys, keys)"},
    "Your mask hides the future but not the padding. Compare the rows of a padded sequence with "
    "those of a full one.")


@exercise.misconception(
    "Your mask hides the padding but not the future: all rows of a sequence are alike. A decoder "
    "must not see the tokens it should predict."
)
def forgets_the_future(tokens, pad_id):
    batch, keys = tokens.shape
    return (tokens != pad_id)[:, None, None, :].expand(batch, 1, keys, keys)


right.mistake("allows_what_either_allows", {"& causal": "| causal"},
    "Your mask allows a key as soon as one of the two masks does. A key must be allowed by both.")
right.mistake("allows_the_padding_only", {"!= pad_id": "== pad_id"},
    "Your mask lets queries see padding and hides the tokens. Check the polarity of the padding "
    "mask: True means \"may attend\".")
right.mistake("hides_padded_queries",
    {"return": "padding =", "None, :]": "None, :]\n    return padding & padding.mT"},
    "You hide the padded positions as queries too, so their rows are empty. Only keys are masked "
    "here. The loss later ignores the output of a padded query.")
right.mistake("keeps_the_future", {"tril": "triu"},
    "In your mask a query sees itself and what comes later. You kept the wrong triangle.")
right.mistake("ignores_pad_id", {"!= pad_id": "!= 0"},
    "Your mask treats token 0 as padding, whatever `pad_id` is. Look at which id you pass on.")
right.mistake("takes_the_batch_for_the_length", {"1": "0"},
    "You take the number of keys from the batch axis. The tokens have the shape (batch, keys).")
right.mistake("marks_what_is_forbidden",
    {"tril()": "triu(1)", "!= pad_id": "== pad_id", "& causal": "| causal"},
    "Your mask is True where attention is forbidden. Here True means \"may attend\". Look at the "
    "last row, which should see every token.")
right.mistake("opens_the_diagonal", {"& causal": "& causal | causal & causal.mT"},
    "In your mask a padded position may attend to itself. Its key does not count either. A row "
    "may be all False: attention has to handle that, not the mask.")
right.mistake("lines_padding_up_with_queries", {"None, :": ":, None"},
    "The rows of padded positions are empty, but the columns of padding are not. Padding says "
    "which keys count. Along which axis does it vary?")
right.mistake("counts_the_tokens",
    {"(tokens != pad_id)[:, None, None, :]":
        "(torch.arange(keys, device=tokens.device) < (tokens != pad_id).sum(dim=1)[:, None, "
        "None, None])"},
    "You count the tokens of a sequence and allow that many keys from its start. That works only "
    "while all padding is at the end, but it may be anywhere.")


@exercise.misconception(
    "Your mask has as many rows as there are sequences. The tokens have the shape (batch, keys). "
    "Which of the two is the number of queries?"
)
def takes_the_batch_for_the_queries(tokens, pad_id):
    queries, keys = tokens.shape
    causal = torch.ones(queries, keys, dtype=torch.bool, device=tokens.device)
    return (tokens != pad_id)[:, None, None, :] & causal.tril(keys - queries)


right.mistake("combines_without_new_axes",
    {"(tokens != pad_id)[:, None, None, :] & causal": "((tokens != pad_id) & causal)[:, None]"},
    "The call raises an exception. If you combined tokens != pad_id with the causal mask "
    "directly, note that shapes are aligned from the last axis, so (batch, keys) meets (queries, "
    "keys).")
right.mistake("pads_all_as_the_first",
    {"tokens !=": "(tokens[:1] !=", "& causal": "& causal).expand(tokens.size(0), 1, keys, keys)"},
    "You use the padding of the first sequence for all of them. Each sequence has its own.")
right.mistake("hides_its_own_position", {"tril()": "tril(-1)"},
    "In your mask no query may attend to its own position. Only later positions should be hidden. "
    "Look at the diagonal.")
right.mistake("sees_one_key_ahead", {"tril()": "tril(1)"},
    "In your mask each query also sees the next key, which a language model has to predict. Look "
    "at where the diagonal ends.")
right.mistake("ends_at_the_first_padding",
    {"tokens != pad_id": "(tokens == pad_id).cumsum(dim=1) == 0"},
    "Your mask ends at the first padding token. What about a token that comes after it?")
right.mistake("takes_the_padding_for_the_smallest_id", {"!= pad_id": "> pad_id"},
    "Your mask is right only while the padding id is smaller than every token. What does your "
    "comparison do with a real token whose id is smaller?")
right.mistake("allows_what_one_alone_allows", {"& causal": "^ causal"},
    "Your mask is True where exactly one of the two is True. A key must be allowed by both.")
# fmt: on


@exercise.variant
def lower_triangle_of_the_padding(tokens, pad_id):
    keys = tokens.size(1)
    return tokens.ne(pad_id)[:, None, None].repeat(1, 1, keys, 1).tril()


@exercise.variant
def compares_positions(tokens, pad_id):
    position = torch.arange(tokens.size(1), device=tokens.device)
    past = position[None, :] <= position[:, None]
    return torch.logical_and(past, (tokens != pad_id).unsqueeze(1)).unsqueeze(1)


@exercise.variant
def moved_to_the_tokens(tokens, pad_id):
    keys = tokens.size(1)
    future = torch.triu(torch.ones(keys, keys), diagonal=1).bool().to(tokens.device)
    return ~(future | (tokens == pad_id)[:, None, None])


@exercise.variant
def query_by_query(tokens, pad_id):
    mask = torch.zeros(*tokens.shape, tokens.size(1), dtype=torch.bool, device=tokens.device)
    for query in range(tokens.size(1)):
        mask[:, query, : query + 1] = tokens[:, : query + 1] != pad_id
    return mask[:, None]
