"""Known mistakes of `attention_by_chunks`."""

import math

import torch
from torch import Tensor

from .attention_by_chunks import exercise
from .attention_by_chunks_masks import Chunks


@exercise.misconception(
    "The numbers are right, but the scores of all pairs exist at once. Which is the largest "
    "tensor if only the keys of one chunk are multiplied?"
)
def computes_all_scores(query, key, value, chunk, causal):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    if causal:
        ones = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device)
        scores = scores.masked_fill(~ones.tril(), -math.inf)
    return scores.softmax(-1) @ value, scores.logsumexp(-1)


@exercise.misconception(
    "The numbers are right, and each tensor is small, but the scores of all chunks are held at "
    "once. What has to be left of a chunk when the next one comes?"
)
def keeps_the_scores_of_all_chunks(query, key, value, chunk, causal):
    scores = [query @ part.mT / math.sqrt(query.size(-1)) for part in key.split(chunk, dim=-2)]
    if causal:
        ones = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool, device=query.device)
        masks = ones.tril().split(chunk, dim=-1)
        scores = [s.masked_fill(~mask, -math.inf) for s, mask in zip(scores, masks, strict=True)]
    log_sum = torch.stack([s.logsumexp(-1) for s in scores]).logsumexp(0)
    pairs = zip(scores, value.split(chunk, dim=-2), strict=True)
    return sum((s - log_sum[..., None]).exp() @ part for s, part in pairs), log_sum


@exercise.misconception(
    "The numbers are right, but a product is written out, each query times each key of a chunk "
    "times each feature, and summed afterwards. Which operation sums as it multiplies?"
)
def writes_a_product_out(query, key, value, chunk, causal):
    class Written(Chunks):
        def add(self, scores, value):
            _ = scores[..., None] * value[..., None, :, :]
            super().add(scores, value)

    return Written(query, key, value, chunk, causal).run()


