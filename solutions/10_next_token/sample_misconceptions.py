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
    "The token that makes the sum reach `top_p` is left out. With 0.44, 0.33 and `top_p` 0.6 both "
    "are needed: the first alone is not enough.")
right.mistake("drops_the_crossing_token_but_the_first",
    {"probs.cumsum(dim=-1) - probs >= top_p":
        "(probs.cumsum(dim=-1) > top_p) & (top_p < 1)\n    over[:, 0] = False"},
    "The token that makes the sum reach `top_p` is left out, but never the most probable one. The "
    "smallest set that reaches `top_p` has it in.")
right.mistake("keeps_one_too_many",
    {"probs.cumsum(dim=-1) - probs >= top_p":
        "(probs.cumsum(dim=-1) - probs).roll(1, dims=-1) >= top_p\n    over[:, 0] = False"},
    "One token more than needed is kept: the sum had reached `top_p` before it.")
right.mistake("returns_places", {"tokens.gather(1, place)": "place"},
    "What you return are places in the sorted row. Which token stood there before sorting?")
right.mistake("top_p_before_top_k",
    {"ordered[:, :top_k].softmax(dim=-1)": "ordered.softmax(dim=-1)[:, :top_k]"},
    "`top_p` is compared with probabilities among all tokens. After `top_k`, those that are left "
    "sum to 1 again.")
right.mistake("keeps_all_ties",
    {"probs = ordered[:, :top_k].softmax(":
        "last = ordered[:, :top_k][:, -1:]\n"
        "    probs = ordered.masked_fill(ordered < last, -torch.inf).softmax("},
    "Where logits are equal at the end of `top_k`, more than `top_k` tokens are kept. Of equal "
    "ones the lower token counts as the more probable.")
right.mistake("takes_the_last_of_equals",
    {"(logits / temperature)": "(logits / temperature).flip(-1)",
     "tokens.gather": "(logits.size(-1) - 1 - tokens).gather"},
    "Of two equal logits you take the later token. The lower one counts as the more probable: a "
    "stable sort keeps their order, `topk` need not.")
right.mistake("multiplies_by_the_temperature",
    {"logits / temperature": "logits / (1 / temperature)"},
    "The logits are multiplied by the temperature. A high temperature makes tokens more alike.")
right.mistake("divides_probabilities",
    {"(logits / temperature)": "logits", "softmax(dim=-1)": "softmax(dim=-1) / temperature"},
    "Probabilities are divided by the temperature, which leaves their proportions as they are. The "
    "logits should be.")
right.mistake("ignores_the_temperature", {"(logits / temperature)": "logits"},
    "The temperature is not used.")
right.mistake("temperature_after_top_p",
    {"(logits / temperature)": "logits",
     "place = torch.multinomial(probs":
        "probs = (ordered[:, :top_k] / temperature).masked_fill(probs == 0, -torch.inf)\n"
        "    place = torch.multinomial(probs.softmax(dim=-1)"},
    "`top_p` is decided without the temperature, which is used afterwards. It comes first.")
right.mistake("takes_the_best",
    {"torch.multinomial(probs, 1, generator=generator)": "probs.argmax(dim=-1, keepdim=True)"},
    "The most probable token is always taken. Nothing is drawn.")
right.mistake("all_kept_alike",
    {"torch.multinomial(probs": "torch.multinomial((probs > 0).to(probs.dtype)"},
    "All tokens that are kept come equally often. They keep the proportions of their "
    "probabilities.")
right.mistake("one_draw_for_all",
    {"place = torch.multinomial(probs, 1, generator=generator)":
        "u = torch.rand(1, generator=generator, device=logits.device) * probs.sum(-1, "
        "keepdim=True)\n"
        "    place = (probs.cumsum(dim=-1) <= u).sum(dim=-1, "
        "keepdim=True).clamp(max=probs.size(1) - 1)"},
    "All rows get the same draw. Each row is a text of its own.")
right.mistake("keeps_as_many_as_the_first_row", {"masked_fill(over": "masked_fill(over[:1]"},
    "As many tokens are kept in all rows as in the first one. Each row reaches `top_p` by itself.")
right.mistake("seeds_the_generator", {"=generator)": "=generator.manual_seed(0))"},
    "A second call draws the same as the first. Is the generator seeded anew, or is it another one "
    "that is? Draw from the one that you are given, as it is.")
right.mistake("ignores_the_generator", {", generator=generator": ""},
    "Nothing is drawn from the generator that you are given: `multinomial` has an argument for it.")
right.mistake("keeps_the_worst", {" descending=True,": ""},
    "The least probable tokens are kept. In which order do you sort?")
right.mistake("leaves_out_with_logit_0",
    {"probs = ordered[:, :top_k]":
        "late = torch.arange(logits.size(-1), device=logits.device) >= top_k\n"
        "    probs = ordered.masked_fill(late, -torch.inf)",
     "probs.cumsum(dim=-1) - probs >= top_p": "late | (probs.cumsum(dim=-1) - probs >= top_p)",
     "probs.masked_fill(over, 0.0)": "ordered.masked_fill(over, 0.0).softmax(dim=-1)"},
    "Tokens that are not kept can still come: they get the logit 0, and 0 is not minus infinity.")
right.mistake("compares_each_with_top_p",
    {"over = probs.cumsum(dim=-1) - probs >= top_p":
        "over = (probs < top_p) & (top_p < 1)\n    over[:, 0] = False"},
    "A token is kept if its own probability is at least `top_p`. It is the sum that has to reach "
    "it.")
right.mistake("keeps_a_share_of_the_best",
    {"probs.cumsum(dim=-1) - probs >= top_p": "(probs < top_p * probs[:, :1]) & (top_p < 1)"},
    "A token is kept if its probability is at least `top_p` times that of the best, which is "
    "called min-p. It is the sum that has to reach `top_p`.")
right.mistake("leaves_an_axis", {".squeeze(1)": ""},
    "The result has an axis too many: one token for each row is asked for.")
right.mistake("squeezes_one_row_away", {".squeeze(1)": ".squeeze(1).squeeze()"},
    "One row alone loses its axis: `squeeze()` takes away every axis of length 1. Say which.")
right.mistake("ignores_top_k", {"[:, :top_k]": ""},
    "`top_k` is not looked at.")
right.mistake("ignores_top_p", {">= top_p": ">= 1.0"},
    "`top_p` is not looked at.")
