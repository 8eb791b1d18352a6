"""An n-gram model of tokens with interpolated Kneser-Ney smoothing."""

import math
from collections import Counter, defaultdict

from torch import Tensor

Context = tuple[int, ...]


class KneserNey:
    """The longest context counts how often a token followed, shorter ones in how many contexts.

    discount: of the order, from how many n-grams were seen once and twice (Ney, Essen and Kneser).
    """

    def __init__(self, documents: list[Tensor], order: int, vocabulary: int):
        self.order, self.vocabulary = order, vocabulary
        counts = [Counter[Context]() for _ in range(order + 1)]
        for document in documents:
            tokens = document.tolist()
            for end in range(1, len(tokens)):
                first = max(0, end - order + 1)
                counts[end + 1 - first][tuple(tokens[first : end + 1])] += 1
        for size in range(order, 1, -1):  # a shorter one is counted once for each longer one
            for gram in counts[size]:
                counts[size - 1][gram[1:]] += 1
        self.of = [self._by_context(each) for each in counts]
        self.discounts = [self._discount(each) for each in counts]

    @staticmethod
    def _by_context(counts: Counter[Context]) -> dict[Context, tuple[int, dict[int, int]]]:
        after: defaultdict[Context, dict[int, int]] = defaultdict(dict)
        for gram, count in counts.items():
            after[gram[:-1]][gram[-1]] = count
        return {context: (sum(found.values()), found) for context, found in after.items()}

    @staticmethod
    def _discount(counts: Counter[Context]) -> float:
        seen = Counter(counts.values())
        return seen[1] / (seen[1] + 2 * seen[2]) if seen[1] else 0.5

    def probability(self, context: Context, token: int) -> float:
        """Of a token after a context, which is cut to the order."""
        likely = 1 / self.vocabulary
        for size in range(1, min(self.order, len(context) + 1) + 1):
            found = self.of[size].get(context[len(context) + 1 - size :])
            if found is None:
                break
            total, after = found
            discount = self.discounts[size]
            kept = max(after.get(token, 0) - discount, 0.0)
            likely = (kept + discount * len(after) * likely) / total
        return likely

    def bits(self, document: Tensor) -> float:
        tokens = document.tolist()
        return sum(
            -math.log2(self.probability(tuple(tokens[max(0, at - self.order + 1) : at]), token))
            for at, token in enumerate(tokens)
            if at
        )