@exercise.misconception(
    "The last keys are missing where `chunk` does not divide their number. What does `keys // "
    "chunk` leave over?"
)
def drops_the_ragged_end(query, key, value, chunk, causal):
    class Whole(Chunks):
        def starts(self):
            return range(0, max(self.key.size(-2) // self.chunk, 1) * self.chunk, self.chunk)

    return Whole(query, key, value, chunk, causal).run()


@exercise.misconception(
    "Only chunks that are full are looked at. The keys that are left over count for nothing, and"
    " if `chunk` is larger than the number of keys, nobody sees any. Where does your loop end?"
)
def takes_full_chunks_only(query, key, value, chunk, causal):
    class Full(Chunks):
        def starts(self):
            return range(0, self.key.size(-2) - self.chunk + 1, self.chunk)

    return Full(query, key, value, chunk, causal).run()


@exercise.misconception(
    "What was summed up so far stays as it is when a larger score comes. Against which maximum "
    "was it measured?"
)
def never_corrects_what_was_summed(query, key, value, chunk, causal):
    class Uncorrected(Chunks):
        maximum: Tensor
        total: Tensor
        summed: Tensor

        def add(self, scores, value):
            new = torch.maximum(self.maximum, scores.amax(-1))
            shares = (scores - new[..., None]).exp()
            self.total, self.summed = self.total + shares.sum(-1), self.summed + shares @ value
            self.maximum = new

    return Uncorrected(query, key, value, chunk, causal).run()


@exercise.misconception(
    "The total is corrected when a larger score comes, and the sum of values is not. Both are "
    "measured against the same maximum."
)
def corrects_the_total_only(query, key, value, chunk, causal):
    class Half(Chunks):
        summed: Tensor

        def add(self, scores, value):
            before = self.summed
            super().add(scores, value)
            shares = (scores - self.maximum[..., None]).exp()
            self.summed = before + shares @ value

    return Half(query, key, value, chunk, causal).run()


@exercise.misconception(
    "You take the softmax of each chunk by itself and add the results up. The weights of a row "
    "sum to 1 over all its keys, not over those of a chunk."
)
def adds_softmaxes(query, key, value, chunk, causal):
    whole = Chunks(query, key, value, chunk, causal)
    output = sum(
        whole.scores(start).softmax(-1).nan_to_num() @ value[..., start : start + chunk, :]
        for start in whole.starts()
    )
    sums = torch.stack([whole.scores(start).logsumexp(-1) for start in whole.starts()])
    return output, sums.logsumexp(0)


@exercise.misconception(
    "You average the outputs of the chunks, each with the same share. What if nearly all "
    "weight is in one of them?"
)
def averages_the_chunks(query, key, value, chunk, causal):
    whole = Chunks(query, key, value, chunk, causal)
    outputs = [
        whole.scores(start).softmax(-1).nan_to_num() @ value[..., start : start + chunk, :]
        for start in whole.starts()
    ]
    sums = torch.stack([whole.scores(start).logsumexp(-1) for start in whole.starts()])
    return sum(outputs) / len(outputs), sums.logsumexp(0)


@exercise.misconception(
    "You stack the outputs of all chunks and take their mean. A chunk that has little of a row's "
    "weight should count little, and the stack grows with the number of chunks."
)
def averages_a_stack_of_chunks(query, key, value, chunk, causal):
    whole = Chunks(query, key, value, chunk, causal)
    outputs = [
        whole.scores(start).softmax(-1).nan_to_num() @ value[..., start : start + chunk, :]
        for start in whole.starts()
    ]
    sums = torch.stack([whole.scores(start).logsumexp(-1) for start in whole.starts()])
    return torch.stack(outputs).mean(0), sums.logsumexp(0)


@exercise.misconception("The scores are not divided by the root of d_k.")
def forgets_the_root(query, key, value, chunk, causal):
    class Plain(Chunks):
        def root(self):
            return 1.0

    return Plain(query, key, value, chunk, causal).run()


@exercise.misconception(
    "The scores are divided by the root of d_v. A score is a product of a query and a key: how "
    "many numbers does it sum?"
)
def divides_by_the_root_of_d_v(query, key, value, chunk, causal):
    class OfValues(Chunks):
        def root(self):
            return math.sqrt(self.value.size(-1))

    return OfValues(query, key, value, chunk, causal).run()


@exercise.misconception(
    "Exponentials are taken of the scores themselves. They are infinite from 89 on: what has "
    "to be subtracted first, and corrected later?"
)
def overflows(query, key, value, chunk, causal):
    class Plain(Chunks):
        maximum: Tensor
        total: Tensor
        summed: Tensor

        def add(self, scores, value):
            shares = scores.exp()
            self.total, self.summed = self.total + shares.sum(-1), self.summed + shares @ value
            self.maximum = torch.zeros_like(self.maximum)

    return Plain(query, key, value, chunk, causal).run()


@exercise.misconception(
    "The output is right, and `log_sum` lacks the maximum. The total is a sum of exponentials "
    "that were measured against it."
)
def leaves_the_maximum_out_of_log_sum(query, key, value, chunk, causal):
    whole = Chunks(query, key, value, chunk, causal)
    output, log_sum = whole.run()
    return output, log_sum - whole.maximum


@exercise.misconception(
    "The second result is the total, or the largest score, or their product. Asked for is the "
    "logarithm of a sum of exponentials."
)
def returns_the_total(query, key, value, chunk, causal):
    whole = Chunks(query, key, value, chunk, causal)
    return whole.run()[0], whole.total


@exercise.misconception("You return the sum of the values without the division at the end.")
def forgets_to_divide(query, key, value, chunk, causal):
    whole = Chunks(query, key, value, chunk, causal)
    _, log_sum = whole.run()
    return whole.summed, log_sum


@exercise.misconception("The scores are divided by d_k itself, not by its root.")
def divides_by_d_k(query, key, value, chunk, causal):
    class NoRoot(Chunks):
        def root(self):
            return float(self.query.size(-1))

    return NoRoot(query, key, value, chunk, causal).run()


@exercise.misconception(
    "You subtract one maximum for the whole batch. Where all scores of a query are far below it, "
    "all exponentials are 0: each query needs the maximum of its own scores."
)
def shares_a_maximum(query, key, value, chunk, causal):
    class Shared(Chunks):
        maximum: torch.Tensor
        total: torch.Tensor
        summed: torch.Tensor

        def add(self, scores, value):
            new = torch.maximum(self.maximum, scores.amax(-1).amax(0, keepdim=True))
            fade, shares = (self.maximum - new).exp(), (scores - new[..., None]).exp()
            self.total = self.total * fade + shares.sum(-1)
            self.summed = self.summed * fade[..., None] + shares @ value
            self.maximum = new

    return Shared(query, key, value, chunk, causal).run()


@exercise.misconception(
    "You return what the last chunk gives. What was summed up before it has to be kept and merged."
)
def keeps_the_last_chunk(query, key, value, chunk, causal):
    start = (key.size(-2) - 1) // chunk * chunk
    last = Chunks(query, key, value, chunk, causal)
    scores = last.scores(start)
    return scores.softmax(-1).nan_to_num() @ value[..., start:, :], scores.logsumexp(-1)
