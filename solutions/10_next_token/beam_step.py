"""Cases, oracle and variants of `beam_step`."""

import math

import torch

from autograder.author import EVERY, UNTRIED, Case, Exercise

exercise = Exercise(
    "beam_step",
    points=5,
    difficulty=4,
    minutes=30,
    returns=("the totals", "the beams", "the tokens"),
    read="10_next_token.html#beams",
)


def draw(rng, batch, beams, vocabulary, end_id, finished=0.0, dtype=torch.float32):
    """Log-probabilities, and totals in falling order, far enough apart for any rounding."""
    return {
        "totals": -rng.integers(1, 60, batch, beams).cumsum(dim=-1).to(dtype) / 16,
        "log_probs": drawn_log_probs(rng, batch, beams, vocabulary).to(dtype),
        "finished": rng.bools(batch, beams, chance=finished),
        "end_id": end_id,
    }


def drawn_log_probs(rng, batch, beams, vocabulary):
    """No two sums of a total, in sixteenths, and one of these are equal: all differ below that."""
    count = beams * vocabulary
    below = torch.stack([torch.randperm(count, generator=rng.generator) for _ in range(batch)])
    steps = rng.integers(1, 70, batch, beams, vocabulary)
    return -(steps + (below.view(batch, beams, vocabulary) + 1) / (2 * count + 2)).double() / 16


def first_step(rng, batch, beams, vocabulary):
    """One beam is in use."""
    inputs = draw(rng, batch, beams, vocabulary, 0)
    inputs["totals"][:, 0], inputs["totals"][:, 1:] = 0.0, -math.inf
    return inputs


def example():
    probs = torch.tensor([[[0.5, 0.2, 0.3], [0.1, 0.8, 0.1]]])
    totals = torch.tensor([[0.6, 0.5]]).log()
    finished = torch.tensor([[False, False]])
    return {"totals": totals, "log_probs": probs.log(), "finished": finished, "end_id": 0}


def one_finished():
    inputs = example()
    inputs["finished"] = torch.tensor([[False, True]])
    return inputs


@exercise.cases
def cases(rng):
    yield Case("the example of the text", example())
    yield Case("the example with a finished beam", one_finished())
    yield Case("several sentences", draw(rng, 3, 4, 7, 2))
    yield Case("finished beams", draw(rng, 4, 3, 5, 1, finished=0.5))
    yield Case("the first step", first_step(rng, 2, 3, 6))
    yield Case("one beam", draw(rng, 3, 1, 6, 0))
    yield Case("more beams than tokens", draw(rng, 2, 5, 3, 2, finished=0.3))


@exercise.secret_cases
def secret_cases(rng):
    batch, beams = rng.integer(2, 5), rng.integer(3, 6)
    vocabulary = rng.integer(260, 300)
    many = draw(rng, batch, beams, vocabulary, vocabulary - 1, finished=0.3)
    many["finished"][:, 0] = True
    yield Case("many tokens", many)
    yield Case("another first step", first_step(rng, 3, 4, 9))
    done = draw(rng, 2, 3, 5, 4)
    done["finished"] = torch.ones(2, 3, dtype=torch.bool)
    yield Case("all finished", done)
    yield Case("float64", draw(rng, 2, 3, 6, 0, 0.3, torch.float64))
    yield Case("as many of everything", draw(rng, 4, 4, 4, 3, finished=0.3))
    far = draw(rng, 2, 3, 6, 1)
    far["totals"] -= 400.0
    yield Case("a long text", far)
    apart = draw(rng, 2, 3, 6, 1, dtype=torch.float64)
    apart["totals"] -= torch.tensor([0.0, 60000, 90000])
    apart["finished"][:, 0] = True
    yield Case("totals far apart", apart)
    hidden = draw(rng, 2, 3, 6, 5, finished=0.4)
    hidden["log_probs"][..., 2] = -math.inf
    yield Case("a token that cannot come", hidden)
    endless = draw(rng, 3, 4, 7, 2, finished=0.4)
    endless["log_probs"][..., 2] = -math.inf
    yield Case("an end that cannot come", endless)


