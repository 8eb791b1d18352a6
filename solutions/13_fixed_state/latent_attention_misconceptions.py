"""Known mistakes of `latent_attention`."""

import math

import torch
import torch.nn.functional as F

from .latent_attention import exercise


@exercise.base
def right(query, turned_query, latent, turned_key, W_k, W_v):
    queries, keys = query.size(2), latent.size(1)
    width = query.size(-1) + turned_query.size(-1)
    asked = query @ W_k.mT
    scores = torch.einsum("bhqc,bkc->bhqk", asked, latent)
    scores = scores + torch.einsum("bhqr,bkr->bhqk", turned_query, turned_key)
    scores = scores / math.sqrt(width)
    mask = torch.ones(queries, keys, dtype=torch.bool, device=latent.device).tril(keys - queries)
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
    mixed = torch.einsum("bhqk,bkc->bhqc", weights, latent)
    output = mixed @ W_v
    return output  # noqa: RET504


# fmt: off
right.mistake("divides_by_the_root_of_d_k",
    {"query.size(-1) + turned_query.size(-1)": "query.size(-1)"},
    "You divide the scores by the root of d_k alone. A score is the sum of d_k products and of d_r "
    "further ones.")
right.mistake("divides_by_the_root_of_d_c",
    {"query.size(-1) + turned_query.size(-1)": "latent.size(-1)"},
    "You divide the scores by the root of d_c. The absorbed query has d_c numbers, but it gives "
    "the same dot product as a query and a key of d_k numbers.")
right.mistake("divides_by_the_root_of_d_c_and_d_r",
    {"query.size(-1) + turned_query.size(-1)": "latent.size(-1) + turned_query.size(-1)"},
    "You divide the scores by the root of d_c + d_r. Absorbing W_k changes no score, so it must "
    "not change the divisor: how many numbers have a query and its turned part?")
right.mistake("scales_each_part_by_itself",
    {"asked, latent)": "asked, latent) / math.sqrt(query.size(-1))",
     "turned_query, turned_key)": "turned_query, turned_key) / math.sqrt(turned_query.size(-1))",
     "scores = scores / math.sqrt(width)": "pass"},
    "You divide each part of the score by the root of its own width. Add the two parts first and "
    "divide the sum.")
right.mistake("scales_each_part_as_it_is_compared",
    {"asked, latent)": "asked, latent) / math.sqrt(latent.size(-1))",
     "turned_query, turned_key)": "turned_query, turned_key) / math.sqrt(turned_query.size(-1))",
     "scores = scores / math.sqrt(width)": "pass"},
    "You divide the first part by the root of d_c and the turned part by that of d_r. Add the two "
    "first; absorbing W_k does not change the divisor, which is the root of d_k + d_r.")
right.mistake("scales_the_first_part_only",
    {"asked, latent)": "asked, latent) / math.sqrt(width)",
     "scores = scores / math.sqrt(width)": "pass"},
    "You divide the first part of the score and add the turned part as it is. Divide the sum.")
right.mistake("forgets_to_divide", {"math.sqrt(width)": "1.0"},
    "The scores are not divided by the root of d_k + d_r.")
right.mistake("divides_by_the_width", {"math.sqrt(width)": "width"},
    "You divide the scores by d_k + d_r. The formula divides by its root.")
right.mistake("leaves_out_the_turned_part",
    {"scores + torch.einsum": "scores + 0 * torch.einsum"},
    "The turned part does not count in your scores. Without it no score depends on positions.")
right.mistake("leaves_out_the_latent_part",
    {"scores = scores + torch.einsum": "scores = 0 * scores + torch.einsum"},
    "Your scores are those of the turned part alone. Where does the query meet the latent vectors?")
right.mistake("takes_the_turned_keys_of_another_text",
    {'"bhqr,bkr->bhqk"': '"bhqr,hkr->bhqk"'},
    "Head number a gets the turned keys of text number a: `turned_query @ turned_key.mT` matches "
    "the batch with the heads. Give the turned keys an axis of length 1 for the heads, or use "
    "`einsum`.")
