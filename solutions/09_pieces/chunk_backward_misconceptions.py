"""Known mistakes of `chunk_backward`."""

from .chunk_backward_loops import right

# fmt: off
right.mistake("forgets_the_mask_on_the_way_back",
    {"later(query, start, keys.size(-2))": "later(query, start, keys.size(-2)) & False"},
    "The forward pass was causal, but in your backward pass every query sees every key. A masked "
    "key gets no gradient from that query.")
right.mistake("starts_the_mask_anew", {"later(query, start": "later(query, 0"},
    "The causal mask of each chunk starts again at its corner. Which number does the first key of "
    "a chunk have in the sequence?")
right.mistake("aligns_the_mask_at_the_end",
    {"if causal:": "if causal:\n            start += query.size(-2) - key.size(-2)"},
    "Where the numbers of queries and keys differ, your mask is shifted: it ends in the lower "
    "right corner. In the forward pass query 0 saw key 0 only, however many keys there were.")
right.mistake("gives_masked_scores_the_value_0",
    {"(query @ keys.mT / root - log_sum[..., None]).exp()": "query @ keys.mT / root",
     "return weights\n": "return (weights - log_sum[..., None]).exp()\n"},
    "A masked score is 0 when its exponential is taken, so the weight is not 0. What should you "
    "mask so that the weight is 0: the score, and with which number, or the weight itself?")
right.mistake("forgets_the_mask_for_the_values",
    {"root =":
        "right = backwards(query, key, value, output, grad_output, log_sum, chunk, causal)\n"
        "    root =",
     "later(query, start, keys.size(-2))": "later(query, start, keys.size(-2)) & False",
     "sum(of_query), grad_key": "right[0], right[1]"},
    "The gradients of query and key are right. That of value uses weights of keys that the query "
    "could not see. Apply the mask to the weights before either use of them.")
right.mistake("makes_the_whole_mask",
    {"root =":
        "whole = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool)\n"
        "    whole = whole.triu(1).to(query.device)\n"
        "    root =",
     "later(query, start, keys.size(-2))": "whole[:, start : start + keys.size(-2)]"},
    "Your chunks are right, but you build the mask for all queries and all keys. Which part of it "
    "does a chunk need?")
right.mistake("multiplies_the_mask_in",
    {"if causal:": "if True:",
     "weights.masked_fill(later(query, start, keys.size(-2)), 0.0)":
        "weights * ~(later(query, start, keys.size(-2)) & causal)"},
    "You multiply by a mask. A masked score can be far above `log_sum`, so its exponential is "
    "infinite, and infinity times 0 is NaN. What can you fill in instead, and where?")
right.mistake("masks_with_minus_100",
    {"(query @ keys.mT / root - log_sum[..., None]).exp()": "query @ keys.mT / root",
     "0.0": "-100.0",
     "return weights\n": "return (weights - log_sum[..., None]).exp()\n"},
    "Masked scores get a number that is not far below all others: scores and `log_sum` go down to "
    "-100. Fill in minus infinity, or fill the weights with 0.")
right.mistake("sees_the_next_key", {"later(query, start": "later(query, start - 1"},
    "A query sees the key after its own. In the forward pass query i saw the keys 0 to i only.")
right.mistake("masks_without_causal", {"if causal:": "if True:"},
    "Later keys are hidden even where `causal` is False. In that case every query saw all keys in "
    "the forward pass.")
right.mistake("hides_the_own_key", {"later(query, start": "later(query, start + 1"},
    "A query does not see its own key. In the forward pass query i saw the keys 0 to i, including "
    "i.")
right.mistake("moves_the_mask_the_wrong_way", {"later(query, start": "later(query, -start"},
    "The first chunk's mask is right, but later ones shift the wrong way: queries see later keys. "
    "Key 0 of a chunk has the number `start`. Do you add that to the number of the key or of the "
    "query?")
right.mistake("aligns_longer_keys_at_the_end",
    {"if causal:": "if causal:\n            start -= max(key.size(-2) - query.size(-2), 0)"},
    "Where there are more keys than queries, your mask is shifted so that the last query sees the "
    "last key. In the forward pass query i saw the keys 0 to i, however many keys there were.")
right.mistake("makes_a_square_mask", {"later(query": "later(key"},
    "The call raises an exception where `causal` is True and the numbers of queries and keys "
    "differ. Does your mask have one row for each query and one column for each key of the chunk?")
right.mistake("hides_the_earlier_keys", {"later(query, start": "~later(query, start + 1"},
    "Your mask is reversed: a query sees its own key and later ones, but not the earlier ones. "
    "Check the comparison, or whether you need `tril` or `triu`.")
right.mistake("hides_what_may_be_seen", {"later(query": "~later(query"},
    "You hide the keys that a query saw, and show those that it did not. `masked_fill` fills "
    "where its mask is True. Does your mask mark the keys to be seen, or those to be hidden?")
