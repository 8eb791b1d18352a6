"""Known mistakes of `speculative_step`."""

import torch

from .speculative_step import exercise


@exercise.base
def right(tokens, draft, target, generator):
    rows, n = tokens.shape
    device = tokens.device
    p = target[:, :n].gather(2, tokens[..., None]).squeeze(2)
    q = draft.gather(2, tokens[..., None]).squeeze(2)
    u = torch.rand(rows, n, generator=generator, device=device, dtype=p.dtype)
    accepted = u < p / q
    kept = accepted.long().cumprod(dim=1).sum(dim=1)
    before = torch.cat([draft, torch.zeros_like(draft[:, :1])], dim=1)
    rest = (target - before).clamp(min=0)
    weights = rest[torch.arange(rows, device=device), kept]
    last = torch.multinomial(weights, 1, generator=generator)
    new = torch.cat([tokens, torch.full_like(tokens[:, :1], -1)], dim=1)
    places = torch.arange(n + 1, device=device)
    new = new.masked_fill(places > kept[:, None], -1)
    return new.scatter(1, kept[:, None], last)


# fmt: off
right.mistake("draws_the_target_again",
    {"rest = (target - before).clamp(min=0)": "rest = target"},
    "After a rejection you draw from the target as it is. What the target shares with the draft "
    "has come already, by tokens that are kept: draw from what the draft has too little of.")
right.mistake("draws_from_the_draft_again",
    {"rest = (target - before).clamp(min=0)":
        "rest = torch.cat([draft, target[:, n:]], dim=1)"},
    "After a rejection you draw from the draft's probabilities again. Draw from what the target "
    "has more than the draft.")
right.mistake("takes_the_size_of_the_difference", {".clamp(min=0)": ".abs()"},
    "You draw from the absolute difference of target and draft. Tokens that the draft has too much "
    "of must not come: set negative differences to 0.")
right.mistake("takes_the_difference_the_other_way_round",
    {"rest = (target - before).clamp(min=0)":
        "rest = torch.where(places[:, None] < n, (before - target).clamp(min=0), target)",
     "    places = torch.arange(n + 1, device=device)\n": "",
     "    p = target": "    places = torch.arange(n + 1, device=device)\n    p = target"},
    "After a rejection comes a token that the draft has too much of: the rejected one itself, or "
    "one drawn from the draft minus the target. Draw from the target minus the draft.")
right.mistake("draws_the_target_where_it_gives_more",
    {"rest = (target - before).clamp(min=0)": "rest = torch.where(target > before, target, 0.0)"},
    "After a rejection only tokens come that the target gives more, but in proportion to what it "
    "gives them. Take how much more it gives them than the draft.")
right.mistake("takes_the_softmax_of_the_difference", {".clamp(min=0)": ".softmax(dim=-1)"},
    "You take the softmax of target minus draft, so that every token may come. The differences are "
    "no logits: set negative ones to 0 and divide by the sum.")
right.mistake("does_not_clip", {".clamp(min=0)": ""},
    "You draw from target minus draft, which is negative for some tokens. Set what is negative "
    "to 0.")
right.mistake("divides_by_the_sum",
    {".clamp(min=0)": ".clamp(min=0)\n    rest = rest / rest.sum(dim=-1, keepdim=True)",
     "weights = rest[torch.arange(rows, device=device), kept]\n"
     "    last = torch.multinomial(weights, 1, generator=generator)":
        "flat = rest.flatten(0, 1)\n"
        "    last = torch.multinomial(flat, 1, generator=generator)\n"
        "    last = last.view(rows, n + 1).gather(1, kept[:, None])"},
    "Where draft and target agree, their difference is 0 throughout: it cannot be normalised, and "
    "`multinomial` raises an error. Nothing is drawn from it: choose first where a row draws.")
right.mistake("weights_that_do_not_sum_to_1",
    {"last = torch.multinomial(weights, 1, generator=generator)":
        "number = torch.rand(rows, 1, generator=generator, device=device, dtype=p.dtype)\n"
        "    last = (weights.cumsum(dim=1) <= number).sum(dim=1, keepdim=True)\n"
        "    last = last.clamp(max=draft.size(2) - 1)"},
    "The clipped differences do not sum to 1, and you draw as if they did, so the last token comes "
    "too often. Divide them by their sum.")
right.mistake("accepts_everything", {"u < p / q": "u < 2"},
    "Every token of the draft is kept. Keep a token with the probability min(1, p / q).")
right.mistake("accepts_nothing", {"u < p / q": "u > 2"},
    "No token of the draft is kept. Keep a token with the probability min(1, p / q).")
