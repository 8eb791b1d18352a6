"""A source of symbols whose entropy is known exactly: a random Markov chain of order two."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Chain:
    """P(next | before, last) as an array [before, last, next], and its stationary pairs."""

    transition: np.ndarray  # [symbols, symbols, symbols]
    pairs: np.ndarray  # [symbols, symbols], the stationary P(before, last)

    @property
    def symbols(self) -> int:
        return self.pairs.shape[0]

    @property
    def entropy(self) -> float:
        """H(next | before, last) in nats: no causal model can have a lower expected loss."""
        return float(np.sum(self.pairs * entropy_of(self.transition)))

    @property
    def entropy_after_one(self) -> float:
        """H(next | last) in nats: the floor of the first prediction, which sees one symbol."""
        last = self.pairs.sum(axis=1, keepdims=True)  # [symbols, 1]
        return float(np.sum(last[:, 0] * entropy_of(self.pairs / last)))

    def floor(self, length: int) -> float:
        """Mean loss in nats of the best causal predictor over a window of `length` inputs."""
        return (self.entropy_after_one + (length - 1) * self.entropy) / length

    def surprise(self, tokens: np.ndarray) -> np.ndarray:
        """-log P of each symbol from the third on, in nats. tokens: [batch, length]."""
        before, last, following = tokens[:, :-2], tokens[:, 1:-1], tokens[:, 2:]
        return -np.log(self.transition[before, last, following])  # [batch, length - 2]

    def sample(self, batch: int, length: int, rng: np.random.Generator) -> np.ndarray:
        """Stationary sequences, [batch, length]."""
        pair = rng.choice(self.pairs.size, size=batch, p=self.pairs.ravel())
        tokens = np.empty((batch, length), dtype=np.int64)
        tokens[:, 0], tokens[:, 1] = np.divmod(pair, self.symbols)
        cumulative = self.transition.cumsum(axis=-1)
        for step in range(2, length):
            row = cumulative[tokens[:, step - 2], tokens[:, step - 1]]  # [batch, symbols]
            draw = rng.random((batch, 1)) * row[:, -1:]
            tokens[:, step] = (draw > row).sum(axis=-1)
        return tokens


def entropy_of(probabilities: np.ndarray) -> np.ndarray:
    """Entropy in nats along the last axis."""
    return -np.sum(probabilities * np.log(probabilities), axis=-1)


def random_chain(symbols: int, concentration: float, seed: int) -> Chain:
    """Each row of the transition is drawn from a symmetric Dirichlet distribution."""
    rng = np.random.default_rng(seed)
    transition = rng.dirichlet([concentration] * symbols, size=(symbols, symbols))
    transition = np.maximum(transition, 1e-6)  # no impossible symbol: every surprise is finite
    transition /= transition.sum(axis=-1, keepdims=True)
    pairs = np.full((symbols, symbols), symbols**-2.0)
    for _ in range(10_000):  # the pair chain mixes in a few dozen steps
        pairs = np.einsum("ab,abc->bc", pairs, transition)
    return Chain(transition, pairs)
