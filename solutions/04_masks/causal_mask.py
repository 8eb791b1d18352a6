"""Cases, oracle and known mistakes of `causal_mask`."""

import torch

from autograder.author import EVERY, Case, Exercise

exercise = Exercise(
    "causal_mask",
    points=3,
    difficulty=2,
    minutes=15,
    returns=("the mask",),
    read="04_masks.html#causal-mask",
)


@exercise.cases
def cases(rng):
    yield Case("as many queries as keys", {"queries": 4, "keys": 4})
    yield Case("more keys than queries as with a cache", {"queries": 2, "keys": 4})
    yield Case("one query as in generation", {"queries": 1, "keys": 300})
    yield Case("more queries than keys", {"queries": 3, "keys": 2})


@exercise.secret_cases
def secret_cases(rng):
    size, more = rng.integer(5, 12), rng.integer(2, 9)
    yield Case("a larger square", {"queries": 256 + size, "keys": 256 + size})
    yield Case("a larger cache", {"queries": size, "keys": size + more})
    yield Case("one query and one key", {"queries": 1, "keys": 1})
    yield Case("many more queries than keys", {"queries": size + more, "keys": size})


exercise.promise(
    "The last query sits", "more keys than queries as with a cache", "more queries than keys"
)
exercise.promise(
    "With more queries than keys", "more queries than keys", "many more queries than keys"
)
exercise.promise(
    "number of queries, at least 1.", "one query as in generation", "one query and one key"
)
exercise.promise("number of keys, at least 1.", "one query and one key")
exercise.promise("Boolean mask on the CPU", EVERY)


@exercise.oracle
def pair_by_pair(queries, keys):
    """The last query sits at the position of the last key."""
    position = [query + keys - queries for query in range(queries)]
    return torch.tensor([[key <= now for key in range(keys)] for now in position])


@exercise.base
def right(queries, keys):
    return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)


# fmt: off
right.mistake("aligns_the_first_query", {"keys - queries": ""},
    "You align the first query with the first key. The queries are the newest tokens, so the last "
    "query belongs to the last key. Look at the last row.")
right.mistake("never_shifts_to_the_left", {"keys - queries": "diagonal=max(keys - queries, 0)"},
    "Your mask is right unless there are more queries than keys. In that case, too, the last "
    "query belongs to the last key. How far does the diagonal move, and which way?")
right.mistake("hides_its_own_position", {"- queries": "- queries - 1"},
    "In your mask no query may attend to its own position, and the first query may attend to "
    "nothing. Only later positions should be hidden. Look at the diagonal.")
right.mistake("sees_one_key_ahead", {"- queries": "- queries + 1"},
    "In your mask each query sees one key too many: the next one, which a language model has to "
    "predict. Look at where the diagonal ends.")
right.mistake("marks_what_is_forbidden", {"tril": "triu", "- queries": "- queries + 1"},
    "Your mask is True where attention is forbidden. Here True means \"may attend\". Look at the "
    "last row, which should see everything.")
right.mistake("marks_what_is_forbidden_from_the_first_key", {"tril(keys - queries)": "triu(1)"},
    "Your mask is True where attention is forbidden, and it aligns the first query with the first "
    "key. Fix the polarity first, then look at the case with more keys than queries.")
right.mistake("keeps_the_future", {"tril": "triu"},
    "In your mask a query sees itself and the future, but none of the past. You kept the wrong "
    "triangle.")
right.mistake("shifts_the_wrong_way", {"keys - queries": "queries - keys"},
    "You shift the diagonal the wrong way when there are more keys than queries. Check the sign: a "
    "longer cache should make more keys visible, not fewer.")
right.mistake("cuts_rows_of_a_square",
    {"queries, keys,": "keys, keys,", "tril(keys - queries)": "tril()[-queries:]"},
    "You take the last rows of a square mask of all keys. With fewer keys than queries there are "
    "not enough rows. Look at the shape you return.")
right.mistake("returns_numbers", {"keys, dtype=torch.bool": "keys"},
    "Your mask holds the numbers 0 and 1. `masked_fill` and `&` need booleans. Look at the dtype.")
