"""Cases, oracle and known mistakes of `softmax_jacobian`."""

import torch
from jaxtyping import Float
from torch import Tensor

from autograder.author import EVERY, UNTRIED, Case, Exercise, Finite, SumsTo

exercise = Exercise(
    "softmax_jacobian",
    points=3,
    difficulty=2,
    minutes=20,
    returns=("the Jacobian",),
    read="03_scaling.html#scaling-jacobian",
    properties=(
        Finite(),
        SumsTo(0, -1, "If all scores rise by the same amount no weight changes, so each row of the "
                      "Jacobian should sum to 0."),
    ),
)  # fmt: skip


def case(name, scores: Float[Tensor, "... keys"], dtype=torch.float32):
    return Case(name, {"weights": scores.double().softmax(-1).to(dtype)})


@exercise.cases
def cases(rng):
    halves_and_one = torch.tensor([[0.0, 0.0], [0.0, -torch.inf]])
    yield case("the rows of the text", halves_and_one)
    yield case("one row", rng.normal(4))
    yield case("a row for each query", rng.normal(3, 5))
    yield case("batch, heads and queries", rng.normal(2, 3, 4, 5) * 2)
    scores = rng.normal(3, 6)
    scores[0, 2:] = scores[1, ::2] = scores[2, 1:] = float("-inf")
    yield case("weights of 0 and 1", scores)
    yield case("half precision", rng.normal(2, 3, 5), torch.float16)


@exercise.secret_cases
def secret_cases(rng):
    keys = rng.integer(6, 10)
    yield case("as many queries as keys", rng.normal(2, keys, keys))
    yield case("sharp rows", rng.normal(3, 2, keys) * 4)
    yield case("one key", rng.normal(1, 4, 1))
    yield case("an even row", 0 * rng.normal(keys))
    yield case("bfloat16", rng.normal(3, 2, 1, keys), torch.bfloat16)


exercise.promise(
    "the result of a softmax", "one row", "batch, heads and queries", "half precision", "bfloat16"
)
exercise.promise("Some may be exactly 0 or 1.", "the rows of the text", "weights of 0 and 1")
exercise.promise("They are not changed.", EVERY)
exercise.promise(
    "diag(w) - w wᵀ for each row", "the rows of the text", "sharp rows", "an even row", "one key"
)
exercise.promise("The entry [..., j, l]", "as many queries as keys", "a row for each query")
exercise.promise("It need not carry gradients.", UNTRIED)


@exercise.oracle
def derivatives_of_the_softmax(weights):
    rows = weights.log().reshape(-1, weights.size(-1))
    jacobian = torch.autograd.functional.jacobian
    found = torch.stack([jacobian(lambda row: row.softmax(-1), row) for row in rows])
    return found.reshape(*weights.shape, weights.size(-1))


@exercise.base
def right(weights):
    return torch.diag_embed(weights) - weights[..., :, None] * weights[..., None, :]


@exercise.base
def by_the_identity(weights):
    eye = torch.eye(weights.size(-1), dtype=weights.dtype, device=weights.device)
    return weights[..., :, None] * (eye - weights[..., None, :])


# fmt: off
right.mistake("turns_the_sign",
    {" torch.diag_embed(weights) -": "", "None, :]": "None, :] - torch.diag_embed(weights)"},
    "The sign is reversed: if a score rises, its own weight rises too.")
right.mistake("has_a_diagonal_only",
    {"weights) - weights[..., :, None] * weights[..., None, :]": "weights * (1 - weights))"},
    "Off the diagonal you have 0. If one score rises, what happens to the weights of the others?")
right.mistake("is_taken_for_the_sigmoid",
    {"torch.diag_embed(weights) - weights[..., :, None] * weights[..., None, :]":
        "weights * (1 - weights)"},
    "You return the diagonal alone, w (1 - w). How does a weight react to each of the "
    "other scores?")
right.mistake("leaves_out_the_product", {" - weights[..., :, None] * weights[..., None, :]": ""},
    "You subtract nothing from the diagonal: that is diag(w). What is missing?")
right.mistake("leaves_out_the_diagonal", {" torch.diag_embed(weights) -": ""},
    "You return the outer product alone, with the wrong sign. Where is diag(w)?")
