"""Known mistakes of `beam_step`."""

import math

import torch

from .beam_step import exercise


class Step:
    """Right; the mistakes differ from this in one method."""

    def __init__(self, totals, log_probs, finished, end_id):
        self.totals, self.log_probs = totals, log_probs
        self.finished, self.end_id = finished, end_id
        self.width, self.vocabulary = totals.size(1), log_probs.size(-1)

    def extra(self):
        """[batch, beams, vocabulary]; a finished beam goes on with its end only."""
        stays = torch.full_like(self.log_probs, -math.inf)
        stays[..., self.end_id] = 0.0
        return torch.where(self.finished[..., None], stays, self.log_probs)

    def table(self):
        return self.totals[..., None] + self.extra()

    def places(self, flat):
        return flat // self.vocabulary, flat % self.vocabulary

    def run(self):
        best, flat = self.table().flatten(1).topk(self.width)
        return (best, *self.places(flat))


@exercise.misconception(
    "What beams had before is left out: the best next tokens win, whatever came before them."
)
def forgets_the_totals(totals, log_probs, finished, end_id):
    class Wrong(Step):
        def table(self):
            return self.extra()

    return Wrong(totals, log_probs, finished, end_id).run()


@exercise.misconception(
    "Probabilities are added to the totals. Probabilities of a sequence are multiplied: what do "
    "their logarithms do?"
)
def adds_probabilities(totals, log_probs, finished, end_id):
    class Wrong(Step):
        def table(self):
            return self.totals[..., None] + self.extra().exp()

    return Wrong(totals, log_probs, finished, end_id).run()


@exercise.misconception(
    "The logarithms are multiplied by the totals. What is the logarithm of a product?"
)
def multiplies_logarithms(totals, log_probs, finished, end_id):
    class Wrong(Step):
        def table(self):
            return -(self.totals[..., None] * self.extra()).nan_to_num(0.0)

    return Wrong(totals, log_probs, finished, end_id).run()


@exercise.misconception(
    "Each beam goes on with its own best token. Two of the best continuations may come from one "
    "beam, and none from another."
)
def best_of_each_beam(totals, log_probs, finished, end_id):
    table = Step(totals, log_probs, finished, end_id).table()
    best, token = table.max(dim=-1)
    best, beam = best.sort(dim=-1, descending=True)
    return best, beam, token.gather(1, beam)


@exercise.misconception(
    "Beam and token are exchanged: which of `//` and `%` says how many whole rows were passed?"
)
def exchanges_beam_and_token(totals, log_probs, finished, end_id):
    class Wrong(Step):
        def places(self, flat):
            return flat % self.vocabulary, flat // self.vocabulary

    return Wrong(totals, log_probs, finished, end_id).run()


@exercise.misconception(
    "You divide by the number of beams. A row of the flat table is as long as the vocabulary."
)
def divides_by_the_beams(totals, log_probs, finished, end_id):
    class Wrong(Step):
        def places(self, flat):
            return flat // self.width, flat % self.width

    return Wrong(totals, log_probs, finished, end_id).run()


@exercise.misconception(
    "Places are taken apart as if the table lay column by column. Flattened, it lies row by row: "
    "`//` and `%` by the vocabulary."
)
def takes_places_column_by_column(totals, log_probs, finished, end_id):
    class Wrong(Step):
        def places(self, flat):
            return flat % self.width, flat // self.width

    return Wrong(totals, log_probs, finished, end_id).run()


@exercise.misconception("The tokens are places in the flat table. Which tokens are they?")
def returns_flat_places(totals, log_probs, finished, end_id):
    class Wrong(Step):
        def places(self, flat):
            return flat // self.vocabulary, flat

    return Wrong(totals, log_probs, finished, end_id).run()


@exercise.misconception(
    "A finished beam goes on losing: its end is paid for again at each step. It should keep its "
    "total."
)
def finished_beams_pay_again(totals, log_probs, finished, end_id):
    class Wrong(Step):
        def extra(self):
            other = torch.arange(self.vocabulary, device=self.totals.device) != self.end_id
            return self.log_probs.masked_fill(self.finished[..., None] & other, -math.inf)

    return Wrong(totals, log_probs, finished, end_id).run()


@exercise.misconception(
    "Finished beams go on writing. After its end a beam has one continuation only, the end again."
)
def finished_beams_go_on(totals, log_probs, finished, end_id):
    return Step(totals, log_probs, torch.zeros_like(finished), end_id).run()


@exercise.misconception(
    "A finished beam goes on with every token at no cost, and fills the places of the others."
)
def finished_beams_go_on_for_nothing(totals, log_probs, finished, end_id):
    class Wrong(Step):
        def extra(self):
            return self.log_probs.masked_fill(self.finished[..., None], 0.0)

    return Wrong(totals, log_probs, finished, end_id).run()


@exercise.misconception(
    "A finished beam is lost: none of its continuations is a candidate. It competes with its end, "
    "at its old total."
)
def drops_finished_beams(totals, log_probs, finished, end_id):
    class Wrong(Step):
        def extra(self):
            return self.log_probs.masked_fill(self.finished[..., None], -math.inf)

    return Wrong(totals, log_probs, finished, end_id).run()


