"""Known mistakes of `attention_by_chunks`."""

from .attention_by_chunks_loops import right

# fmt: off
right.mistake("makes_the_whole_mask",
    {"position =":
        "whole = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool)\n"
        "    whole = whole.tril().to(query.device)\n"
        "    position =",
     "numbers(key, start, keys.size(-2)) > position": "~whole[:, start : start + chunk]"},
    "Your chunks are right, but you build the mask for all queries and all keys. It has as many "
    "entries as the scores that you avoid. Which part of it does a chunk need?")
right.mistake("starts_the_mask_anew", {"numbers(key, start": "numbers(key, 0"},
    "The causal mask of each chunk starts again at its corner. Key 0 of a chunk is not key 0 of "
    "the sequence. Which number does it have?")
right.mistake("ignores_causal", {"if causal:": "if False:"},
    "`causal` changes nothing in your result.")
right.mistake("hides_the_own_key", {"numbers(key, start": "numbers(key, start + 1"},
    "A query does not see its own key, and the first query sees nothing. Query i sees the keys 0 "
    "to i, including i.")
right.mistake("aligns_the_mask_at_the_end",
    {"numbers(key, start": "numbers(key, start - key.size(-2) + query.size(-2)",
     "return found": "return found.clamp(min=-1e9)"},
    "Where the numbers of queries and keys differ, your mask is shifted: it ends in the lower "
    "right corner. Here query 0 sees key 0 only, however many keys there are.")
right.mistake("is_nan_where_a_chunk_is_masked",
    {"new = torch.maximum(maximum, scores.amax(-1))":
        "highest = scores.amax(-1)\n        new = torch.maximum(maximum, highest)",
     "scores - new": "scores - highest",
     "total = total * fade + shares.sum(-1)":
        "now = (highest - new).exp()\n        total = total * fade + shares.sum(-1) * now",
     "shares @ values": "shares @ values * now[..., None]"},
    "A query that sees nothing of a chunk gives NaN: the chunk's own maximum is minus infinity "
    "there, and you subtract it from minus infinity.")
right.mistake("gives_masked_scores_the_value_0",
    {"return found": "return found.masked_fill(found == -math.inf, 0.0)"},
    "Masked pairs have the score 0 instead of minus infinity, so they take part of the weight.")
right.mistake("masks_with_minus_100",
    {"return found": "return found.masked_fill(found == -math.inf, -100.0)"},
    "Masked pairs get a number that is not below all scores. Scaled scores go down to -200. Which "
    "number is far below, whatever the scores are?")
right.mistake("sees_the_next_key", {"numbers(key, start": "numbers(key, start - 1"},
    "A query sees the key after its own. Query i sees the keys 0 to i, and no later one.")
right.mistake("masks_after_the_softmax",
    {"for start in starts:\n        add(scores(start), values(start))":
        "log_sum = by_chunks(query, key, value, chunk, False)[1]",
     "return summed / total[..., None], maximum + total.log()":
        "parts = ((scores(start) - log_sum[..., None]).exp() @ values(start) for start in starts)\n"
        "    return sum(parts), log_sum"},
    "Keys that a query may not see count in the sums of exponentials, because the mask comes "
    "after them. A score has to be minus infinity before its exponential is taken.")
right.mistake("masks_without_causal", {"if causal:": "if True:"},
    "Later keys are hidden even where `causal` is False. In that case every query sees all keys, "
    "whatever their numbers.")
right.mistake("moves_the_mask_the_wrong_way", {"numbers(key, start": "numbers(key, -start"},
    "The first chunk's mask is right, but later ones shift the wrong way: queries see later keys. "
    "Key 0 of a chunk has the number `start`. Do you add that to the number of the key or of the "
    "query?")
right.mistake("aligns_longer_keys_at_the_end",
    {"numbers(key, start": "numbers(key, start - max(key.size(-2) - query.size(-2), 0)"},
    "Where there are more keys than queries, your mask is shifted so that the last query sees the "
    "last key. Here query i sees the keys 0 to i, however many keys there are.")
