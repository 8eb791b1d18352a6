"""Cases, oracle and known mistakes of `attention_context`."""

import torch

from autograder.author import Case, Exercise, Finite

exercise = Exercise(
    "attention_context",
    points=2,
    difficulty=2,
    minutes=8,
    returns=("the context",),
    read="01_bottleneck.html#the-formula",
    properties=(Finite(),),
)


def draw(rng, batch, queries, keys, d_v, dtype=torch.float32):
    """Weights [batch, queries, keys] whose rows sum to 1, and values [batch, keys, d_v]."""
    weights = rng.normal(batch, queries, keys, dtype=torch.float64).softmax(dim=-1)
    return {"weights": weights.to(dtype), "value": rng.normal(batch, keys, d_v, dtype=dtype)}


@exercise.cases
def cases(rng):
    yield Case("two sequences", draw(rng, 2, 3, 5, 4), gradient=True)
    yield Case("every axis the same", draw(rng, 4, 4, 4, 4))
    example = {"weights": [[[0.5, 0.5, 0], [0, 0, 1]]], "value": [[[2.0, 0], [4, 8], [7, 7]]]}
    yield Case("the example above", {name: torch.tensor(rows) for name, rows in example.items()})
    yield Case("one sequence, one query, float64", draw(rng, 1, 1, 6, 3, torch.float64))
    inputs = draw(rng, 2, 3, 4, 5)
    inputs["weights"] *= torch.tensor([[4, 0, -1], [1, -1, 4]])[..., None]
    yield Case("rows of zeros and of other sums than 1", inputs, gradient=True)
    yield Case("half precision", draw(rng, 3, 2, 5, 4, torch.float16))


@exercise.secret_cases
def secret_cases(rng):
    batch, queries, keys = rng.integer(4, 7), rng.integer(7, 9), rng.integer(9, 12)
    yield Case("more of everything", draw(rng, batch, queries, keys, 3), gradient=True)
    yield Case("one key, one feature", draw(rng, batch, queries, 1, 1))


exercise.promise("any numbers, negative", "rows of zeros and of other sums than 1")
exercise.promise("in the dtype of `weights`", "half precision", "more of everything")
exercise.promise("The contexts, always with three axes.", "one sequence, one query, float64")


@exercise.oracle
def term_by_term(weights, value):
    batch, queries, _ = weights.shape
    output = value.new_zeros(batch, queries, value.size(-1))
    for number in range(value.size(1)):
        output = output + weights[:, :, number, None] * value[:, None, number]
    return output


@exercise.base
def right(weights, value):
    return weights @ value


# fmt: off
right.mistake("softmax_again", {"@ value": ".softmax(dim=-1) @ value"},
    "You apply a softmax to the weights. They are weights already: use them as they are.")
right.mistake("divides_by_the_sum", {"@ value": "@ value / weights.sum(dim=-1, keepdim=True)"},
    "You divide by the sum of each row. Use the weights as they are: a row need not sum to 1, and "
    "0 / 0 is NaN.")
right.mistake("divides_by_the_sum_carefully",
    {"@ value": "@ value / weights.sum(dim=-1, keepdim=True).clamp(min=1e-6)"},
    "You make each row sum to 1. Use the weights as they are, even where they sum to 4.")
right.mistake("averages", {"@ value": "@ value / value.size(1)"},
    "You divide by the number of keys. The weights have done that already, so a weighted sum is "
    "not averaged again.")
right.mistake("exchanges_rows_and_columns", {"@ value": ".mT @ value"},
    "You use the weights of key j for query j: rows and columns are exchanged. Rows are queries, "
    "and the sum runs over the axis of the keys.")
right.mistake("uses_the_first_values", {"@ value": "@ value[0]"},
    "Every sequence gets the values of the first one. Sequence i of the weights belongs to "
    "sequence i of the values.")
right.mistake("mixes_the_sequences",
    {"weights @ value": 'torch.einsum("bqk,ckv->bqv", weights, value)'},
    "You sum over the batch as well. Each sequence has its own context. Which letters of an "
    "einsum have to appear to the right of the arrow?")
right.mistake("sums_over_the_queries",
    {"weights @ value": "(weights[..., None] * value[:, None]).sum(dim=1)"},
    "You sum over the queries. Which axis do weights and values have in common, besides the batch?")
right.mistake("forgets_to_sum", {"@ value": "[..., None] * value[:, None]"},
    "The products are there, one for each key, but they are not added up: your result has four "
    "axes.")
right.mistake("takes_the_largest",
    {"weights @ value":
        "value.gather(1, weights.argmax(dim=-1, keepdim=True).expand(-1, -1, value.size(-1)))"},
    "You return the value with the largest weight. The context is a mixture of all of them.")
right.mistake("puts_the_batch_second", {"weights @ value": "(weights @ value).transpose(0, 1)"},
    "The numbers are right, but the queries come first. In this course the batch is the "
    "first axis.")
right.mistake("squeezes_everything", {"weights @ value": "(weights @ value).squeeze()"},
    "`squeeze()` removes every axis of length 1, including that of a single sequence or a single "
    "query. The result has three axes.")
right.mistake("limits_the_weights", {"@ value": ".clamp(0, 1) @ value"},
    "You limit the weights to the range from 0 to 1. Use them as they are, whatever they are.")
right.mistake("reshapes_the_values",
    {"weights @ value":
        'torch.einsum("bqk,bvk->bqv", weights, value.reshape(len(value), -1, value.size(1)))'},
    "The numbers of `value` are read in another order. `reshape` and `view` keep the order of the "
    "numbers and only divide them up anew. Which operation exchanges two axes?")
right.mistake("multiplies_entry_by_entry", {"@ value": "* value"},
    "If the message mentions tensor sizes, note that `*` multiplies entry by entry and needs the "
    "same axes on both sides. Which operation multiplies a row by a column and adds up?")
# fmt: on


@exercise.variant
def batched_product(weights, value):
    return torch.bmm(weights, value)


@exercise.variant
def summed_with_einsum(weights, value):
    return torch.einsum("bqk,bkv->bqv", weights, value)


@exercise.variant
def sequence_by_sequence(weights, value):
    return torch.stack([shares @ rows for shares, rows in zip(weights, value, strict=True)])


@exercise.variant
def products_then_sum(weights, value):
    return (weights.unsqueeze(-1) * value.unsqueeze(1)).sum(dim=2)