right.mistake("takes_the_latent_of_another_text",
    {'"bhqc,bkc->bhqk"': '"bhqc,hkc->bhqk"', '"bhqk,bkc->bhqc"': '"bhqk,hkc->bhqc"'},
    "Head number a gets the latent vectors of text number a: a product such as `asked @ latent.mT` "
    "matches the batch with the heads. All heads of a text share its cache.")
right.mistake("turned_scores_of_the_first_head",
    {"turned_query, turned_key)": "turned_query[:, :1].expand_as(turned_query), turned_key)"},
    "All heads use the turned query of the first one. The turned key is shared, the turned queries "
    "are not.")
right.mistake("averages_the_turned_queries",
    {"turned_query, turned_key)":
        "turned_query.mean(1, keepdim=True).expand_as(turned_query), turned_key)"},
    "All heads use the mean of the turned queries. The turned key is shared, the turned queries "
    "are not.")
right.mistake("turned_part_backwards",
    {"turned_query, turned_key)": "turned_query, turned_key.flip(1))"},
    "The turned keys belong to other tokens than the latent vectors. Both are in the order of the "
    "text.")
right.mistake("forgets_the_mask", {".tril(keys - queries)": ""},
    "Every query sees all keys. Only the last query of a text may do so.")
right.mistake("counts_queries_from_the_beginning", {".tril(keys - queries)": ".tril()"},
    "The first query sees only the first key. The queries are the last of the keys: the first of "
    "them sees all tokens before it, and itself.")
right.mistake("does_not_see_itself",
    {".tril(keys - queries)": ".tril(keys - queries - 1)",
     "(~mask, -math.inf).softmax(dim=-1)": "(~mask, -1e4).softmax(dim=-1) * mask"},
    "A query does not see its own token. It sees the first keys - queries + i + 1 keys.")
right.mistake("sees_the_next_token", {".tril(keys - queries)": ".tril(keys - queries + 1)"},
    "A query sees one token too many: the one after it.")
right.mistake("sees_what_comes_later", {".tril(keys - queries)": ".triu(keys - queries)"},
    "The mask is inverted: a query sees its own token and those after it.")
right.mistake("masks_after_the_softmax",
    {"scores.masked_fill(~mask, -math.inf).softmax(dim=-1)": "scores.softmax(dim=-1) * mask"},
    "You mask after the softmax. Hidden keys have had their share by then, so the remaining "
    "weights do not sum to 1.")
right.mistake("fills_with_0", {"-math.inf": "0.0"},
    "Hidden keys get the score 0, whose exponential is not 0. Which score gives the weight 0?")
right.mistake("fills_with_a_number", {"-math.inf": "-1e4"},
    "Where all scores are far below 0, hidden keys win, because the number that they get is not "
    "low enough. Minus infinity is below every score.")
right.mistake("normalises_over_queries", {".softmax(dim=-1)": ".softmax(dim=-2)"},
    "In your result the weights of a key sum to 1 over the queries. The weights of a query should "
    "sum to 1 over the keys: `dim=-1`.")
right.mistake("multiplies_by_W_k_as_it_is", {"W_k.mT": "W_k"},
    "You multiply the query by W_k as it is, which fits only if d_c equals d_k. A key is latent @ "
    "W_k, so on which side of the dot product does W_k stand, and is it transposed there?")
right.mistake("reads_W_k_in_another_order",
    {"W_k.mT": "W_k.reshape(W_k.size(0), W_k.size(2), W_k.size(1))"},
    "You reshape W_k where it should be transposed: the shape is right, the numbers stand in "
    "another order.")
right.mistake("multiplies_the_latent_by_W_k_too",
    {"output = mixed @ W_v": "output = mixed @ W_k"},
    "Your values are made with W_k. A head's values are latent @ W_v[a].")
right.mistake("swaps_the_matrices",
    {"queries, keys = query": "W_k, W_v = W_v, W_k\n    queries, keys = query"},
    "W_k and W_v are exchanged: W_k belongs to the query and W_v to the output.")
right.mistake("returns_latent_vectors", {"mixed @ W_v": "mixed"},
    "You return weighted sums of latent vectors, with d_c numbers. Multiply them by W_v of their "
    "head.")
