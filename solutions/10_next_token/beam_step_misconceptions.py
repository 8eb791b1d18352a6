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
    "What beams had before is left out: the best next tokens win, whatever came before them.")
right.mistake("adds_probabilities", {"+ extra": "+ extra.exp()"},
    "Probabilities are added to the totals. Probabilities of a sequence are multiplied: what do "
    "their logarithms do?")
right.mistake("multiplies_logarithms",
    {"totals[..., None] + extra": "-(totals[..., None] * extra).nan_to_num(0.0)"},
    "The logarithms are multiplied by the totals. What is the logarithm of a product?")
right.mistake("best_of_each_beam",
    {"best, flat = table.flatten(1).topk(width)\n"
     "    beams, tokens = flat // vocabulary, flat % vocabulary":
        "best, tokens = table.max(dim=-1)\n"
        "    best, beams = best.sort(dim=-1, descending=True)\n"
        "    tokens = tokens.gather(1, beams)"},
    "Each beam goes on with its own best token. Two of the best continuations may come from one "
    "beam, and none from another.")
right.mistake("exchanges_beam_and_token",
    {"flat // vocabulary, flat % vocabulary": "flat % vocabulary, flat // vocabulary"},
    "Beam and token are exchanged: which of `//` and `%` says how many whole rows were passed?")
right.mistake("divides_by_the_beams",
    {"flat // vocabulary, flat % vocabulary": "flat // width, flat % width"},
    "You divide by the number of beams. A row of the flat table is as long as the vocabulary.")
right.mistake("takes_places_column_by_column",
    {"flat // vocabulary, flat % vocabulary": "flat % width, flat // width"},
    "Places are taken apart as if the table lay column by column. Flattened, it lies row by row: "
    "`//` and `%` by the vocabulary.")
right.mistake("returns_flat_places", {"flat % vocabulary": "flat"},
    "The tokens are places in the flat table. Which tokens are they?")
right.mistake("finished_beams_pay_again", {"= 0.0": "= log_probs[..., end_id]"},
    "A finished beam goes on losing: its end is paid for again at each step. It should keep its "
    "total.")
right.mistake("finished_beams_go_on",
    {"torch.where(finished[..., None], stays, log_probs)": "log_probs"},
    "Finished beams go on writing. After its end a beam has one continuation only, the end again.")
right.mistake("finished_beams_go_on_for_nothing",
    {"torch.full_like(log_probs, -math.inf)": "torch.full_like(log_probs, 0.0)"},
    "A finished beam goes on with every token at no cost, and fills the places of the others.")
right.mistake("drops_finished_beams", {"    stays[..., end_id] = 0.0\n": ""},
    "A finished beam is lost: none of its continuations is a candidate. It competes with its end, "
    "at its old total.")
right.mistake("takes_the_worst",
    {"table.flatten(1).topk(width)":
        "table.masked_fill(table == -math.inf, math.inf).flatten(1).topk(width, largest=False)"},
    "The worst come first, or are taken: the best have the largest totals, those nearest to 0.")
right.mistake("best_comes_last",
    {"best, beams, tokens": "best.flip(-1), beams.flip(-1), tokens.flip(-1)"},
    "The right ones in the wrong order: the best comes first.")
right.mistake("returns_the_last_step_only",
    {"return best": "return extra.flatten(1).gather(1, flat)"},
    "The totals returned are only those of the last step. Add the old ones.")
right.mistake("changes_the_log_probs",
    {"torch.where(finished[..., None], stays, log_probs)":
        "log_probs.copy_(torch.where(finished[..., None], stays, log_probs))"},
    "You change the caller's log-probabilities. Work on a new tensor.")
right.mistake("adds_the_totals_too_late",
    {"totals[..., None] + extra": "extra", "return best": "return best + totals.gather(1, beams)"},
    "The best of this step are taken, and the totals added when that is settled. A beam that is "
    "far behind should need more than one good token.")
right.mistake("looks_at_totals_to_see_who_is_in_use",
    {"best, flat = table.flatten(1).topk(width)":
        "idle = (totals == -math.inf)[..., None]\n"
        "    flat = extra.masked_fill(idle, -math.inf).flatten(1).topk(width).indices\n"
        "    best = table.flatten(1).gather(1, flat)"},
    "The best of this step are taken among the beams in use, whatever their totals are. A beam "
    "with a low total should need more than one good token.")
right.mistake("ranks_over_all_sentences",
    {"table.flatten(1).topk(width)":
        "(x.view_as(totals) for x in table.flatten().topk(totals.numel()))",
     "flat // vocabulary": "flat // vocabulary % width"},
    "The best of all sentences are taken together. Each sentence goes on with its own best, as "
    "many as it has beams.")
right.mistake("numbers_beams_through_all_sentences",
    {"return best, beams":
        "starts = width * torch.arange(len(totals), device=totals.device)\n"
        "    return best, beams + starts[:, None]"},
    "Beams are numbered through all sentences. In each sentence they are counted from 0.")
right.mistake("takes_each_token_once",
    {"best, flat = table.flatten(1).topk(width)\n"
     "    beams, tokens = flat // vocabulary, flat % vocabulary":
        "best, beams = table.max(dim=1)\n"
        "    best, tokens = best.topk(min(width, vocabulary))\n"
        "    beams = beams.gather(1, tokens)"},
    "Each token is taken once at most. Two beams may go on with the same token.")
right.mistake("fills_with_a_number", {"-math.inf": "-1e4"},
    "Where totals are very low, what a finished beam may not do wins: the number in its place is "
    "not low enough. Minus infinity is below every total.")
right.mistake("leaves_them_in_the_order_of_beams",
    {"best, flat = table.flatten(1).topk(width)":
        "flat = table.flatten(1).topk(width).indices.sort(dim=-1).values\n"
        "    best = table.flatten(1).gather(1, flat)"},
    "The right ones, in the order of beams and tokens. The best comes first.")
right.mistake("never_ends_a_beam",
    {"stays, log_probs)":
        "stays, log_probs)\n    extra[..., end_id].masked_fill_(~finished, -math.inf)"},
    "No beam that is still going can end. `end_id` is one of its tokens, like all others.")
right.mistake("multiplies_by_a_mask", {"= 0.0": "= 0.0 * log_probs[..., end_id]"},
    "A finished beam is multiplied by 0, and 0 times minus infinity is NaN. Replace what should "
    "not count: `torch.where` or `masked_fill`.")
