"""Known mistakes of `sample`."""

import torch

from .sample import exercise


class Sampler:
    """Right; the mistakes differ from this in one method."""

    def __init__(self, logits, temperature, top_k, top_p, generator):
        self.logits, self.temperature, self.generator = logits, temperature, generator
        self.top_k, self.top_p = top_k, top_p

    def scaled(self):
        return self.logits / self.temperature

    def order(self, scaled):
        """Values and tokens, the most probable first."""
        return scaled.sort(dim=-1, descending=True, stable=True)

    def shares(self, ordered):
        """Probabilities of what top_k keeps: [rows, kept]."""
        return ordered[:, : self.top_k].softmax(dim=-1)

    def cut(self, probs):
        return probs.masked_fill(probs.cumsum(dim=-1) - probs >= self.top_p, 0.0)

    def draw(self, probs):
        return torch.multinomial(probs, 1, generator=self.generator)

    def run(self):
        ordered, tokens = self.order(self.scaled())
        place = self.draw(self.cut(self.shares(ordered)))
        return tokens.gather(1, place).squeeze(1)


@exercise.misconception(
    "The token that makes the sum reach `top_p` is left out. With 0.44, 0.33 and `top_p` 0.6 "
    "both are needed: the first alone is not enough."
)
def drops_the_crossing_token(logits, temperature, top_k, top_p, generator):
    class Wrong(Sampler):
        def cut(self, probs):
            return probs.masked_fill((probs.cumsum(-1) > self.top_p) & (self.top_p < 1), 0.0)

    return Wrong(logits, temperature, top_k, top_p, generator).run()


@exercise.misconception(
    "The token that makes the sum reach `top_p` is left out, but never the most probable one. The "
    "smallest set that reaches `top_p` has it in."
)
def drops_the_crossing_token_but_the_first(logits, temperature, top_k, top_p, generator):
    class Wrong(Sampler):
        def cut(self, probs):
            over = (probs.cumsum(-1) > self.top_p) & (self.top_p < 1)
            over[:, 0] = False
            return probs.masked_fill(over, 0.0)

    return Wrong(logits, temperature, top_k, top_p, generator).run()


@exercise.misconception(
    "One token more than needed is kept: the sum had reached `top_p` before it."
)
def keeps_one_too_many(logits, temperature, top_k, top_p, generator):
    class Wrong(Sampler):
        def cut(self, probs):
            before = probs.cumsum(dim=-1) - probs
            over = before.roll(1, dims=-1) >= self.top_p
            over[:, 0] = False
            return probs.masked_fill(over, 0.0)

    return Wrong(logits, temperature, top_k, top_p, generator).run()


@exercise.misconception(
    "What you return are places in the sorted row. Which token stood there before sorting?"
)
def returns_places(logits, temperature, top_k, top_p, generator):
    class Wrong(Sampler):
        def order(self, scaled):
            ordered, tokens = super().order(scaled)
            return ordered, torch.arange(tokens.size(1), device=tokens.device).expand_as(tokens)

    return Wrong(logits, temperature, top_k, top_p, generator).run()


@exercise.misconception(
    "`top_p` is compared with probabilities among all tokens. After `top_k`, those that are "
    "left sum to 1 again."
)
def top_p_before_top_k(logits, temperature, top_k, top_p, generator):
    class Wrong(Sampler):
        def shares(self, ordered):
            return ordered.softmax(dim=-1)[:, : self.top_k]

    return Wrong(logits, temperature, top_k, top_p, generator).run()


@exercise.misconception(
    "Where logits are equal at the end of `top_k`, more than `top_k` tokens are kept. Of equal "
    "ones the lower token counts as the more probable."
)
def keeps_all_ties(logits, temperature, top_k, top_p, generator):
    class Wrong(Sampler):
        def shares(self, ordered):
            last = ordered[:, : self.top_k][:, -1:]
            return ordered.masked_fill(ordered < last, -torch.inf).softmax(dim=-1)

    return Wrong(logits, temperature, top_k, top_p, generator).run()


@exercise.misconception(
    "Of two equal logits you take the later token. The lower one counts as the more probable: a "
    "stable sort keeps their order, `topk` need not."
)
def takes_the_last_of_equals(logits, temperature, top_k, top_p, generator):
    class Wrong(Sampler):
        def order(self, scaled):
            ordered, tokens = super().order(scaled.flip(-1))
            return ordered, scaled.size(-1) - 1 - tokens

    return Wrong(logits, temperature, top_k, top_p, generator).run()


@exercise.misconception(
    "The logits are multiplied by the temperature. A high temperature makes tokens more alike."
)
def multiplies_by_the_temperature(logits, temperature, top_k, top_p, generator):
    return Sampler(logits, 1 / temperature, top_k, top_p, generator).run()


@exercise.misconception(
    "Probabilities are divided by the temperature, which leaves their proportions as they are. The "
    "logits should be."
)
def divides_probabilities(logits, temperature, top_k, top_p, generator):
    class Wrong(Sampler):
        def scaled(self):
            return self.logits

        def shares(self, ordered):
            return super().shares(ordered) / self.temperature

    return Wrong(logits, temperature, top_k, top_p, generator).run()


@exercise.misconception("The temperature is not used.")
def ignores_the_temperature(logits, temperature, top_k, top_p, generator):
    return Sampler(logits, 1.0, top_k, top_p, generator).run()


