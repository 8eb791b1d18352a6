"""Known mistakes of `rank_one_residual`."""

import torch

from .rank_one_residual import exercise


def widened(x):
    return x.to(torch.promote_types(x.dtype, torch.float32))


def size(x):
    return x.square().sum(dim=(-2, -1)).sqrt()


def share(part, whole):
    return part / whole.masked_fill(whole == 0, 1.0)


def centred(x):
    return x - x.mean(dim=-2, keepdim=True)


@exercise.misconception(
    "You take from each token the mean of its own features. Which axis holds the tokens that are "
    "to be compared?"
)
def mean_of_each_token(x):
    wide = widened(x)
    return share(size(wide - wide.mean(dim=-1, keepdim=True)), size(wide)).to(x.dtype)


@exercise.misconception(
    "You take one number from everything: the mean of all entries. The mean token has a number for "
    "each feature. Along which axis does it average?"
)
def mean_of_all_entries(x):
    wide = widened(x)
    return share(size(wide - wide.mean(dim=(-2, -1), keepdim=True)), size(wide)).to(x.dtype)


@exercise.misconception(
    "You return the size of what is left. If all tokens are twice as long, are they less alike? "
    "Divide by the size of x."
)
def not_as_a_share(x):
    return size(centred(widened(x))).to(x.dtype)


@exercise.misconception(
    "Your result is the square of the distance. A size is the root of a sum of squares."
)
def forgets_the_roots(x):
    return share(size(centred(widened(x))), size(widened(x))).square().to(x.dtype)


@exercise.misconception(
    "You return one number for all sequences together. Which axes may the sums of squares run over?"
)
def over_the_whole_batch(x):
    wide = widened(x)
    return share(centred(wide).square().sum().sqrt(), wide.square().sum().sqrt()).to(x.dtype)


@exercise.misconception(
    "The sizes are right, but the mean token is that of the whole batch. Each sequence has a mean "
    "token of its own."
)
def mean_token_of_the_batch(x):
    wide = widened(x)
    mean = wide.reshape(-1, x.size(-1)).mean(dim=0)
    return share(size(wide - mean), size(wide)).to(x.dtype)


@exercise.misconception(
    "A sequence of zeros gives NaN: 0 / 0. Which number may stand in for the denominator there?"
)
def zero_over_zero(x):
    wide = widened(x)
    return (size(centred(wide)) / size(wide)).to(x.dtype)


@exercise.misconception(
    "Squares of float16 are made in float16: above 255 they are infinite, and below 0.0002 they "
    "are 0. In which dtype can they be computed?"
)
def squares_in_half_precision(x):
    return share(size(centred(x)), size(x))


@exercise.misconception(
    "You compute in the dtype of x. The mean of two neighbours in float16 is rounded to one of "
    "them, and sizes above 65,504 are infinite. In which dtype can all of it be computed?"
)
def sizes_in_half_precision(x):
    rest, whole = (part.norm(dim=(-2, -1)) for part in (centred(x), x))
    return share(rest, whole)


@exercise.misconception(
    "Nearly equal tokens are wrong in float16: the mean of two neighbours lies between them, and "
    "there is no such number. In which dtype do you take the mean, or subtract it?"
)
def mean_in_half_precision(x):
    wide = widened(x)
    rest = wide - widened(x.mean(dim=-2, keepdim=True))
    return share(size(rest), size(wide)).to(x.dtype)


@exercise.misconception(
    "You subtract one sum of squares from another. Where tokens are nearly equal, only rounding is "
    "left of the difference. What is small already before it is squared?"
)
def difference_of_squares(x):
    wide = widened(x)
    rest = size(wide).square() - x.size(-2) * wide.mean(dim=-2).square().sum(dim=-1)
    return share(rest.clamp(min=0).sqrt(), size(wide)).to(x.dtype)