right.mistake("makes_a_square_mask", {"> position": "> numbers(key, 0, key.size(-2))[:, None]"},
    "The call raises an exception where `causal` is True and the numbers of queries and keys "
    "differ. Does your mask have one row for each query and one column for each key of the chunk?")
right.mistake("hides_the_earlier_keys",
    {"> position": "< position", "return found": "return found.clamp(min=-1e9)"},
    "Your mask is reversed: a query sees its own key and later ones, but not the earlier ones. "
    "Check the comparison, or whether you need `tril` or `triu`.")
right.mistake("hides_what_may_be_seen",
    {"numbers(key, start, keys.size(-2)) > position":
        "~(numbers(key, start, keys.size(-2)) > position)"},
    "You hide the keys that a query may see, and show those that it may not. `masked_fill` fills "
    "where its mask is True. Does your mask mark the keys to be seen, or those to be hidden?")
right.mistake("takes_the_size_for_the_number",
    {"starts =": "size, chunk = chunk, -(-key.size(-2) // chunk)\n    starts =",
     "numbers(key, start": "numbers(key, start // chunk * size"},
    "With `causal`, the keys of a chunk are numbered as if every chunk before it were full. If "
    "you cut the keys with `torch.chunk`, note that it takes the number of pieces, while `split` "
    "takes their length.")
right.mistake("never_corrects_what_was_summed",
    {"fade, shares = (maximum - new).exp(), ": "shares = ",
     "total = total * fade + shares.sum(-1)":
        "both = total + shares.sum(-1), summed + shares @ values",
     "summed = summed * fade[..., None] + shares @ values": "total, summed = both"},
    "The sums so far stay unchanged when a larger score comes. Which maximum were they measured "
    "against?")
right.mistake("corrects_the_total_only",
    {"add(scores(start), values(start))":
        "before, found = summed, scores(start)\n"
        "        add(found, values(start))\n"
        "        summed = before + (found - maximum[..., None]).exp() @ values(start)"},
    "You correct the total when a larger score comes, but not the sum of values. Both are "
    "measured against the same maximum.")
right.mistake("adds_softmaxes",
    {"for start in starts:\n        add(scores(start), values(start))":
        "output = sum(scores(start).softmax(-1).nan_to_num() @ values(start) for start in starts)\n"
        "    sums = torch.stack([scores(start).logsumexp(-1) for start in starts])",
     "return summed / total[..., None], maximum + total.log()": "return output, sums.logsumexp(0)"},
    "You take the softmax of each chunk separately and add the results. The weights of a row sum "
    "to 1 over all its keys, not over those of a chunk.")
right.mistake("averages_the_chunks",
    {"for start in starts:\n        add(scores(start), values(start))":
        "outputs = [scores(start).softmax(-1).nan_to_num() @ values(start) for start in starts]\n"
        "    sums = torch.stack([scores(start).logsumexp(-1) for start in starts])",
     "return summed / total[..., None], maximum + total.log()":
        "return sum(outputs) / len(outputs), sums.logsumexp(0)"},
    "You average the outputs of the chunks, all with equal weight. What if nearly all of a row's "
    "weight is in one chunk?")
right.mistake("averages_a_stack_of_chunks",
    {"for start in starts:\n        add(scores(start), values(start))":
        "outputs = [scores(start).softmax(-1).nan_to_num() @ values(start) for start in starts]\n"
        "    sums = torch.stack([scores(start).logsumexp(-1) for start in starts])",
     "return summed / total[..., None], maximum + total.log()":
        "return torch.stack(outputs).mean(0), sums.logsumexp(0)"},
    "You stack the outputs of all chunks and take their mean. A chunk with little of a row's "
    "weight should count little, and the stack grows with the number of chunks.")
right.mistake("forgets_the_root", {"math.sqrt(query.size(-1))": "1.0"},
    "The scores are not divided by the root of d_k.")