right.mistake("accepts_with_the_probability_of_the_target", {"u < p / q": "u < p"},
    "You keep a token with the probability that the target gives it. It has come with the "
    "probability q already, so divide by that.")
right.mistake("accepts_with_the_probability_of_the_draft", {"u < p / q": "u < q"},
    "You keep a token with the probability that the draft gives it. Compare with p / q.")
right.mistake("accepts_what_is_more_probable", {"u < p / q": "p >= q"},
    "You keep a token only if the target gives it at least as much as the draft. If it gives less, "
    "a part is kept, too: the share p / q, by a random number.")
right.mistake("accepts_by_a_bound", {"u < p / q": "p > q / 2"},
    "No chance decides which tokens you keep: you compare p / q with a fixed number. Keep a token "
    "with that probability.")
right.mistake("multiplies_the_ratios", {"u < p / q": "u < (p / q).cumprod(dim=1)"},
    "You keep a token by the product of its ratio and those before it. The tokens before it have "
    "been decided by themselves: compare each with its own ratio.")
right.mistake("multiplies_the_probabilities_of_keeping",
    {"u < p / q": "u < (p / q).clamp(max=1).cumprod(dim=1)"},
    "You keep a token by the product of its probability of being kept and those of the tokens "
    "before it. These have been decided by themselves: compare each with its own ratio.")
right.mistake("turns_the_ratio_round", {"u < p / q": "u < q / p"},
    "The ratio is inverted. A token that the draft gives too often has to be rejected at times: p "
    "of the target is above the line.")
right.mistake("accepts_where_it_should_reject", {"u < p / q": "u >= p / q"},
    "You reject where you should keep, and keep where you should reject.")
right.mistake("accepts_the_best_only", {"u < p / q": "tokens == target[:, :n].argmax(dim=2)"},
    "You keep a token only if it is the target's most probable one. Then texts are not drawn as "
    "the target draws them: keep it with the probability min(1, p / q).")
right.mistake("compares_with_the_next_position", {"target[:, :n].gather": "target[:, 1:].gather"},
    "You compare token t with the target's probabilities of token t + 1.")
right.mistake("goes_on_after_a_rejection",
    {"kept = accepted.long().cumprod(dim=1).sum(dim=1)": "kept = accepted.long().sum(dim=1)"},
    "You count all tokens that were accepted. Those after the first rejection were proposed for "
    "another text: count up to there.")
right.mistake("replaces_and_goes_on",
    {"weights = rest[torch.arange(rows, device=device), kept]\n"
     "    last = torch.multinomial(weights, 1, generator=generator)":
        "flat = rest.flatten(0, 1)\n    flat = flat + (flat.sum(dim=-1, keepdim=True) == 0)\n"
        "    last = torch.multinomial(flat, 1, generator=generator).view(rows, n + 1)",
     "    new = new.masked_fill(places > kept[:, None], -1)\n"
     "    return new.scatter(1, kept[:, None], last)":
        "    return torch.where(torch.cat([accepted, accepted[:, :1] & False], dim=1), new, last)",
     "    places = torch.arange(n + 1, device=device)\n": "",
     "    kept = accepted.long().cumprod(dim=1).sum(dim=1)\n": ""},
    "After a rejection you go on to the next token. It was proposed for a text with the rejected "
    "token, so the row ends with the one that is drawn instead.")
right.mistake("all_rows_stop_together",
    {".cumprod(dim=1).sum(dim=1)": ".amin(dim=0).cumprod(dim=0).sum().expand(rows)"},
    "All rows stop where the first of them is rejected. Each row is a separate text.")
right.mistake("leaves_out_the_extra_token",
    {"return new.scatter(1, kept[:, None], last)":
        "last = last.masked_fill(kept[:, None] == n, -1)\n"
        "    return new.scatter(1, kept[:, None], last)"},
    "Where all tokens are kept, no further one is drawn. The target has said what may follow them: "
    "draw from its last row.")
right.mistake("leaves_out_what_replaces",
    {"return new.scatter(1, kept[:, None], last)":
        "last = last.masked_fill(kept[:, None] < n, -1)\n"
        "    return new.scatter(1, kept[:, None], last)"},
    "Where a token is rejected, none is drawn in its place. A step without it would write nothing "
    "at times, and tokens that the draft seldom proposes would come too seldom.")
