"""Known mistakes of `sample`."""

import torch

from .sample import exercise


@exercise.base
def right(logits, temperature, top_k, top_p, generator):
    ordered, tokens = (logits / temperature).sort(dim=-1, descending=True, stable=True)
    probs = ordered[:, :top_k].softmax(dim=-1)
    over = probs.cumsum(dim=-1) - probs >= top_p
    probs = probs.masked_fill(over, 0.0)
    place = torch.multinomial(probs, 1, generator=generator)
    return tokens.gather(1, place).squeeze(1)


# fmt: off
right.mistake("drops_the_crossing_token",
    {"probs.cumsum(dim=-1) - probs >= top_p": "(probs.cumsum(dim=-1) > top_p) & (top_p < 1)"},
    "You leave out the token that makes the sum reach `top_p`. With 0.44, 0.33 and `top_p` 0.6 "
    "both are needed: the first alone is not enough.")
right.mistake("drops_the_crossing_token_but_the_first",
    {"probs.cumsum(dim=-1) - probs >= top_p":
        "(probs.cumsum(dim=-1) > top_p) & (top_p < 1)\n    over[:, 0] = False"},
    "You leave out the token that makes the sum reach `top_p`, unless it is the most probable "
    "one. The smallest set that reaches `top_p` includes it.")
right.mistake("keeps_one_too_many",
    {"probs.cumsum(dim=-1) - probs >= top_p":
        "(probs.cumsum(dim=-1) - probs).roll(1, dims=-1) >= top_p\n    over[:, 0] = False"},
    "You keep one token more than needed: the sum had reached `top_p` before it.")
right.mistake("returns_places", {"tokens.gather(1, place)": "place"},
    "You return places in the sorted row. Which token was at that place before sorting?")
right.mistake("top_p_before_top_k",
    {"ordered[:, :top_k].softmax(dim=-1)": "ordered.softmax(dim=-1)[:, :top_k]"},
    "You compare `top_p` with probabilities among all tokens. After `top_k`, those of the "
    "remaining tokens sum to 1 again.")
right.mistake("keeps_all_ties",
    {"probs = ordered[:, :top_k].softmax(":
        "last = ordered[:, :top_k][:, -1:]\n"
        "    probs = ordered.masked_fill(ordered < last, -torch.inf).softmax("},
    "Where logits are equal at the end of `top_k`, you keep more than `top_k` tokens. Among equal "
    "logits, the lower token id counts as more probable.")
right.mistake("takes_the_last_of_equals",
    {"(logits / temperature)": "(logits / temperature).flip(-1)",
     "tokens.gather": "(logits.size(-1) - 1 - tokens).gather"},
    "Of two equal logits you take the later token. The lower id counts as more probable: a stable "
    "sort keeps that order, but `topk` need not.")
right.mistake("multiplies_by_the_temperature",
    {"logits / temperature": "logits / (1 / temperature)"},
    "You multiply the logits by the temperature. A high temperature should make tokens more "
    "equally probable.")
right.mistake("divides_probabilities",
    {"(logits / temperature)": "logits", "softmax(dim=-1)": "softmax(dim=-1) / temperature"},
    "You divide probabilities by the temperature, which keeps their proportions. Divide the "
    "logits instead.")
right.mistake("ignores_the_temperature", {"(logits / temperature)": "logits"},
    "The temperature is not used.")
right.mistake("temperature_after_top_p",
    {"(logits / temperature)": "logits",
     "place = torch.multinomial(probs":
        "probs = (ordered[:, :top_k] / temperature).masked_fill(probs == 0, -torch.inf)\n"
        "    place = torch.multinomial(probs.softmax(dim=-1)"},
    "You decide `top_p` without the temperature and use the temperature afterwards. The "
    "temperature comes first.")
right.mistake("takes_the_best",
    {"torch.multinomial(probs, 1, generator=generator)": "probs.argmax(dim=-1, keepdim=True)"},
    "You always take the most probable token. Nothing is drawn.")
right.mistake("all_kept_alike",
    {"torch.multinomial(probs": "torch.multinomial((probs > 0).to(probs.dtype)"},
    "All tokens that you keep are drawn equally often. They should keep the proportions of their "
    "probabilities.")
right.mistake("one_draw_for_all",
    {"place = torch.multinomial(probs, 1, generator=generator)":
        "u = torch.rand(1, generator=generator, device=logits.device) * probs.sum(-1, "
        "keepdim=True)\n"
        "    place = (probs.cumsum(dim=-1) <= u).sum(dim=-1, "
        "keepdim=True).clamp(max=probs.size(1) - 1)"},
    "All rows get the same draw. Each row is a separate text.")
right.mistake("keeps_as_many_as_the_first_row", {"masked_fill(over": "masked_fill(over[:1]"},
    "You keep as many tokens in all rows as in the first one. Each row reaches `top_p` at its own "
    "number of tokens.")
right.mistake("seeds_the_generator", {"=generator)": "=generator.manual_seed(0))"},
    "A second call draws the same as the first. Do you seed the generator, or create another one? "
    "Draw from the one that you are given, as it is.")
right.mistake("ignores_the_generator", {", generator=generator": ""},
    "You do not draw from the generator that you are given. `multinomial` has an argument for it.")
right.mistake("keeps_the_worst", {" descending=True,": ""},
    "You keep the least probable tokens. In which order do you sort?")
right.mistake("leaves_out_with_logit_0",
    {"probs = ordered[:, :top_k]":
        "late = torch.arange(logits.size(-1), device=logits.device) >= top_k\n"
        "    probs = ordered.masked_fill(late, -torch.inf)",
     "probs.cumsum(dim=-1) - probs >= top_p": "late | (probs.cumsum(dim=-1) - probs >= top_p)",
     "probs.masked_fill(over, 0.0)": "ordered.masked_fill(over, 0.0).softmax(dim=-1)"},
    "Tokens that you do not keep can still be drawn: they get the logit 0, and 0 is not minus "
    "infinity.")
right.mistake("compares_each_with_top_p",
    {"over = probs.cumsum(dim=-1) - probs >= top_p":
        "over = (probs < top_p) & (top_p < 1)\n    over[:, 0] = False"},
    "You keep a token if its own probability is at least `top_p`. The sum of probabilities has to "
    "reach it.")
right.mistake("keeps_a_share_of_the_best",
    {"probs.cumsum(dim=-1) - probs >= top_p": "(probs < top_p * probs[:, :1]) & (top_p < 1)"},
    "You keep a token if its probability is at least `top_p` times that of the best, which is "
    "called min-p. The sum of probabilities has to reach `top_p`.")
right.mistake("leaves_an_axis", {".squeeze(1)": ""},
    "The result has one axis too many. The exercise asks for one token for each row.")
right.mistake("squeezes_one_row_away", {".squeeze(1)": ".squeeze(1).squeeze()"},
    "A single row loses its axis: `squeeze()` removes every axis of length 1. Name the axis to "
    "remove.")
right.mistake("ignores_top_k", {"[:, :top_k]": ""},
    "You do not use `top_k`.")
right.mistake("ignores_top_p", {">= top_p": ">= 1.0"},
    "You do not use `top_p`.")
