"""Cases, oracle and known mistakes of `decoder_mask`."""

import torch

from autograder.spec import EVERY, Case, Exercise

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


@exercise.misconception(
    "The values are right, but the causal part is made on the CPU, wherever the tokens are. On a "
    "GPU the two masks could not be combined."
)
def stays_on_the_cpu(tokens, pad_id):
    keys = tokens.size(1)
    causal = torch.ones(keys, keys, dtype=torch.bool).tril()
    return (tokens != pad_id)[:, None, None, :] & causal


@exercise.misconception(
    "Your mask hides the future but no padding. Compare the rows of a padded sequence with those "
    "of a full one."
)
def forgets_the_padding(tokens, pad_id):
    batch, keys = tokens.shape
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).tril()
    return causal.expand(batch, 1, keys, keys)


@exercise.misconception(
    "Your mask hides the padding but not the future: all rows of a sequence are alike. A decoder "
    "must not see what it is to predict."
)
def forgets_the_future(tokens, pad_id):
    batch, keys = tokens.shape
    return (tokens != pad_id)[:, None, None, :].expand(batch, 1, keys, keys)


@exercise.misconception(
    "Your mask allows a key as soon as one of the two masks does. A key must be allowed by both."
)
def allows_what_either_allows(tokens, pad_id):
    keys = tokens.size(1)
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).tril()
    return (tokens != pad_id)[:, None, None, :] | causal


@exercise.misconception(
    "Your mask lets queries see padding and hides the tokens. Check which way round the padding "
    "mask is: True means may attend."
)
def allows_the_padding_only(tokens, pad_id):
    keys = tokens.size(1)
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).tril()
    return (tokens == pad_id)[:, None, None, :] & causal


@exercise.misconception(
    "You hide the padded positions as queries too, so that their rows are empty. Only keys are "
    "masked here; what a padded query returns is ignored later, by the loss."
)
def hides_padded_queries(tokens, pad_id):
    keys = tokens.size(1)
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).tril()
    padding = (tokens != pad_id)[:, None, None, :]
    return padding & padding.mT & causal


@exercise.misconception(
    "In your mask a query sees itself and what comes later. You kept the wrong triangle."
)
def keeps_the_future(tokens, pad_id):
    keys = tokens.size(1)
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).triu()
    return (tokens != pad_id)[:, None, None, :] & causal


@exercise.misconception(
    "Your mask treats token 0 as padding whatever `pad_id` is. Look at what you hand on."
)
def ignores_pad_id(tokens, pad_id):
    keys = tokens.size(1)
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).tril()
    return (tokens != 0)[:, None, None, :] & causal


@exercise.misconception(
    "You took the number of keys from the batch axis. The tokens have the shape (batch, keys)."
)
def takes_the_batch_for_the_length(tokens, pad_id):
    keys = tokens.size(0)
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).tril()
    return (tokens != pad_id)[:, None, None, :] & causal


@exercise.misconception(
    "Your mask is True where attention is forbidden. Here True means may attend; look at the last "
    "row, which should see every token."
)
def marks_what_is_forbidden(tokens, pad_id):
    keys = tokens.size(1)
    future = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).triu(1)
    return (tokens == pad_id)[:, None, None, :] | future


@exercise.misconception(
    "In your mask a padded position may attend to itself. Its key does not count either: a row may "
    "be all False, and attention has to cope with it, not the mask."
)
def opens_the_diagonal(tokens, pad_id):
    keys = tokens.size(1)
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).tril()
    return (tokens != pad_id)[:, None, None, :] & causal | causal & causal.mT


@exercise.misconception(
    "The rows of padded positions are empty, and the columns of padding are not. Padding says "
    "which keys count: along which axis does it vary?"
)
def lines_padding_up_with_queries(tokens, pad_id):
    keys = tokens.size(1)
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).tril()
    return (tokens != pad_id)[:, None, :, None] & causal


@exercise.misconception(
    "You count the tokens of a sequence and allow that many keys from its start. That works only "
    "while all padding is at the end, and it may be anywhere."
)
def counts_the_tokens(tokens, pad_id):
    keys = tokens.size(1)
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).tril()
    lengths = (tokens != pad_id).sum(dim=1)[:, None, None, None]
    return (torch.arange(keys, device=tokens.device) < lengths) & causal


@exercise.misconception(
    "Your mask has as many rows as there are sequences. The tokens have the shape (batch, keys); "
    "which of the two is the number of queries?"
)
def takes_the_batch_for_the_queries(tokens, pad_id):
    queries, keys = tokens.shape
    causal = torch.ones(queries, keys, dtype=torch.bool, device=tokens.device)
    return (tokens != pad_id)[:, None, None, :] & causal.tril(keys - queries)


@exercise.misconception(
    "The call raises. If you combined tokens != pad_id with the causal mask as it is: shapes are "
    "lined up from the last axis, and then (batch, keys) meets (queries, keys)."
)
def combines_without_new_axes(tokens, pad_id):
    keys = tokens.size(1)
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).tril()
    return ((tokens != pad_id) & causal)[:, None]


@exercise.misconception(
    "You use the padding of the first sequence for all. Each sequence has its own."
)
def pads_all_as_the_first(tokens, pad_id):
    keys = tokens.size(1)
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).tril()
    mask = (tokens[:1] != pad_id)[:, None, None, :] & causal
    return mask.expand(tokens.size(0), 1, keys, keys)


@exercise.misconception(
    "In your mask no query may attend to its own position. Only later positions are hidden: look "
    "at the diagonal."
)
def hides_its_own_position(tokens, pad_id):
    keys = tokens.size(1)
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).tril(-1)
    return (tokens != pad_id)[:, None, None, :] & causal


@exercise.misconception(
    "In your mask each query sees the next key, too, which is what a language model has to "
    "predict. Look at where the diagonal ends."
)
def sees_one_key_ahead(tokens, pad_id):
    keys = tokens.size(1)
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).tril(1)
    return (tokens != pad_id)[:, None, None, :] & causal


@exercise.misconception(
    "Your mask ends at the first padding token. What about a token that comes after it?"
)
def ends_at_the_first_padding(tokens, pad_id):
    keys = tokens.size(1)
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).tril()
    return ((tokens == pad_id).cumsum(dim=1) == 0)[:, None, None, :] & causal


@exercise.misconception(
    "Your mask is right only while the padding id is smaller than every token. Where does your "
    "comparison put a real token with a smaller id?"
)
def takes_the_padding_for_the_smallest_id(tokens, pad_id):
    keys = tokens.size(1)
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).tril()
    return (tokens > pad_id)[:, None, None, :] & causal


@exercise.misconception(
    "Your mask is True where exactly one of the two masks is. A key must be allowed by both."
)
def allows_what_one_alone_allows(tokens, pad_id):
    keys = tokens.size(1)
    causal = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device).tril()
    return (tokens != pad_id)[:, None, None, :] ^ causal


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