right.mistake("extra_token_from_the_row_before",
    {"rest = (target - before).clamp(min=0)":
        "rest = torch.cat([(target - before)[:, :n].clamp(min=0), target[:, n - 1 : n]], dim=1)"},
    "The token after all kept ones is drawn from the target's last row but one. That row belongs "
    "to the last proposed token.")
right.mistake("extra_token_from_the_first_row",
    {"rest = (target - before).clamp(min=0)":
        "rest = torch.cat([(target - before)[:, :n].clamp(min=0), target[:, :1]], dim=1)"},
    "The token after all kept ones is drawn from the target's first row. Take its last one.")
right.mistake("extra_token_after_a_rejection",
    {"return new.scatter(1, kept[:, None], last)":
        "extra = torch.multinomial(target[:, n], 1, generator=generator)\n"
        "    new = new.scatter(1, kept[:, None], last)\n"
        "    return torch.where(places == n, torch.where(kept[:, None] == n, last, extra), new)"},
    "The last place holds a token even where one before it was rejected. A row ends with the token "
    "that is drawn instead.")
right.mistake("replaces_by_the_first_row",
    {"device=device), kept]": "device=device), torch.where(kept < n, 0, n)]",
     "torch.multinomial(weights": "torch.multinomial(weights + (weights.sum(1, True) == 0)"},
    "What replaces a rejected token is drawn from the difference at the first position. Take that "
    "of its own position.")
right.mistake("replaces_by_the_next_row",
    {"rest = (target - before).clamp(min=0)":
        "rest = torch.cat([target[:, 1:], target[:, n:]], dim=1)"},
    "After a rejection you draw from the target's next row. That row assumes the rejected token: "
    "take the row of its own position, minus the draft.")
right.mistake("leaves_tokens_behind_the_last",
    {"    new = new.masked_fill(places > kept[:, None], -1)\n": "",
     "    places = torch.arange(n + 1, device=device)\n": ""},
    "Behind the token that is drawn, the rejected ones are still there. Put -1 in their place.")
right.mistake("fills_with_0", {"kept[:, None], -1)": "kept[:, None], 0)"},
    "Behind the last token you put 0, which is a token. Put -1.")
right.mistake("keeps_the_first_rejected",
    {"    return new.scatter(1, kept[:, None], last)":
        "    at = (kept + 1).clamp(max=n)[:, None]\n"
        "    new = torch.cat([tokens, last], dim=1).scatter(1, at, last)\n"
        "    return new.masked_fill(places > at, -1)",
     "    new = new.masked_fill(places > kept[:, None], -1)\n": "",
     "    new = torch.cat([tokens, torch.full_like(tokens[:, :1], -1)], dim=1)\n": ""},
    "The rejected token stays, and the one that is drawn comes behind it. It takes its place.")
right.mistake("one_number_for_all_rows", {"torch.rand(rows, n,": "torch.rand(1, n,"},
    "All rows are decided by the same random numbers. Each row is a separate text.")
right.mistake("one_number_for_all_positions", {"torch.rand(rows, n,": "torch.rand(rows, 1,"},
    "All tokens of a row are decided by the same random number. Draw one for each.")
right.mistake("replaces_by_the_best",
    {"torch.multinomial(weights, 1, generator=generator)":
        "weights.argmax(dim=1, keepdim=True)"},
    "You take the most probable token where one has to be drawn.")
right.mistake("keeps_probabilities_of_the_first_row",
    {"weights = rest[torch.arange(rows, device=device), kept]": "weights = rest[0, kept]",
     "torch.multinomial(weights": "torch.multinomial(weights + (weights.sum(1, True) == 0)"},
    "All rows draw from the differences of the first row. Each row has its own.")
right.mistake("ignores_the_generator",
    {"torch.rand(rows, n, generator=generator, ": "torch.rand(rows, n, ",
     "(weights, 1, generator=generator)": "(weights, 1)"},
    "You do not draw from the generator that you are given. `rand` and `multinomial` have an "
    "argument for it.")
right.mistake("uses_the_generator_only_once",
    {"torch.rand(rows, n, generator=generator, ": "torch.rand(rows, n, "},
    "Some numbers come from torch's own generator. `rand` and `multinomial` both have an argument "
    "for the one that you are given.")
right.mistake("seeds_the_generator",
    {"torch.rand(rows, n, generator=generator,":
        "torch.rand(rows, n, generator=generator.manual_seed(0),"},
    "A second call draws the same as the first. Do you seed the generator, or create another one? "
    "Draw from the one that you are given, as it is.")
right.mistake("returns_how_many_are_kept", {"last)\n": "last), kept\n"},
    "You return further values beside the tokens. How many are kept can be read off the tokens.")