right.mistake("one_matrix_for_all_heads", {"query @ W_k.mT": "query @ W_k[:1].mT"},
    "All heads use W_k of the first head. They share the latent vectors, and each has its own W_k.")
right.mistake("one_matrix_of_values_for_all_heads", {"mixed @ W_v": "mixed @ W_v[:1]"},
    "All heads use W_v of the first head. They share the latent vectors, and each has its own W_v.")
right.mistake("averages_the_matrices",
    {"query @ W_k.mT": "query @ W_k.mean(0).mT", "mixed @ W_v": "mixed @ W_v.mean(0)"},
    "You use the mean of the matrices of all heads. Each head has its own W_k and W_v.")
right.mistake("averages_the_heads",
    {"return output": "return output.mean(dim=1, keepdim=True).expand_as(output)"},
    "All heads return the same mean. Return the output of each head.")
right.mistake("sums_over_the_heads", {"return output": "return output.sum(dim=1)"},
    "You sum over the heads. Return the output of each head, on the axis behind the batch.")
right.mistake("heads_side_by_side", {"return output": "return output.transpose(1, 2).flatten(2)"},
    "You put the heads of a query side by side. Return them on an axis of their own: batch, heads, "
    "queries, d_v.")
right.mistake("queries_before_heads", {"return output": "return output.transpose(1, 2)"},
    "The axes of the heads and of the queries are exchanged in what you return.")
right.mistake("makes_keys_or_values_of_all_heads",
    {"asked = query @ W_k.mT\n": "made = torch.einsum(\"bkc,hcd->bhkd\", latent, W_k)\n",
     '"bhqc,bkc->bhqk", asked, latent': '"bhqd,bhkd->bhqk", query, made',
     "mixed = torch.einsum(\"bhqk,bkc->bhqc\", weights, latent)\n    output = mixed @ W_v":
        "output = torch.einsum(\n        "
        "\"bhqk,bhkv->bhqv\", weights, torch.einsum(\"bkc,hcv->bhkv\", latent, W_v)\n    )"},
    "The numbers are right, but you make keys or values of all heads from the latent vectors. "
    "Multiply the query by W_k instead, and multiply by W_v what the weights have summed up.")
right.mistake("makes_keys_head_by_head",
    {"asked = query @ W_k.mT\n":
        "made = [q @ (latent @ w).mT for q, w in zip(query.unbind(1), W_k)]\n",
     'torch.einsum("bhqc,bkc->bhqk", asked, latent)': "torch.stack(made, dim=1)"},
    "The numbers are right, but matrix products take too many operations: you make keys or values "
    "of one head after the other. Multiply the query by W_k instead, and multiply by W_v what the "
    "weights have summed up.")
right.mistake("copies_the_cache_for_each_head",
    {"torch.einsum(\"bhqc,bkc->bhqk\", asked, latent)": "asked @ latent[:, None].mT",
     "torch.einsum(\"bhqr,bkr->bhqk\", turned_query, turned_key)":
        "turned_query @ turned_key[:, None].mT",
     "torch.einsum(\"bhqk,bkc->bhqc\", weights, latent)": "weights @ latent[:, None]"},
    "The numbers are right, but a tensor is larger than allowed: a product that broadcasts, such "
    "as `asked @ latent[:, None].mT`, copies the cache for each head. `einsum` does not, nor does "
    "a product in which heads and queries are one long axis.")


@exercise.misconception(
    "torch's function divides by the root of the width that it is given, here d_c + d_r. Give it "
    "`scale=`, with d_k + d_r. And expand copies the cache for each head."
)
def leaves_the_scale_to_torch(query, turned_query, latent, turned_key, W_k, W_v):
    heads, queries, keys = query.size(1), query.size(2), latent.size(1)
    mask = torch.ones(queries, keys, dtype=torch.bool, device=latent.device).tril(keys - queries)
    wide = torch.cat([query @ W_k.mT, turned_query], dim=-1)
    key = torch.cat([latent, turned_key], dim=-1)[:, None].expand(-1, heads, -1, -1)
    value = latent[:, None].expand(-1, heads, -1, -1)
    return F.scaled_dot_product_attention(wide, key, value, attn_mask=mask) @ W_v
