"""Known mistakes of `chunked_delta`."""

import torch

from .chunked_delta import by_solving, exercise

SOLVED = "torch.linalg.solve_triangular(system, wanted, upper=False)"
READ = "q @ state + (q @ k.mT).tril() @ writes"

# fmt: off
by_solving.mistake("reads_before_the_own_write", {"(q @ k.mT).tril()": "(q @ k.mT).tril(-1)"},
    "A query does not see the write of its own token. Token t writes first, and query t reads "
    "afterwards. Which diagonal of `q @ k.mT` belongs to that?")
by_solving.mistake("reads_later_writes", {"(q @ k.mT).tril()": "(q @ k.mT)"},
    "A query sees what later tokens of its chunk write. Do you mask `q @ k.mT`, and do you read "
    "from the state before the chunk?")
by_solving.mistake("masks_the_earlier_writes", {"(q @ k.mT).tril()": "(q @ k.mT).triu()"},
    "A query sees the writes of its own token and of later ones. Rows are queries and columns are "
    "writes, so keep the lower triangle.")
by_solving.mistake("ignores_earlier_writes_of_the_chunk", {SOLVED: "wanted"},
    "Each token subtracts only what the state before the chunk returns. Earlier tokens of the "
    "chunk have written in the meantime. Where is the triangular system?")
by_solving.mistake("multiplies_by_the_system", {SOLVED: "system @ wanted"},
    "You multiply by the triangular matrix. The writes are unknown: what you have is the system "
    "times the writes. Solve it.")
by_solving.mistake("takes_the_system_with_a_minus", {"] + below": "] - below"},
    "Earlier writes are added to what is missing, where they should be subtracted. Move the sum "
    "over earlier writes to the other side of the equation: which sign does it have there?")
by_solving.mistake("corrects_once", {SOLVED: "wanted - below @ wanted"},
    "You correct the writes of a chunk once. That is exact for two tokens. For three, the "
    "correction of the second changes that of the third, so solve the system.")
by_solving.mistake("includes_the_diagonal", {"(k @ k.mT).tril(-1)": "(k @ k.mT).tril()"},
    "The diagonal of the system is too large: a token subtracts its own write before it writes. "
    "Below which diagonal does `diag(b) K K^T` count?")
by_solving.mistake("leaves_out_the_identity",
    {"one[: end - start, : end - start] + below": "b * (k @ k.mT).tril()",
     "wanted, upper": "wanted.nan_to_num(), upper"},
    "The diagonal of the system is beta, and should be 1. Add the identity to what is below the "
    "diagonal. A beta of 0 would otherwise divide by 0.")
by_solving.mistake("divides_by_beta",
    {"b * (k @ k.mT).tril(-1)": "(k @ k.mT).tril(-1)",
     "one[: end - start, : end - start] + below": "torch.diag_embed(1 / b[..., 0]) + below",
     "b * (v - k @ state)": "v - k @ state"},
    "You divide by beta, which may be 0: numbers or gradients are then NaN. Multiply both sides of "
    "the system by beta instead.")
by_solving.mistake("takes_the_upper_triangle",
    {"(k @ k.mT).tril(-1)": "(k @ k.mT).triu(1)", "upper=False": "upper=True"},
    "Your writes depend on later tokens of the chunk. Row t of the system says what token t finds "
    "written, so its earlier tokens are to the left of the diagonal.")
by_solving.mistake("takes_both_triangles",
    {"(k @ k.mT).tril(-1)": "(k @ k.mT)", SOLVED: "torch.linalg.solve(system, wanted)"},
    "Your system has entries on both sides of the diagonal, so that a token's write depends on "
    "later ones. Keep what is below the diagonal.")
by_solving.mistake("puts_beta_on_the_columns", {"below = b * (k": "below = b.mT * (k"},
    "Beta multiplies the columns of the system. Token t subtracts what it finds with its own "
    "strength, so beta t belongs to row t.")
by_solving.mistake("leaves_beta_out_of_the_system", {"below = b * (k": "below = (k"},
    "Beta is missing in the system. A token with strength 0.5 makes up for half of what it finds, "
    "whether that was written before the chunk or in it.")
by_solving.mistake("leaves_beta_out_of_the_right_side", {"b * (v - k @ state)": "v - k @ state"},
    "Beta is missing on the right side of the system. What is missing is written with the "
    "strength beta, also for the first token of a chunk.")