@exercise.misconception(
    "What is left is a difference of two sums of squares, both large, and of nearly equal tokens "
    "it keeps no digit. Subtract the mean token before anything is squared."
)
def difference_of_sums(x):
    wide = widened(x)
    whole = wide.square().sum(dim=(-2, -1))
    rest = whole - x.size(-2) * wide.mean(dim=-2).square().sum(dim=-1)
    return share(rest.clamp(min=0), whole).sqrt().to(x.dtype)


@exercise.misconception("You compute in float32 and return it. Asked for is the caller's dtype.")
def returns_float32(x):
    return share(size(centred(x.float())), size(x.float()))


@exercise.misconception(
    "You compare each token with its own size and average that. Asked for is the size of all that "
    "is left over the size of all of x."
)
def mean_over_the_tokens(x):
    wide = widened(x)
    rest, whole = (part.square().sum(dim=-1).sqrt() for part in (centred(wide), wide))
    return share(rest, whole).mean(dim=-1).to(x.dtype)


@exercise.misconception(
    "You take the distance from the nearest matrix of rank one, by singular values. Its rows may "
    "be multiples of one another. Here all rows have to be the same token."
)
def nearest_of_rank_one(x):
    wide = widened(x)
    values = torch.linalg.svdvals(wide)
    rest = share(values[..., 1:].square().sum(dim=-1).sqrt(), size(wide))
    return rest.masked_fill(rest < 1e-6, 0).to(x.dtype)  # what is left is rounding


@exercise.misconception(
    "Your sizes are largest singular values (`ord=2`). Asked for is the root of the sum of the "
    "squares of all entries."
)
def spectral_norms(x):
    wide = widened(x)
    rest, whole = (torch.linalg.matrix_norm(part, ord=2) for part in (centred(wide), wide))
    return share(rest, whole).to(x.dtype)


@exercise.misconception(
    "Your sizes are sums of magnitudes. Asked for are roots of sums of squares."
)
def sums_of_magnitudes(x):
    wide = widened(x)
    rest, whole = (part.abs().sum(dim=(-2, -1)) for part in (centred(wide), wide))
    return share(rest, whole).to(x.dtype)


@exercise.misconception(
    "You take the first token from all of them. The row that is nearest to all tokens together is "
    "their mean."
)
def from_the_first_token(x):
    wide = widened(x)
    return share(size(wide - wide[..., :1, :]), size(wide)).to(x.dtype)


@exercise.misconception(
    "You divide by the size of the mean tokens. Asked for is the size of x, so that the result is "
    "1 at most."
)
def over_the_size_of_the_mean(x):
    wide = widened(x)
    mean = wide.mean(dim=-2, keepdim=True).expand_as(wide)
    return share(size(centred(wide)), size(mean)).to(x.dtype)


@exercise.misconception(
    "Your distance is too large by the root of n / (n - 1), for n tokens. If it comes from `var` "
    "or `std`: they divide by n - 1 unless you pass `correction=0`."
)
def divides_by_one_less(x):
    wide = widened(x)
    more = (x.size(-2) / max(x.size(-2) - 1, 1)) ** 0.5
    return (more * share(size(centred(wide)), size(wide))).to(x.dtype)


@exercise.misconception(
    "You return a number for each token. Asked for is one for each sequence: which axes may the "
    "sums of squares run over?"
)
def a_number_for_each_token(x):
    rest, whole = (part.square().sum(dim=-1).sqrt() for part in (centred(widened(x)), widened(x)))
    return share(rest, whole).to(x.dtype)


@exercise.misconception("You change the caller's x. What does `-=` do to a tensor?")
def changes_x(x):
    whole = size(widened(x))
    x -= x.mean(dim=-2, keepdim=True)
    return share(size(widened(x)), whole).to(x.dtype)


@exercise.misconception(
    "What you add to the denominator is not small beside small tokens. Only a denominator that is "
    "exactly 0 needs help."
)
def adds_to_the_denominator(x):
    wide = widened(x)
    return (size(centred(wide)) / (size(wide) + 1e-6)).to(x.dtype)