right.mistake("divides_by_the_root_of_d_v",
    {"math.sqrt(query.size(-1))": "math.sqrt(value.size(-1))"},
    "The scores are divided by the root of d_v. A score is a product of a query and a key. How "
    "many numbers does it sum?")
right.mistake("overflows",
    {"new = torch.maximum(maximum, scores.amax(-1))": "new = torch.zeros_like(maximum)",
     "fade, shares = (maximum - new).exp(), (scores - new[..., None]).exp()":
        "shares = scores.exp()",
     "total * fade": "total",
     "summed * fade[..., None]": "summed"},
    "You take exponentials of the scores themselves, which are infinite from 89 on. What has to "
    "be subtracted first, and corrected later?")
right.mistake("leaves_the_maximum_out_of_log_sum",
    {"maximum + total.log()": "maximum + total.log() - maximum"},
    "The output is right, but `log_sum` lacks the maximum. The total is a sum of exponentials "
    "that were measured against it.")
right.mistake("returns_the_total",
    {"return summed / total[..., None], maximum + total.log()":
        "_ = maximum + total.log()\n    return summed / total[..., None], total"},
    "The second result is the total, or the largest score, or their product. The exercise asks "
    "for the logarithm of a sum of exponentials.")
right.mistake("forgets_to_divide", {"summed / total[..., None]": "summed"},
    "You return the sum of the values without dividing at the end.")
right.mistake("divides_by_d_k", {"math.sqrt(query.size(-1))": "float(query.size(-1))"},
    "The scores are divided by d_k itself, not by its root.")
right.mistake("shares_a_maximum", {"scores.amax(-1)": "scores.amax(-1).amax(0, keepdim=True)"},
    "You subtract one maximum for the whole batch. Where all scores of a query are far below it, "
    "all exponentials are 0. Each query needs the maximum of its own scores.")
right.mistake("corrects_the_sum_of_values_only",
    {"add(scores(start), values(start))":
        "before, found = total, scores(start)\n"
        "        add(found, values(start))\n"
        "        total = before + (found - maximum[..., None]).exp().sum(-1)"},
    "You correct the sum of values when a larger score comes, but not the total. Both are "
    "measured against the same maximum.")
right.mistake("measures_a_chunk_against_its_maximum",
    {"new = torch.maximum(maximum, scores.amax(-1))":
        "highest = scores.amax(-1)\n        new = torch.maximum(maximum, highest)",
     "(scores - new": "(scores - highest.clamp(min=-1e30)"},
    "Earlier sums are measured against the largest score so far, but a chunk's own exponentials "
    "against the chunk's maximum. Sums can be added only if they are measured against the same "
    "number.")
right.mistake("divides_after_each_chunk",
    {"maximum = new": "summed = summed / total[..., None]\n        maximum = new",
     "return summed / total[..., None]": "return summed"},
    "You divide by the total after each chunk. The earlier result is then an average, and you add "
    "the next chunk's sum to it. Multiply the average by its old total first, or divide at the "
    "end.")
right.mistake("starts_the_maximum_at_0",
    {"starts =": "maximum = torch.zeros_like(maximum)\n    starts ="},
    "Your largest score starts at 0 instead of minus infinity. Where all scores of a query are "
    "far below 0, all exponentials are 0, and 0 / 0 is NaN.")
right.mistake("merges_averages_as_sums",
    {"add(scores(start), values(start))":
        "old, before, found = maximum, summed, scores(start)\n"
        "        add(found, values(start))\n"
        "        fade, share = ((x - maximum).exp()[..., None] for x in (old, found.amax(-1)))\n"
        "        average = found.softmax(-1) @ values(start)\n"
        "        summed = before * fade + average * share\n"
        "        del fade, share, average"},
    "You divide each chunk's output by its own total and then merge it as if it were a sum. After "
    "the division it is an average. Merge the sums, and divide once at the end.")