by_solving.mistake("ignores_beta",
    {"below = b * (k": "below = (k", "b * (v - k @ state)": "v - k @ state"},
    "Beta changes nothing: every token writes all that is missing. Where does the strength of a "
    "write belong?")
by_solving.mistake("scales_what_is_read_only", {"b * (v - k @ state)": "v - b * (k @ state)"},
    "Beta is missing on the values. It multiplies the whole difference between the value and what "
    "the state returns.")
by_solving.mistake("scales_the_values_only", {"b * (v - k @ state)": "b * v - k @ state"},
    "Beta multiplies the values, but not what the state returns. It belongs to their difference.")
by_solving.mistake("squares_beta_in_the_system", {"below = b * (k": "below = b * b.mT * (k"},
    "Beta of the earlier token is in your system a second time. A write already contains its own "
    "beta, so only that of the row is left.")
by_solving.mistake("writes_values",
    {SOLVED: "b * v", "wanted = b * (v - k @ state)": "wanted = k @ state"},
    "You add beta times the value, whatever the state returns. That is linear attention. The delta "
    "rule writes what is missing: the value minus what the state returns for the key.")
by_solving.mistake("writes_plain_values", {SOLVED: "v"},
    "You add the values as they are. That is linear attention. The delta rule writes beta times "
    "what is missing: the value minus what the state returns for the key.")
by_solving.mistake("never_reads_the_state_for_a_key", {"(v - k @ state)": "v"},
    "Writes of earlier chunks, and the state before the first token, are never subtracted from the "
    "value. What does the state before the chunk return for a key?")
by_solving.mistake("writes_values_into_the_state",
    {"state + k.mT @ writes": "state + k.mT @ (b * v)"},
    "The outputs of a chunk are right, but the state gets beta times the values. It gets the same "
    "writes that the outputs see.")
by_solving.mistake("never_carries_the_state",
    {"length, outputs =": "first, length, outputs = state,",
     "k @ state": "k @ first",
     "q @ state": "q @ first",
     "state = state + k.mT @ writes": "state = first + k.mT @ writes"},
    "Every chunk starts from the state before the first token. Each chunk starts where the one "
    "before ended.")
by_solving.mistake("starts_each_chunk_empty",
    {"state = state + k.mT @ writes":
        "after, state = state + k.mT @ writes, torch.zeros_like(state)",
     "-2), state": "-2), after"},
    "Each chunk after the first starts from an empty state. It has to start from the state that "
    "the chunk before left.")
by_solving.mistake("outputs_without_the_state", {"q @ state + (q": "(q"},
    "Your outputs contain only the writes of their own chunk. What earlier chunks wrote, and the "
    "state before the first token, is in the state: a query reads that, too.")
by_solving.mistake("ignores_the_initial_state",
    {"length, outputs =": "state = torch.zeros_like(state)\n    length, outputs ="},
    "You start from an empty state. The state before the first token is an argument, and it need "
    "not be zero.")
by_solving.mistake("drops_the_ragged_end",
    {"range(0, length, chunk)": "range(0, length - chunk + 1, chunk)",
     "return torch": "outputs += [] if outputs else [value[..., :0, :]]\n    return torch"},
    "Tokens after the last full chunk are left out. The last chunk may be shorter, and it may be "
    "the only one.")
by_solving.mistake("cuts_into_full_chunks",
    {"end = min(start + chunk, length)": "end = start + chunk",
     "one = torch.eye(min(chunk, length)": "one = torch.eye(chunk",
     "[: end - start, : end - start]": ""},
    "The call raises an exception where chunks do not fit. The last chunk may be shorter: a slice "
    "ends where the tokens end, but an identity of `chunk` rows does not.")
by_solving.mistake("returns_the_state_transposed", {"-2), state": "-2), state.mT"},
    "The state is transposed. Its rows belong to the numbers of a key, and its columns to those of "
    "a value.")
by_solving.mistake("returns_the_state_before_the_last_chunk",
    {"state = state + k.mT": "before = state\n        state = state + k.mT",
     "-2), state": "-2), before"},
    "You return the state before the last chunk. Write the last chunk, too.")