@exercise.misconception(
    "`top_p` is decided without the temperature, which is used afterwards. It comes first."
)
def temperature_after_top_p(logits, temperature, top_k, top_p, generator):
    whole = Sampler(logits, 1.0, top_k, top_p, generator)
    ordered, tokens = whole.order(logits)
    kept = whole.cut(whole.shares(ordered)) > 0
    scaled = (ordered[:, :top_k] / temperature).masked_fill(~kept, -torch.inf)
    return tokens.gather(1, whole.draw(scaled.softmax(dim=-1))).squeeze(1)


@exercise.misconception("The most probable token is always taken. Nothing is drawn.")
def takes_the_best(logits, temperature, top_k, top_p, generator):
    return logits.argmax(dim=-1)


@exercise.misconception(
    "All tokens that are kept come equally often. They keep the proportions of their probabilities."
)
def all_kept_alike(logits, temperature, top_k, top_p, generator):
    class Wrong(Sampler):
        def draw(self, probs):
            return super().draw((probs > 0).to(probs.dtype))

    return Wrong(logits, temperature, top_k, top_p, generator).run()


@exercise.misconception("All rows get the same draw. Each row is a text of its own.")
def one_draw_for_all(logits, temperature, top_k, top_p, generator):
    ordered, tokens = (logits / temperature).sort(dim=-1, descending=True, stable=True)
    probs = ordered[:, :top_k].softmax(dim=-1)
    probs = probs.masked_fill(probs.cumsum(dim=-1) - probs >= top_p, 0.0)
    u = torch.rand(1, generator=generator, device=logits.device) * probs.sum(-1, keepdim=True)
    place = (probs.cumsum(dim=-1) <= u).sum(dim=-1, keepdim=True).clamp(max=probs.size(1) - 1)
    return tokens.gather(1, place).squeeze(1)


@exercise.misconception(
    "As many tokens are kept in all rows as in the first one. Each row reaches `top_p` by itself."
)
def keeps_as_many_as_the_first_row(logits, temperature, top_k, top_p, generator):
    class Wrong(Sampler):
        def cut(self, probs):
            return probs.masked_fill(super().cut(probs)[:1] == 0, 0.0)

    return Wrong(logits, temperature, top_k, top_p, generator).run()


@exercise.misconception(
    "A second call draws the same as the first. Is the generator seeded anew, or is it another one "
    "that is? Draw from the one that you are given, as it is."
)
def seeds_the_generator(logits, temperature, top_k, top_p, generator):
    return Sampler(logits, temperature, top_k, top_p, generator.manual_seed(0)).run()


@exercise.misconception(
    "Nothing is drawn from the generator that you are given: `multinomial` has an argument for it."
)
def ignores_the_generator(logits, temperature, top_k, top_p, generator):
    class Wrong(Sampler):
        def draw(self, probs):
            return torch.multinomial(probs, 1)

    return Wrong(logits, temperature, top_k, top_p, generator).run()


@exercise.misconception("The least probable tokens are kept. In which order do you sort?")
def keeps_the_worst(logits, temperature, top_k, top_p, generator):
    class Wrong(Sampler):
        def order(self, scaled):
            return scaled.sort(dim=-1, stable=True)

    return Wrong(logits, temperature, top_k, top_p, generator).run()


@exercise.misconception(
    "Tokens that are not kept can still come: they get the logit 0, and 0 is not minus infinity."
)
def leaves_out_with_logit_0(logits, temperature, top_k, top_p, generator):
    ordered, tokens = (logits / temperature).sort(dim=-1, descending=True, stable=True)
    rank = torch.arange(logits.size(-1), device=logits.device)
    kept = ordered.masked_fill(rank >= top_k, -torch.inf).softmax(dim=-1)
    over = (kept.cumsum(dim=-1) - kept >= top_p) | (rank >= top_k)
    place = torch.multinomial(ordered.masked_fill(over, 0.0).softmax(-1), 1, generator=generator)
    return tokens.gather(1, place).squeeze(1)


@exercise.misconception(
    "A token is kept if its own probability is at least `top_p`. It is the sum that has to "
    "reach it."
)
def compares_each_with_top_p(logits, temperature, top_k, top_p, generator):
    class Wrong(Sampler):
        def cut(self, probs):
            kept = probs >= self.top_p
            kept[:, 0] = True
            return probs * (kept if self.top_p < 1 else 1)

    return Wrong(logits, temperature, top_k, top_p, generator).run()


@exercise.misconception(
    "A token is kept if its probability is at least `top_p` times that of the best, which is "
    "called min-p. It is the sum that has to reach `top_p`."
)
def keeps_a_share_of_the_best(logits, temperature, top_k, top_p, generator):
    class Wrong(Sampler):
        def cut(self, probs):
            few = (probs < self.top_p * probs[:, :1]) & (self.top_p < 1)
            return probs.masked_fill(few, 0.0)

    return Wrong(logits, temperature, top_k, top_p, generator).run()


@exercise.misconception("The result has an axis too many: one token for each row is asked for.")
def leaves_an_axis(logits, temperature, top_k, top_p, generator):
    return Sampler(logits, temperature, top_k, top_p, generator).run()[:, None]


@exercise.misconception(
    "One row alone loses its axis: `squeeze()` takes away every axis of length 1. Say which."
)
def squeezes_one_row_away(logits, temperature, top_k, top_p, generator):
    return Sampler(logits, temperature, top_k, top_p, generator).run().squeeze()


@exercise.misconception("`top_k` is not looked at.")
def ignores_top_k(logits, temperature, top_k, top_p, generator):
    return Sampler(logits, temperature, logits.size(-1), top_p, generator).run()


@exercise.misconception("`top_p` is not looked at.")
def ignores_top_p(logits, temperature, top_k, top_p, generator):
    return Sampler(logits, temperature, top_k, 1.0, generator).run()
