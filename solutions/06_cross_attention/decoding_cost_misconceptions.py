"""Known mistakes of `decoding_cost`."""

from .decoding_cost import exercise


def projections(rows, d_model):
    """W_q, W_k, W_v and W_o over the text, W_q and W_o before and after the memory."""
    return 6 * rows * d_model**2


def seen_once(rows, keys, d_model):
    """Scores, and weights times values, of all heads together."""
    return 2 * rows * keys * d_model


def of_memory(memory, d_model, d_memory):
    return 2 * memory * d_memory * d_model


def added(
    tokens, memory, d_model, d_memory, keep_own, keep_memory,
    projected=projections, attended=seen_once, prepared=of_memory, steps=range,
):  # fmt: skip
    """The work, as the wrong functions count it: each replaces a part of it."""
    work = 0
    for t in steps(1, tokens + 1):
        rows = 1 if keep_own else t
        work += projected(rows, d_model) + attended(rows, t, d_model)
        work += attended(rows, memory, d_model)
    times = 1 if keep_memory else tokens
    return work + times * prepared(memory, d_model, d_memory)


def held(tokens, memory, d_model, itemsize, keep_own, keep_memory):
    """Bytes of keys and values of both kinds."""
    return 2 * (tokens * keep_own + memory * keep_memory) * d_model * itemsize


@exercise.misconception(
    "You count twice as many operations. A multiplication and the addition after it are one here."
)
def counts_both_operations(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    work = added(tokens, memory, d_model, d_memory, keep_own, keep_memory)
    return 2 * work, held(tokens, memory, d_model, itemsize, keep_own, keep_memory)


@exercise.misconception(
    "Right for one head. You count scores and weighted values of full width for each head: how "
    "wide is one of several?"
)
def multiplies_by_the_heads(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    def attended(rows, keys, d_model):
        return num_heads * seen_once(rows, keys, d_model)

    ways = keep_own, keep_memory
    work = added(tokens, memory, d_model, d_memory, *ways, attended=attended)
    return work, held(tokens, memory, d_model, itemsize, *ways)


@exercise.misconception(
    "Two products of each attention need all keys: queries times keys, and which other one?"
)
def forgets_the_values(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    def attended(rows, keys, d_model):
        return seen_once(rows, keys, d_model) // 2

    ways = keep_own, keep_memory
    work = added(tokens, memory, d_model, d_memory, *ways, attended=attended)
    return work, held(tokens, memory, d_model, itemsize, *ways)


@exercise.misconception(
    "The work of W_o is missing: both attentions send what they found through it."
)
def forgets_the_last_layer(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    def projected(rows, d_model):
        return 4 * rows * d_model**2

    ways = keep_own, keep_memory
    work = added(tokens, memory, d_model, d_memory, *ways, projected=projected)
    return work, held(tokens, memory, d_model, itemsize, *ways)


@exercise.misconception(
    "Each step attends to as many tokens as the finished text has. How many are there at step t?"
)
def attends_to_what_is_not_written(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    def attended(rows, keys, d_model):
        return 0

    ways = keep_own, keep_memory
    work = added(tokens, memory, d_model, d_memory, *ways, attended=attended)
    rows = tokens if keep_own else tokens * (tokens + 1) // 2
    work += seen_once(rows, tokens, d_model) + seen_once(rows, memory, d_model)
    return work, held(tokens, memory, d_model, itemsize, *ways)


@exercise.misconception(
    "Your first step has no token, and the last one is missing. How many are there at step 1, the "
    "start token included?"
)
def begins_with_nothing(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    def steps(first, end):
        return range(first - 1, end - 1)

    ways = keep_own, keep_memory
    work = added(tokens, memory, d_model, d_memory, *ways, steps=steps)
    return work, held(tokens, memory, d_model, itemsize, *ways)


@exercise.misconception(
    "Without its own cache you count half of the scores only. They are computed for all pairs of "
    "positions, and those that the causal mask hides are thrown away."
)
def leaves_out_what_the_mask_hides(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    ways = keep_own, keep_memory
    work = added(tokens, memory, d_model, d_memory, *ways)
    hidden = 0 if keep_own else sum(t * (t - 1) // 2 for t in range(1, tokens + 1))
    work -= seen_once(1, hidden, d_model)
    return work, held(tokens, memory, d_model, itemsize, *ways)


@exercise.misconception(
    "Without its own cache you run only self-attention again for all positions. The layer's other "
    "attention gets all of them, too."
)
def asks_the_memory_once_a_step(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    ways = keep_own, keep_memory
    work = added(tokens, memory, d_model, d_memory, *ways)
    again = 0 if keep_own else tokens * (tokens - 1) // 2
    work -= again * 2 * d_model * (d_model + memory)
    return work, held(tokens, memory, d_model, itemsize, *ways)


@exercise.misconception(
    "Without its own cache a step still has a single new query in what you count. Which positions "
    "go through the layer again?"
)
def runs_the_newest_only(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    again = 0 if keep_own else tokens * (tokens - 1) // 2
    work = added(tokens, memory, d_model, d_memory, True, keep_memory)
    work += 2 * again * d_model**2
    return work, held(tokens, memory, d_model, itemsize, keep_own, keep_memory)


@exercise.misconception(
    "You project the memory once, whether its keys and values are kept or not. What is not kept "
    "is made again at each step."
)
def always_projects_the_memory_once(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    work = added(tokens, memory, d_model, d_memory, keep_own, True)
    return work, held(tokens, memory, d_model, itemsize, keep_own, keep_memory)


@exercise.misconception(
    "You project the memory at each step, also where its keys and values are kept."
)
def projects_the_memory_at_each_step(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    work = added(tokens, memory, d_model, d_memory, keep_own, False)
    return work, held(tokens, memory, d_model, itemsize, keep_own, keep_memory)


@exercise.misconception(
    "W_k and W_v of the memory do not go from `d_model` to `d_model`. How wide is a token of the "
    "memory?"
)
def takes_d_model_for_d_memory(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    ways = keep_own, keep_memory
    work = added(tokens, memory, d_model, d_model, *ways)
    return work, held(tokens, memory, d_model, itemsize, *ways)


@exercise.misconception(
    "The work is right, the bytes are half of what they should be. A key is kept, and what else?"
)
def keeps_keys_only(tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory):
    ways = keep_own, keep_memory
    work = added(tokens, memory, d_model, d_memory, *ways)
    return work, held(tokens, memory, d_model, itemsize, *ways) // 2


@exercise.misconception(
    "The work is right. The bytes are those of the memory's tokens as they come; kept are keys and "
    "values, after W_k and W_v. How wide are they?"
)
def keeps_the_memory_as_it_comes(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    ways = keep_own, keep_memory
    work = added(tokens, memory, d_model, d_memory, *ways)
    size = 2 * (tokens * d_model * keep_own + memory * d_memory * keep_memory)
    return work, size * itemsize


@exercise.misconception(
    "The work is right. You count bytes of both caches, also where they are not kept."
)
def keeps_both_always(
    tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory
):
    work = added(tokens, memory, d_model, d_memory, keep_own, keep_memory)
    return work, held(tokens, memory, d_model, itemsize, True, True)


@exercise.misconception("The work is right. You count numbers, not bytes: what is `itemsize`?")
def counts_numbers(tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory):
    ways = keep_own, keep_memory
    work = added(tokens, memory, d_model, d_memory, *ways)
    return work, held(tokens, memory, d_model, 1, *ways)