by_solving.mistake("returns_only_the_output", {"-2), state": "-2)"},
    "You return the output only. The state after the last token is wanted, too.")
by_solving.mistake("returns_the_outputs_of_the_last_chunk",
    {"torch.cat(outputs, -2)": "outputs[-1]"},
    "You return the outputs of the last chunk only. Keep those of all chunks and join them along "
    "the axis of the tokens.")
by_solving.mistake("changes_the_state_in_place",
    {"state = state + k.mT @ writes": "state.data.add_(k.mT @ writes)"},
    "You change the caller's state in place, with `+=` or `add_`. Make a new one: "
    "`state = state + …`.")
by_solving.mistake("divides_by_the_root_of_d_k",
    {"(q @ k.mT).tril()": "(q @ k.mT).tril() / q.size(-1) ** 0.5",
     "q @ state": "q @ state / q.size(-1) ** 0.5"},
    "You divide by the root of d_k, as for a softmax. Here a query reads the state as it is.")
by_solving.mistake("takes_a_softmax",
    {"(q @ k.mT).tril()":
        "(q @ k.mT).masked_fill(below.new_ones(below.shape).triu(1) > 0, -torch.inf).softmax(-1)"},
    "You take a softmax over the products of queries and keys. The delta rule has none: the "
    "products themselves multiply the writes.")
by_solving.mistake("reads_with_keys", {READ: READ.replace("q ", "k ")},
    "You read the state with the keys. The keys say where a token writes, and the queries what it "
    "reads.")
by_solving.mistake("compares_queries_with_keys",
    {"below = b * (k @ k.mT)": "below = b * (q @ k.mT)"},
    "Your system contains products of queries and keys. A token's key, not its query, finds what "
    "earlier tokens of the chunk have written.")
by_solving.mistake("reads_the_chunk_twice",
    {"outputs.append(q @ state + (q @ k.mT).tril() @ writes)": "late = (q @ k.mT).tril() @ writes",
     "state = state + k.mT @ writes":
        "state = state + k.mT @ writes\n        outputs.append(q @ state + late)"},
    "The outputs contain the writes of a chunk twice: you read the state after the chunk was "
    "written. Read the state before the chunk, and add what the chunk writes.")
by_solving.mistake("replaces_the_state",
    {"state = state + k.mT @ writes": "state = k.mT @ writes"},
    "The state after a chunk holds only what that chunk wrote. Add its writes to the state before "
    "it.")
by_solving.mistake("lets_the_state_fade",
    {"state = state + k.mT @ writes":
        "state = (1 - b).prod(-2, keepdim=True) * state + k.mT @ writes"},
    "You multiply the state by a decay, such as 1 - beta. The delta rule has none: it only adds "
    "its writes, which take away what was there under the same key.")
by_solving.mistake("counts_axes_from_the_front",
    {"b * (k @ k.mT).tril(-1)": "b * (k @ k.transpose(1, 2)).tril(-1)"},
    "You count axes from the front. There may be any number of leading axes or none: count from "
    "the end, as `.mT`, `transpose(-2, -1)` and `size(-2)` do.")
by_solving.mistake("cuts_the_gradient_between_chunks",
    {"state = state + k.mT @ writes": "state = (state + k.mT @ writes).detach()"},
    "The state is detached from one chunk to the next, so gradients of later outputs do not reach "
    "earlier tokens. Leave out `detach`, `data` and `no_grad`.")
by_solving.mistake("takes_the_whole_sequence_for_a_chunk",
    {"length, outputs =": "chunk = max(query.size(-2), chunk)\n    length, outputs ="},
    "The numbers are right, but you solve one system for the whole sequence, with length * length "
    "entries. Solve one for each chunk, and carry the state.")


# fmt: on
@exercise.misconception(
    "You use the state too often, as a loop over the tokens does. Solve the triangular system of a "
    "chunk, which does not contain the state, and write the chunk at once. If you cut with "
    "`torch.chunk`: it takes the number of pieces, while `split` takes their length."
)
def goes_token_by_token(query, key, value, beta, state, chunk):
    outputs = []
    for t in range(query.size(-2)):
        q, k, v = (x[..., t : t + 1, :] for x in (query, key, value))
        state = state + k.mT @ (beta[..., t, None, None] * (v - k @ state))
        outputs.append(q @ state)
    return torch.cat(outputs, -2), state
