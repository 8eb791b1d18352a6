"""Known mistakes of `attention_by_chunks`."""

import math

import torch
from torch import Tensor

from .attention_by_chunks import exercise
from .attention_by_chunks_masks import Chunks


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
    "The sum of values is corrected when a larger score comes, and the total is not. Both are "
    "measured against the same maximum."
)
def corrects_the_sum_of_values_only(query, key, value, chunk, causal):
    class Half(Chunks):
        total: Tensor

        def add(self, scores, value):
            before = self.total
            super().add(scores, value)
            self.total = before + (scores - self.maximum[..., None]).exp().sum(-1)

    return Half(query, key, value, chunk, causal).run()


@exercise.misconception(
    "What came before is measured against the largest score so far, and a chunk's own exponentials "
    "against the chunk's maximum. What is added has to be measured against one number."
)
def measures_a_chunk_against_its_maximum(query, key, value, chunk, causal):
    class Own(Chunks):
        maximum: Tensor
        total: Tensor
        summed: Tensor

        def add(self, scores, value):
            highest = scores.amax(-1)
            new = torch.maximum(self.maximum, highest)
            fade = (self.maximum - new).exp()
            shares = (scores - highest.clamp(min=-1e30)[..., None]).exp()
            self.total = self.total * fade + shares.sum(-1)
            self.summed = self.summed * fade[..., None] + shares @ value
            self.maximum = new

    return Own(query, key, value, chunk, causal).run()


@exercise.misconception(
    "You divide by the total after each chunk. What was divided before is an average, and the next "
    "chunk's sum is added to it: multiply the average by its old total first, or divide at the end."
)
def divides_after_each_chunk(query, key, value, chunk, causal):
    class Often(Chunks):
        summed: Tensor

        def add(self, scores, value):
            super().add(scores, value)
            self.summed = self.summed / self.total[..., None]

    whole = Often(query, key, value, chunk, causal)
    _, log_sum = whole.run()
    return whole.summed, log_sum


@exercise.misconception(
    "The largest score begins at 0 instead of minus infinity. Where all scores of a query are "
    "far below 0, all exponentials are 0, and 0 / 0 is NaN."
)
def starts_the_maximum_at_0(query, key, value, chunk, causal):
    whole = Chunks(query, key, value, chunk, causal)
    whole.maximum = torch.zeros_like(whole.maximum)
    return whole.run()


@exercise.misconception(
    "Each chunk's output is divided by its own total and then merged as if it were a sum. What was "
    "divided is an average: merge the sums, and divide once at the end."
)
def merges_averages_as_sums(query, key, value, chunk, causal):
    class Averages(Chunks):
        summed: Tensor

        def add(self, scores, value):
            before = self.maximum, self.summed
            super().add(scores, value)
            fade = (before[0] - self.maximum).exp()
            share = (scores.amax(-1) - self.maximum).exp()
            average = scores.softmax(-1) @ value
            self.summed = before[1] * fade[..., None] + average * share[..., None]

    return Averages(query, key, value, chunk, causal).run()