by_the_identity.mistake("subtracts_from_the_identity",
    {"return": "return eye -", "(eye - weights[..., None, :])": "weights[..., None, :]"},
    "You subtract from the identity. Which numbers belong on that diagonal instead?")
right.mistake("subtracts_from_an_identity_of_its_own",
    {"diag_embed(weights)": "eye(weights.size(-1))"},
    "You subtract from an identity matrix. Which numbers belong on that diagonal instead? (A "
    "matrix that you create also needs the dtype and the device of the weights.)")
right.mistake("squares_a_weight",
    {":, None] * weights[..., None, :]":
        "None, :].square().expand(*weights.shape, weights.size(-1))"},
    "Your product uses one index for rows and columns, so every entry of a column has the same "
    "weight squared. The product needs w_j in rows and w_l in columns.")
right.mistake("subtracts_the_inner_product",
    {"weights[..., :, None] * weights[..., None, :]":
        "(weights * weights).sum(-1)[..., None, None]"},
    "You subtract the inner product, one number for each row. w wᵀ is a matrix: a column times a "
    "row.")
right.mistake("works_for_one_row_only",
    {"diag_embed": "diag",
     "weights[..., :, None] * weights[..., None, :]": "torch.outer(weights, weights)"},
    "This works for one row only. With more axes, `diag` and `outer` raise an exception, or take "
    "a diagonal where they should build one. Which function builds a matrix from every row?")
by_the_identity.mistake("leaves_out_the_first_weight",
    {"weights[..., :, None] * (eye - weights[..., None, :])": "eye - weights[..., None, :]"},
    "You return δ - w_j. The derivative has one more factor: a weight that is near 0 hardly "
    "changes, whatever happens to the scores.")
right.mistake("applies_a_softmax_first",
    {"return": "again = weights.softmax(-1)\n    return",
     "weights) - weights": "again) - again",
     "* weights": "* again"},
    "You apply a softmax to the weights, as if they were scores. They are the result of a softmax "
    "already: the Jacobian is computed from `[0.5, 0.5]` itself.")
right.mistake("lines_up_with_other_rows", {":, None": "None", "weights[..., None, :]": "weights"},
    "Where there is more than one row, `weights[..., None] * weights` combines the column of one "
    "row with other rows, since shapes are aligned from the last axis. Which axis is missing in "
    "the second factor?")
right.mistake("multiplies_rows_by_rows",
    {"weights[..., :, None] * weights[..., None, :]": "weights @ weights.mT"},
    "`weights @ weights.mT` multiplies rows by one another. The exercise asks for a column times "
    "a row, for each row separately. Which axis do you add, and where?")
right.mistake("keeps_a_triangle", {"- weights": "- (weights", "None, :]": "None, :]).tril()"},
    "Half of the product is missing: the entry at row j and column l should equal the one at row "
    "l and column j.")
by_the_identity.mistake("makes_float32", {", dtype=weights.dtype": ""},
    "A tensor that you create is float32, but the weights may have another dtype.")
by_the_identity.mistake("makes_a_tensor_on_the_cpu", {"dtype, device=weights.device": "dtype"},
    "You create a tensor on the CPU, but the weights may be on another device.")
# fmt: on


@exercise.variant
def weight_times_kronecker(weights):
    eye = torch.eye(weights.size(-1)).to(weights)
    return weights.unsqueeze(-1) * (eye - weights.unsqueeze(-2))


@exercise.variant
def einsum_and_filled_diagonal(weights):
    jacobian = -torch.einsum("...i,...j->...ij", weights, weights)
    jacobian.diagonal(dim1=-2, dim2=-1).add_(weights)
    return jacobian


@exercise.variant
def row_by_row(weights):
    rows = weights.flatten(0, -2) if weights.dim() > 1 else weights[None]
    found = [torch.diag(row) - torch.outer(row, row) for row in rows]
    return torch.stack(found).view(*weights.shape, -1)


@exercise.variant
def two_cases_by_where(weights):
    keys = torch.arange(weights.shape[-1], device=weights.device)
    w_i, w_j = weights[..., None], weights[..., None, :]
    return torch.where(keys[:, None] == keys, w_i * (1 - w_j), -w_i * w_j)
