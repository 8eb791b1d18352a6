"""Answers to the warm-ups that are right, and written as other people write."""

VARIANTS = {
    "blend": [
        """
def blend(exp_scores, values):
    result = 0
    for i in range(len(values)):
        result += exp_scores[i] * values[i]
    return result / sum(exp_scores)
""",
        """
from fractions import Fraction
blend = lambda e, v: sum(Fraction(a) * Fraction(b) for a, b in zip(e, v)) / Fraction(sum(e))
""",
    ],
    "score_row": [
        """
def score_row(query, keys):
    return tuple(sum(map(lambda q, k: q * k, query, key)) for key in keys)
""",
        """
def score_row(query, keys):
    scores = []
    for key in keys:
        scores.append(0)
        for i in range(len(query)):
            scores[-1] += query[i] * key[i]
    return scores
""",
    ],
    "scaled_row": [
        """
import math
def scaled_row(scores, d_k):
    m = max(scores)
    e = [math.exp((s - m) * d_k ** -0.5) for s in scores]
    return [x / sum(e) for x in e]
""",
        """
from math import exp, sqrt
def scaled_row(scores, d_k):
    s = [x / sqrt(d_k) for x in scores]
    return [1 / sum(exp(min(other - one, 700)) for other in s) for one in s]
""",
    ],
    "masked_row": [
        """
import math
def masked_row(scores, mask):
    seen = [s for s, m in zip(scores, mask) if m]
    if not seen:
        return [0] * len(scores)
    total = sum(math.exp(s - max(seen)) for s in seen)
    return [math.exp(s - max(seen)) / total if m else 0 for s, m in zip(scores, mask)]
""",
        """
import math
def masked_row(scores, mask):
    shares = [math.exp(s) if m else 0.0 for s, m in zip(scores, mask)]
    total = sum(shares)
    return [s / total if total > 0 else 0.0 for s in shares]
""",
    ],
    "attend_by_head": [
        """
def attend_by_head(weights, values):
    h, d = len(weights), len(values[0])
    return [
        sum(weights[j * h // d][k] * values[k][j] for k in range(len(values))) for j in range(d)
    ]
""",
        """
def attend_by_head(weights, values):
    d_k = len(values[0]) // len(weights)
    output = []
    for head, row in enumerate(weights):
        part = [0] * d_k
        for w, value in zip(row, values):
            mine = value[head * d_k:(head + 1) * d_k]
            part = [p + w * x for p, x in zip(part, mine)]
        output += part
    return output
""",
    ],
    "ask_memory": [
        """
def ask_memory(exp_scores, values, real):
    keep = [i for i, r in enumerate(real) if r]
    return [sum(row[i] * values[i] for i in keep) / sum(row[i] for i in keep) for row in exp_scores]
""",
        """
def ask_memory(exp_scores, values, real):
    answers = []
    for row in exp_scores:
        row = [e if r else 0 for e, r in zip(row, real)]
        weights = [e / sum(row) for e in row]
        answers.append(sum(w * v for w, v in zip(weights, values)))
    return answers
""",
    ],
    "normalise": [
        """
from statistics import fmean, pvariance
def normalise(features, eps):
    mean, scale = fmean(features), (pvariance(features) + eps) ** -0.5
    return tuple((x - mean) * scale for x in features)
""",
        """
def normalise(features, eps):
    n = len(features)
    mean = sum(features) / n
    spread = 0
    for x in features:
        spread += (x - mean) ** 2 / n
    return [(x - mean) / (spread + eps) ** 0.5 for x in features]
""",
    ],
    "turned_score": [
        """
import cmath
def turned_score(query, key, back, speeds):
    q, k = ([complex(*v[i:i + 2]) for i in range(0, len(v), 2)] for v in (query, key))
    ahead = [cmath.exp(1j * back * s) for s in speeds]
    return sum((a * b * c.conjugate()).real for a, b, c in zip(ahead, q, k))
""",
        """
from math import cos, sin
def turned_score(query, key, back, speeds):
    score = 0
    for r, speed in enumerate(speeds):
        a, b = query[2 * r:2 * r + 2]
        c, d = key[2 * r:2 * r + 2]
        score += (a * c + b * d) * cos(back * speed) + (a * d - b * c) * sin(back * speed)
    return score
""",
    ],
    "merge_pair": [
        """
def merge_pair(tokens, pair, new):
    found, at = [], 0
    while at < len(tokens):
        if tokens[at:at + 2] == pair:
            found.append(new)
            at += 2
        else:
            found.append(tokens[at])
            at += 1
    return found
""",
        """
def merge_pair(tokens, pair, new):
    left, right = pair
    tokens = tokens[:]
    for at in range(len(tokens)):
        if (tokens[at:at + 1], tokens[at + 1:at + 2]) == ([left], [right]):
            tokens[at:at + 2] = [new]
    return tuple(tokens)
""",
    ],
    "add_key": [
        """
import math
def add_key(state, score, value):
    m, l, o = state
    if score == -math.inf:
        return m, l, o
    if score > m:
        scale = math.exp(m - score)
        return score, l * scale + 1, o * scale + value
    share = math.exp(score - m)
    return m, l + share, o + share * value
""",
        """
import math
def add_key(state, score, value):
    largest = max(state[0], score)
    base = 0 if largest == -math.inf else largest
    scales = [math.exp(one - base) for one in (state[0], score)]
    return [largest] + [scales[0] * old + scales[1] * new
                        for old, new in zip(state[1:], (1, value))]
""",
    ],
    "nucleus": [
        """
def nucleus(probs, top_p):
    left = dict(enumerate(probs))
    kept = []
    total = 0.0
    while total < top_p and left:
        best = max(left, key=left.get)
        kept.append(best)
        total += left.pop(best)
    return kept
""",
        """
import itertools
def nucleus(probs, top_p):
    pairs = sorted(zip(probs, range(len(probs))), reverse=True)
    sums = list(itertools.accumulate(p for p, _ in pairs))
    count = 1 + sum(total < top_p for total in sums[:-1])
    return tuple(token for _, token in pairs[:count])
""",
    ],
    "prefix_gaps": [
        """
def prefix_gaps(whole, prefix):
    gaps = []
    for i in range(len(prefix)):
        larger, smaller = max(whole[i], prefix[i]), min(whole[i], prefix[i])
        gaps.append(0.0 if larger == smaller else larger - smaller)
    return gaps
""",
        """
import math
def prefix_gaps(whole, prefix):
    gaps = [abs(a - b) for a, b in zip(whole, prefix)]
    return [0 if math.isnan(gap) else gap for gap in gaps]
""",
    ],
    "delta_write": [
        """
def delta_write(state, key, value, beta):
    written = [row[:] for row in state]
    for j in range(len(value)):
        returned = 0
        for i in range(len(key)):
            returned += key[i] * state[i][j]
        for i in range(len(key)):
            written[i][j] += beta * key[i] * (value[j] - returned)
    return written
""",
        """
def delta_write(state, key, value, beta):
    n = len(key)
    erase = [[(i == j) - beta * key[i] * key[j] for j in range(n)] for i in range(n)]
    return [tuple(sum(e * row[c] for e, row in zip(erase[i], state)) + beta * key[i] * value[c]
                  for c in range(len(value))) for i in range(n)]
""",
    ],
}
