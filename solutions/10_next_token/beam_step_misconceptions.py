"""Known mistakes of `beam_step`."""

import math

import torch

from .beam_step import exercise


@exercise.base
def right(totals, log_probs, finished, end_id):
    width, vocabulary = totals.size(1), log_probs.size(-1)
    stays = torch.full_like(log_probs, -math.inf)
    stays[..., end_id] = 0.0
    extra = torch.where(finished[..., None], stays, log_probs)
    table = totals[..., None] + extra
    best, flat = table.flatten(1).topk(width)
    beams, tokens = flat // vocabulary, flat % vocabulary
    return best, beams, tokens


# fmt: off
right.mistake("forgets_the_totals", {"totals[..., None] + extra": "extra"},
    "The totals of the beams are ignored: the best next tokens win, whatever came before them.")
right.mistake("adds_probabilities", {"+ extra": "+ extra.exp()"},
    "You add probabilities to the totals. Probabilities of a sequence are multiplied. What "
    "happens to their logarithms?")
right.mistake("multiplies_logarithms",
    {"totals[..., None] + extra": "-(totals[..., None] * extra).nan_to_num(0.0)"},
    "You multiply the totals by the logarithms. What is the logarithm of a product?")
right.mistake("best_of_each_beam",
    {"best, flat = table.flatten(1).topk(width)\n"
     "    beams, tokens = flat // vocabulary, flat % vocabulary":
        "best, tokens = table.max(dim=-1)\n"
        "    best, beams = best.sort(dim=-1, descending=True)\n"
        "    tokens = tokens.gather(1, beams)"},
    "Each beam continues with its own best token. Two of the best continuations may come from one "
    "beam, and none from another.")
right.mistake("exchanges_beam_and_token",
    {"flat // vocabulary, flat % vocabulary": "flat % vocabulary, flat // vocabulary"},
    "Beam and token are exchanged. Which of `//` and `%` gives the number of whole rows before a "
    "place?")
right.mistake("divides_by_the_beams",
    {"flat // vocabulary, flat % vocabulary": "flat // width, flat % width"},
    "You divide by the number of beams. A row of the flat table is as long as the vocabulary.")
right.mistake("takes_places_column_by_column",
    {"flat // vocabulary, flat % vocabulary": "flat % width, flat // width"},
    "You read the flat table as if it had been flattened column by column. It is flattened row by "
    "row: use `//` and `%` with the size of the vocabulary.")
right.mistake("returns_flat_places", {"flat % vocabulary": "flat"},
    "The tokens that you return are places in the flat table. Which tokens do they stand for?")
right.mistake("finished_beams_pay_again", {"= 0.0": "= log_probs[..., end_id]"},
    "A finished beam keeps losing: the log-probability of its end token is added at each step. It "
    "should keep its total.")
right.mistake("finished_beams_go_on",
    {"torch.where(finished[..., None], stays, log_probs)": "log_probs"},
    "Finished beams continue writing. After its end, a beam has only one continuation: the end "
    "token again.")
right.mistake("finished_beams_go_on_for_nothing",
    {"torch.full_like(log_probs, -math.inf)": "torch.full_like(log_probs, 0.0)"},
    "A finished beam continues with every token at no cost, and takes the places of the others.")
right.mistake("drops_finished_beams", {"    stays[..., end_id] = 0.0\n": ""},
    "A finished beam is lost: none of its continuations is a candidate. It competes with its end "
    "token, at its old total.")
right.mistake("takes_the_worst",
    {"table.flatten(1).topk(width)":
        "table.masked_fill(table == -math.inf, math.inf).flatten(1).topk(width, largest=False)"},
    "The worst continuations come first, or are selected. The best have the largest totals, those "
    "nearest to 0.")
right.mistake("best_comes_last",
    {"best, beams, tokens": "best.flip(-1), beams.flip(-1), tokens.flip(-1)"},
    "The continuations are right, but in the wrong order. The best comes first.")
right.mistake("returns_the_last_step_only",
    {"return best": "return extra.flatten(1).gather(1, flat)"},
    "You return the totals of the last step only. Add the old ones.")
right.mistake("changes_the_log_probs",
    {"torch.where(finished[..., None], stays, log_probs)":
        "log_probs.copy_(torch.where(finished[..., None], stays, log_probs))"},
    "You change the caller's log-probabilities. Work on a new tensor.")
right.mistake("adds_the_totals_too_late",
    {"totals[..., None] + extra": "extra", "return best": "return best + totals.gather(1, beams)"},
    "You select the best of this step and add the totals only afterwards. A beam that is far "
    "behind should need more than one good token.")
right.mistake("looks_at_totals_to_see_who_is_in_use",
    {"best, flat = table.flatten(1).topk(width)":
        "idle = (totals == -math.inf)[..., None]\n"
        "    flat = extra.masked_fill(idle, -math.inf).flatten(1).topk(width).indices\n"
        "    best = table.flatten(1).gather(1, flat)"},
    "You select the best of this step among the beams in use, whatever their totals are. A beam "
    "with a low total should need more than one good token.")
right.mistake("ranks_over_all_sentences",
    {"table.flatten(1).topk(width)":
        "(x.view_as(totals) for x in table.flatten().topk(totals.numel()))",
     "flat // vocabulary": "flat // vocabulary % width"},
    "You rank the continuations of all sentences together. Each sentence keeps its own best ones, "
    "as many as it has beams.")
right.mistake("numbers_beams_through_all_sentences",
    {"return best, beams":
        "starts = width * torch.arange(len(totals), device=totals.device)\n"
        "    return best, beams + starts[:, None]"},
    "You number the beams across all sentences. In each sentence they are counted from 0.")
right.mistake("takes_each_token_once",
    {"best, flat = table.flatten(1).topk(width)\n"
     "    beams, tokens = flat // vocabulary, flat % vocabulary":
        "best, beams = table.max(dim=1)\n"
        "    best, tokens = best.topk(min(width, vocabulary))\n"
        "    beams = beams.gather(1, tokens)"},
    "You use each token at most once. Two beams may continue with the same token.")
right.mistake("fills_with_a_number", {"-math.inf": "-1e4"},
    "Where totals are very low, a forbidden continuation of a finished beam wins: the number you "
    "fill in is not low enough. Minus infinity is below every total.")
right.mistake("leaves_them_in_the_order_of_beams",
    {"best, flat = table.flatten(1).topk(width)":
        "flat = table.flatten(1).topk(width).indices.sort(dim=-1).values\n"
        "    best = table.flatten(1).gather(1, flat)"},
    "The continuations are right, but in the order of beams and tokens. The best comes first.")
right.mistake("never_ends_a_beam",
    {"stays, log_probs)":
        "stays, log_probs)\n    extra[..., end_id].masked_fill_(~finished, -math.inf)"},
    "No unfinished beam can end. `end_id` is one of its possible tokens, like all others.")
right.mistake("multiplies_by_a_mask", {"= 0.0": "= 0.0 * log_probs[..., end_id]"},
    "You multiply a finished beam by 0, and 0 times minus infinity is NaN. Replace what should "
    "not count, with `torch.where` or `masked_fill`.")
