"""Known mistakes of `generate` that leave tokens out, and what all its mistakes share."""

import torch

from .generate import exercise


@torch.no_grad()
def generated(model, prompt, count, longest, temperature, generator, *, mode=False, back=True,
              seen=None, chosen=None, place=-1, grow=True):  # fmt: skip
    """The right tokens, but for what is said."""
    was, tokens, new = model.training, prompt, []
    if mode is not None:
        model.train(mode)
    for _ in range(count):
        window = tokens[:, -longest:] if seen is None else seen(tokens)
        logits = model(window)[:, place]
        if chosen is None:
            weights = (logits / temperature).softmax(dim=-1)
            new.append(torch.multinomial(weights, 1, generator=generator))
        else:
            new.append(chosen(logits))
        if grow:
            tokens = torch.cat([tokens, new[-1]], dim=1)
    if back:
        model.train(was)
    return torch.cat(new, dim=1)


def of_the_likeliest(most, temperature, generator):
    """How a token is drawn of so many at most."""

    def chosen(logits):
        least = logits.topk(min(most, logits.size(-1)), dim=-1).values[:, -1:]
        weights = (logits / temperature).masked_fill(logits < least, -torch.inf)
        return torch.multinomial(weights.softmax(dim=-1), 1, generator=generator)

    return chosen


def of_the_first(share, temperature, generator):
    """How a token is drawn of the likeliest, as many as have this probability together."""

    def chosen(logits):
        weights, tokens = (logits / temperature).softmax(dim=-1).sort(dim=-1, descending=True)
        weights = weights.masked_fill(weights.cumsum(dim=-1) - weights >= share, 0.0)
        return tokens.gather(1, torch.multinomial(weights, 1, generator=generator))

    return chosen


@exercise.misconception(
    "Only the likeliest tokens are ever drawn. Here none is left out: each comes with the "
    "probability that the model gives it."
)
def only_the_likeliest(model, prompt, count, longest, temperature, generator):
    chosen = of_the_likeliest(5, temperature, generator)
    return generated(model, prompt, count, longest, temperature, generator, chosen=chosen)


@exercise.misconception(
    "Only about 10 tokens are ever drawn, the likeliest, where there are more. Here none is left "
    "out: each comes with the probability that the model gives it."
)
def only_the_likeliest_ten(model, prompt, count, longest, temperature, generator):
    chosen = of_the_likeliest(10, temperature, generator)
    return generated(model, prompt, count, longest, temperature, generator, chosen=chosen)


@exercise.misconception(
    "Only about 20 tokens are ever drawn, the likeliest, where there are more. Here none is left "
    "out: each comes with the probability that the model gives it."
)
def only_the_likeliest_twenty(model, prompt, count, longest, temperature, generator):
    chosen = of_the_likeliest(20, temperature, generator)
    return generated(model, prompt, count, longest, temperature, generator, chosen=chosen)


@exercise.misconception(
    "Only about 40 tokens are ever drawn, the likeliest, where there are more. Here none is left "
    "out: each comes with the probability that the model gives it."
)
def only_the_likeliest_forty(model, prompt, count, longest, temperature, generator):
    chosen = of_the_likeliest(40, temperature, generator)
    return generated(model, prompt, count, longest, temperature, generator, chosen=chosen)


@exercise.misconception(
    "Only about 50 tokens are ever drawn, the likeliest, where there are more. Here none is left "
    "out: each comes with the probability that the model gives it."
)
def only_the_likeliest_fifty(model, prompt, count, longest, temperature, generator):
    chosen = of_the_likeliest(50, temperature, generator)
    return generated(model, prompt, count, longest, temperature, generator, chosen=chosen)


@exercise.misconception(
    "Only about 100 tokens are ever drawn, the likeliest, where there are more. Here none is left "
    "out: each comes with the probability that the model gives it."
)
def only_the_likeliest_hundred(model, prompt, count, longest, temperature, generator):
    chosen = of_the_likeliest(100, temperature, generator)
    return generated(model, prompt, count, longest, temperature, generator, chosen=chosen)


@exercise.misconception(
    "Only the likeliest tokens are ever drawn, which have a probability of about 0.9 together. "
    "Here none is left out: each comes with the probability that the model gives it."
)
def nine_tenths_of_the_probability(model, prompt, count, longest, temperature, generator):
    chosen = of_the_first(0.9, temperature, generator)
    return generated(model, prompt, count, longest, temperature, generator, chosen=chosen)


@exercise.misconception(
    "Only the likeliest tokens are ever drawn, which have a probability of about 0.95 together. "
    "Here none is left out: each comes with the probability that the model gives it."
)
def nineteen_twentieths_of_the_probability(model, prompt, count, longest, temperature, generator):
    chosen = of_the_first(0.95, temperature, generator)
    return generated(model, prompt, count, longest, temperature, generator, chosen=chosen)


@exercise.misconception(
    "The token 0 is never drawn. Here no token is left out: each comes with the probability that "
    "the model gives it."
)
def never_the_start(model, prompt, count, longest, temperature, generator):
    def chosen(logits):
        weights = (logits / temperature).index_fill(
            1, torch.tensor([0], device=logits.device), -1e9
        )
        return torch.multinomial(weights.softmax(dim=-1), 1, generator=generator)

    return generated(model, prompt, count, longest, temperature, generator, chosen=chosen)
