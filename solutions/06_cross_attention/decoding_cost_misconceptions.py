"""Known mistakes of `decoding_cost`."""

from .decoding_cost import exercise


@exercise.base
def right(tokens, memory, d_model, d_memory, num_heads, itemsize, keep_own, keep_memory):
    work = 0
    for t in range(1, tokens + 1):
        rows = 1 if keep_own else t  # that go through the layer
        work += 6 * rows * d_model**2  # W_q, W_k, W_v and W_o, then W_q and W_o
        work += 2 * rows * (t + memory) * d_model  # scores, and weights times values
    times = 1 if keep_memory else tokens
    work += times * 2 * memory * d_memory * d_model
    numbers = 2 * (tokens * keep_own + memory * keep_memory) * d_model
    return work, numbers * itemsize


# fmt: off
right.mistake("counts_both_operations", {"return work": "return 2 * work"},
    "You count twice as many operations. A multiplication with the following addition counts as "
    "one here.")
right.mistake("multiplies_by_the_heads", {"2 * rows": "2 * num_heads * rows"},
    "The count is right for one head. You count scores and weighted values at full width for each "
    "head. How wide is one head of several?")
right.mistake("forgets_the_values", {"2 * rows": "rows"},
    "In each attention, two products involve all keys or values: queries times keys, and which "
    "other one?")
right.mistake("forgets_the_last_layer", {"6 *": "4 *"},
    "The work of W_o is missing: both attentions pass their result through it.")
right.mistake("attends_to_what_is_not_written", {"(t + memory)": "(tokens + memory)"},
    "In each step you attend to as many tokens as the finished text has. How many are there at "
    "step t?")
right.mistake("begins_with_nothing", {"range(1, tokens + 1)": "range(tokens)"},
    "Your first step has no token, and the last one is missing. How many tokens are there at step "
    "1, including the start token?")
right.mistake("leaves_out_what_the_mask_hides",
    {"work += 2 * rows * (t + memory)":
        "pairs = t if keep_own else t * (t + 1) // 2\n"
        "        work += 2 * (pairs + rows * memory)"},
    "Without its own cache you count only half of the scores. They are computed for all pairs of "
    "positions, and those that the causal mask hides are thrown away.")
right.mistake("asks_the_memory_once_a_step",
    {"6 * rows": "(4 * rows + 2)", "rows * (t + memory)": "(rows * t + memory)"},
    "Without its own cache you rerun only self-attention for all positions. The layer's other "
    "attention processes all of them, too.")
right.mistake("runs_the_newest_only", {"6 * rows": "(4 + 2 * rows)", "2 * rows *": "2 *"},
    "Without its own cache, you still count a single new query per step. Which positions go "
    "through the layer again?")
right.mistake("always_projects_the_memory_once", {"1 if keep_memory else tokens": "1"},
    "You project the memory once, whether its keys and values are kept or not. If they are not "
    "kept, they are computed again at each step.")
right.mistake("projects_the_memory_at_each_step", {"1 if keep_memory else tokens": "tokens"},
    "You project the memory at each step, even where its keys and values are kept.")
right.mistake("takes_d_model_for_d_memory", {"memory * d_memory": "memory * d_model"},
    "W_k and W_v of the memory do not map `d_model` to `d_model`. How wide is a token of the "
    "memory?")
right.mistake("keeps_keys_only", {"2 * (tokens": "(tokens"},
    "The work is right, but the bytes are half of what they should be. Keys are kept, and what "
    "else?")
right.mistake("keeps_the_memory_as_it_comes",
    {"(tokens * keep_own + memory * keep_memory) * d_model":
        "(tokens * d_model * keep_own + memory * d_memory * keep_memory)"},
    "The work is right. You count the bytes of the memory's tokens themselves, but the cache "
    "keeps keys and values, after W_k and W_v. How wide are those?")
right.mistake("keeps_both_always",
    {"(tokens * keep_own + memory * keep_memory)": "(tokens + memory)"},
    "The work is right. You count bytes of both caches, even where they are not kept.")
right.mistake("counts_numbers", {"numbers * itemsize": "numbers"},
    "The work is right. You count numbers, not bytes. What is `itemsize`?")