exercise.promise("the log-probability of each beam so far.", "a long text", "totals far apart")
exercise.promise("Minus infinity is a beam", "the first step", "another first step")
exercise.promise("All others are above", "totals far apart", "a long text")
exercise.promise("of the next token after", "float64", "several sentences")
exercise.promise("Minus infinity is a token", "a token that cannot come", "an end that cannot come")
exercise.promise("whether a beam has ended.", "finished beams", "all finished")
exercise.promise(
    "It continues with end_id", "finished beams", "all finished", "the example with a finished beam"
)
exercise.promise("the token that ends a text.", "many tokens", "finished beams")
exercise.promise("It may occur in any beam.", "several sentences", "many tokens")
exercise.promise("The tensors are not changed.", EVERY)
exercise.promise("In each sentence at least", UNTRIED)
exercise.promise("No two of the best", UNTRIED)
exercise.promise("of the best continuations", "several sentences", "many tokens")
exercise.promise("which beam of the sentence", "several sentences", "one beam")
exercise.promise("which token each continues", "several sentences", "more beams than tokens")
exercise.promise("Totals are in the dtype", "float64", "several sentences")
exercise.promise("They need not carry", UNTRIED)


@exercise.oracle
def candidate_by_candidate(totals, log_probs, finished, end_id):
    """All continuations as a list of Python, sorted."""
    chosen = []
    for s in range(totals.size(0)):
        found = []
        for beam, total in enumerate(totals[s].tolist()):
            for token, extra in enumerate(log_probs[s, beam].tolist()):
                if not finished[s, beam]:
                    found.append((total + extra, beam, token))
                elif token == end_id:
                    found.append((total, beam, token))
        chosen.append(sorted(found, reverse=True)[: totals.size(1)])
    best, beams, tokens = ([[c[i] for c in row] for row in chosen] for i in range(3))
    return torch.tensor(best, dtype=totals.dtype), torch.tensor(beams), torch.tensor(tokens)


@exercise.variant
def one_flat_row(totals, log_probs, finished, end_id):
    stays = torch.full_like(log_probs, -math.inf)
    stays[..., end_id] = 0.0
    extra = torch.where(finished[..., None], stays, log_probs)
    best, flat = (totals[..., None] + extra).flatten(1).topk(totals.size(1))
    return best, flat // log_probs.size(-1), flat % log_probs.size(-1)


@exercise.variant
def best_of_each_beam_first(totals, log_probs, finished, end_id):
    """No beam can give more continuations than there are beams."""
    width, vocabulary = totals.shape[1], log_probs.shape[2]
    other = torch.arange(vocabulary, device=totals.device) != end_id
    extra = log_probs.masked_fill(finished[:, :, None], 0.0)
    extra = extra.masked_fill(finished[:, :, None] & other, float("-inf"))
    each, token = extra.topk(min(width, vocabulary), dim=-1)
    each = (each + totals[:, :, None]).reshape(totals.shape[0], -1)
    order = each.argsort(dim=-1, descending=True)[:, :width]
    beams = torch.div(order, token.shape[-1], rounding_mode="floor")
    return each.gather(1, order), beams, token.flatten(1).gather(1, order)


@exercise.variant
def sentence_by_sentence(totals, log_probs, finished, end_id):
    rows = []
    for total, extra, done in zip(totals, log_probs, finished, strict=True):
        table = total[:, None] + extra
        table[done] = -math.inf
        table[done, end_id] = total[done]
        values, places = table.reshape(-1).sort(descending=True)
        width, vocabulary = table.shape
        places = places[:width]
        rows.append((values[:width], places // vocabulary, places % vocabulary))
    best, beams, tokens = zip(*rows, strict=True)
    return torch.stack(best), torch.stack(beams), torch.stack(tokens)