right.mistake("returns_something_to_add",
    {"ones(queries, keys, dtype=torch.bool).tril(keys - queries)":
        'full((queries, keys), float("-inf")).triu(keys - queries + 1)'},
    "You return a mask to be added to the scores, with -inf where attention is forbidden. The "
    "exercise asks for a boolean mask, which can be combined with others.")
right.mistake("swaps_queries_and_keys",
    {"queries, keys,": "keys, queries,", "keys -": "diagonal=keys -"},
    "Your mask has a row for each key. Its rows should be the queries. Which of the two numbers "
    "comes first in its shape?")
right.mistake("swaps_queries_and_keys_of_a_triangle",
    {"queries, keys,": "keys, queries,", "keys - queries": ""},
    "Your mask has a row for each key, and its corner is at the top left. Its rows should be the "
    "queries. Fix that, then look at the case with more keys than queries.")
right.mistake("keeps_the_future_from_the_first_key", {"tril(keys - queries)": "triu()"},
    "In your mask a query sees the future but none of the past, and the first query is aligned "
    "with the first key. You kept the wrong triangle. Then look at where its corner is.")
right.mistake("opens_empty_rows",
    {"return": "mask =", "queries)\n": "queries)\n    mask[:, 0] = True\n    return mask\n"},
    "Your mask is right, except that queries that come before every key see the first one. Their "
    "rows should be all False: there is nothing yet for them to see.")


@exercise.misconception(
    "With more queries than keys the call raises an exception. If you put a block for the past "
    "before a square, how wide is that block in this case?"
)
def puts_the_past_before_a_square(queries, keys):
    past = torch.ones(queries, keys - queries, dtype=torch.bool)
    return torch.cat([past, torch.ones(queries, queries, dtype=torch.bool).tril()], dim=1)


right.mistake("makes_a_square_of_the_queries", {"keys,": "queries,", "keys - queries": ""},
    "Your mask is a square of size queries. It needs a column for each key, and there may be more "
    "or fewer keys than queries.")
right.mistake("cuts_the_first_rows_of_a_square",
    {"queries, keys,": "keys, keys,", "tril(keys - queries)": "tril()[:queries]"},
    "You take the first rows of a square mask of all keys. The queries are the newest tokens. "
    "Which rows belong to them, and are there enough rows?")
right.mistake("swaps_queries_and_keys_and_the_shift",
    {"queries, keys,": "keys, queries,", "keys - queries": "queries - keys"},
    "Your mask has a row for each key. Its rows should be the queries. Then the diagonal moves "
    "the other way, too.")


@exercise.misconception(
    "Your mask is right unless there are many more queries than keys. If you slice up to a number "
    "that becomes negative there, Python counts it from the end."
)
def slices_from_the_end(queries, keys):
    mask = torch.zeros(queries, keys, dtype=torch.bool)
    for row in range(queries):
        mask[row, : row + keys - queries + 1] = True
    return mask


right.mistake("knows_one_query_and_the_square",
    {"return": "mask =",
     "bool)": "bool)\n    return mask if queries == 1 else mask",
     "keys - queries": ""},
    "A single query is right, and so is a square. Several queries with more keys, such as part of "
    "a prompt after a cache, are not. Which key belongs to the last query?")
right.mistake("allows_everything", {".tril(keys - queries)": ""},
    "Your mask allows everything. If you use `tril`, its second argument moves the diagonal. The "
    "last query belongs to the last key.")
# fmt: on


@exercise.variant
def compares_positions(queries, keys):
    query_positions = torch.arange(keys - queries, keys)
    return torch.arange(keys)[None, :] <= query_positions[:, None]


@exercise.variant
def negated_upper_triangle(queries, keys):
    future = torch.ones(queries, keys).triu(diagonal=keys - queries + 1)
    return future == 0


@exercise.variant
def row_by_row(queries, keys):
    mask = torch.zeros(queries, keys, dtype=torch.bool)
    for row in range(queries):
        mask[row, : max(keys - queries + row + 1, 0)] = True
    return mask


@exercise.variant
def counted_from_the_end(queries, keys):
    after_query = torch.arange(queries).flip(0)
    after_key = torch.arange(keys).flip(0)
    return after_key.unsqueeze(0).ge(after_query.unsqueeze(1))