right.mistake("forgets_the_row_sum", {"(grad_output * output).sum(-1, keepdim=True)": "0.0"},
    "You subtract nothing from the gradients of the weights. The denominator of the softmax "
    "depends on every score of the row. The output and its gradient tell you how.")
right.mistake("adds_the_row_sum", {"slopes - (": "slopes - -("},
    "You add the row's sum to the gradients of the weights. The denominator of the softmax grows "
    "with every score. Does that raise the other weights of the row, or lower them?")
right.mistake("sums_over_the_chunk", {"(grad_output * output)": "(weights * slopes)"},
    "What you subtract is summed over the keys of one chunk. The softmax ran over all keys. Which "
    "two tensors that you were given contain the sum over all of them?")
right.mistake("takes_a_softmax_of_each_chunk",
    {"(query @ keys.mT / root - log_sum[..., None]).exp()": "query @ keys.mT / root",
     "0.0": "-math.inf",
     "return weights\n": "return weights.softmax(-1).nan_to_num()\n"},
    "The weights of each chunk sum to 1 separately. They are parts of one row over all keys, and "
    "`log_sum` contains the sum over all of them.")
right.mistake("forgets_the_root_on_the_way_back", {"True)) / root": "True)) / root * root"},
    "The gradient of value is right, but those of query and key are too large by one factor. A "
    "score was divided in the forward pass. What about the backward pass?")
right.mistake("forgets_the_root_in_the_scores", {"keys.mT / root": "keys.mT"},
    "The scores that you recompute lack the root of d_k, so they do not match `log_sum`: the "
    "weights of a row do not sum to 1.")
right.mistake("forgets_the_root_altogether", {"math.sqrt(query.size(-1))": "1.0"},
    "The root of d_k does not appear in your computation. It divides the scores, from which "
    "`log_sum` was computed, and appears once more in the backward pass.")
right.mistake("divides_by_the_root_twice", {"True)) / root": "True)) / root / root"},
    "The root of d_k divides the gradient twice. If you scaled the query before its product with "
    "the key, for which of the two gradients is the factor already included?")
right.mistake("overflows",
    {"(query @ keys.mT / root - log_sum[..., None]).exp()":
        "(query @ keys.mT / root).exp() / log_sum[..., None].exp()",
     "if causal:": "if True:",
     "later(query, start, keys.size(-2))": "later(query, start, keys.size(-2)) & causal"},
    "You take the exponential of a score before dividing by the sum, and it is infinite from 89 "
    "on. What can you subtract from the score so that its exponential is the weight itself?")
right.mistake("divides_by_log_sum",
    {"(query @ keys.mT / root - log_sum[..., None]).exp()":
        "(query @ keys.mT / root).exp() / log_sum[..., None]",
     "if causal:": "if True:",
     "later(query, start, keys.size(-2))": "later(query, start, keys.size(-2)) & causal"},
    "`log_sum` is a logarithm, but you divide the exponentials by it as if it were the sum itself.")
right.mistake("turns_the_sign",
    {"return weights * (slopes": "return -(weights * (slopes", "True)) / root": "True)) / root)"},
    "The gradients of query and key have the wrong sign. If a value points in the direction of "
    "`grad_output`, does the gradient of its score rise or fall?")
right.mistake("divides_by_d_k", {"math.sqrt(query.size(-1))": "float(query.size(-1))"},
    "The scores are divided by d_k itself, not by its root.")
right.mistake("measures_against_a_maximum_as_well",
    {"(query @ keys.mT / root - log_sum[..., None]).exp()": "query @ keys.mT / root",
     "0.0": "-math.inf",
     "return weights\n":
        "shares = (weights - weights.amax(-1, keepdim=True).clamp(min=-1e30)).exp()\n"
        "        return shares / log_sum[..., None].exp()\n"},
    "You measure exponentials against the largest score of a chunk, and then divide by the sum of "
    "exponentials of the plain scores. `log_sum` alone turns a score into a weight.")
right.mistake("leaves_the_output_out_of_the_row_sum", {"(grad_output * output)": "grad_output"},
    "You subtract the sum of `grad_output` over the features, without the output. The softmax "
    "subtracts a dot product. Of which two tensors?")
right.mistake("takes_the_output_for_its_gradient",
    {"root =":
        "right = backwards(query, key, value, output, grad_output, log_sum, chunk, causal)\n"
        "    grad_output = output\n"
        "    root =",
     "sum(of_query), grad_key": "right[0], right[1]"},
    "You compute the gradient of value from `output` instead of `grad_output`. Which of the two "
    "says how the loss changes with the output?")
right.mistake("subtracts_after_the_weights", {"weights * (slopes - (": "(weights * slopes - ("},
    "You subtract the row's sum after the product with the weights. A score's gradient is its "
    "weight times a difference. Where do the brackets go?")