@exercise.misconception(
    "The worst come first, or are taken: the best have the largest totals, those nearest to 0."
)
def takes_the_worst(totals, log_probs, finished, end_id):
    table = Step(totals, log_probs, finished, end_id).table().flatten(1)
    best, flat = table.masked_fill(table == -math.inf, math.inf).topk(totals.size(1), largest=False)
    return best, flat // log_probs.size(-1), flat % log_probs.size(-1)


@exercise.misconception("The right ones in the wrong order: the best comes first.")
def best_comes_last(totals, log_probs, finished, end_id):
    return tuple(x.flip(-1) for x in Step(totals, log_probs, finished, end_id).run())


@exercise.misconception("The totals returned are only those of the last step. Add the old ones.")
def returns_the_last_step_only(totals, log_probs, finished, end_id):
    step = Step(totals, log_probs, finished, end_id)
    _, beams, tokens = step.run()
    flat = beams * step.vocabulary + tokens
    return step.extra().flatten(1).gather(1, flat), beams, tokens


@exercise.misconception("You change the caller's log-probabilities. Work on a new tensor.")
def changes_the_log_probs(totals, log_probs, finished, end_id):
    log_probs[finished] = -math.inf
    log_probs[..., end_id].masked_fill_(finished, 0.0)
    best, flat = (totals[..., None] + log_probs).flatten(1).topk(totals.size(1))
    return best, flat // log_probs.size(-1), flat % log_probs.size(-1)


@exercise.misconception(
    "The best of this step are taken, and the totals added when that is settled. A beam that is "
    "far behind should need more than one good token."
)
def adds_the_totals_too_late(totals, log_probs, finished, end_id):
    step = Step(totals, log_probs, finished, end_id)
    best, flat = step.extra().flatten(1).topk(step.width)
    beams, tokens = step.places(flat)
    return best + totals.gather(1, beams), beams, tokens


@exercise.misconception(
    "The best of this step are taken among the beams in use, whatever their totals are. A beam "
    "with a low total should need more than one good token."
)
def looks_at_totals_to_see_who_is_in_use(totals, log_probs, finished, end_id):
    step = Step(totals, log_probs, finished, end_id)
    idle = (totals == -math.inf)[..., None]
    flat = step.extra().masked_fill(idle, -math.inf).flatten(1).topk(step.width).indices
    return (step.table().flatten(1).gather(1, flat), *step.places(flat))


@exercise.misconception(
    "The best of all sentences are taken together. Each sentence goes on with its own best, as "
    "many as it has beams."
)
def ranks_over_all_sentences(totals, log_probs, finished, end_id):
    step = Step(totals, log_probs, finished, end_id)
    best, flat = (x.view_as(totals) for x in step.table().flatten().topk(totals.numel()))
    beams, tokens = step.places(flat)
    return best, beams % step.width, tokens


@exercise.misconception(
    "Beams are numbered through all sentences. In each sentence they are counted from 0."
)
def numbers_beams_through_all_sentences(totals, log_probs, finished, end_id):
    best, beams, tokens = Step(totals, log_probs, finished, end_id).run()
    starts = totals.size(1) * torch.arange(totals.size(0), device=totals.device)
    return best, beams + starts[:, None], tokens


@exercise.misconception(
    "Each token is taken once at most. Two beams may go on with the same token."
)
def takes_each_token_once(totals, log_probs, finished, end_id):
    step = Step(totals, log_probs, finished, end_id)
    best, beams = step.table().max(dim=1)
    best, tokens = best.topk(min(step.width, step.vocabulary))
    return best, beams.gather(1, tokens), tokens


@exercise.misconception(
    "Where totals are very low, what a finished beam may not do wins: the number in its place is "
    "not low enough. Minus infinity is below every total."
)
def fills_with_a_number(totals, log_probs, finished, end_id):
    class Wrong(Step):
        def extra(self):
            stays = torch.full_like(self.log_probs, -1e4)
            stays[..., self.end_id] = 0.0
            return torch.where(self.finished[..., None], stays, self.log_probs)

    return Wrong(totals, log_probs, finished, end_id).run()


@exercise.misconception("The right ones, in the order of beams and tokens. The best comes first.")
def leaves_them_in_the_order_of_beams(totals, log_probs, finished, end_id):
    step = Step(totals, log_probs, finished, end_id)
    flat = step.table().flatten(1).topk(step.width).indices.sort(dim=-1).values
    return (step.table().flatten(1).gather(1, flat), *step.places(flat))


@exercise.misconception(
    "No beam that is still going can end. `end_id` is one of its tokens, like all others."
)
def never_ends_a_beam(totals, log_probs, finished, end_id):
    class Wrong(Step):
        def extra(self):
            end = torch.arange(self.vocabulary, device=self.totals.device) == end_id
            return super().extra().masked_fill(end & ~self.finished[..., None], -math.inf)

    return Wrong(totals, log_probs, finished, end_id).run()


@exercise.misconception(
    "A finished beam is multiplied by 0, and 0 times minus infinity is NaN. Replace what should "
    "not count: `torch.where` or `masked_fill`."
)
def multiplies_by_a_mask(totals, log_probs, finished, end_id):
    class Wrong(Step):
        def extra(self):
            other = torch.arange(self.vocabulary, device=self.totals.device) != end_id
            kept = self.log_probs * (~self.finished)[..., None]
            return kept.masked_fill(self.finished[..., None] & other, -math.inf)

    return Wrong(totals, log_probs, finished, end_id).run()
