"""Merges of two pieces: the right one, some lines of which are others."""

from autograder.spec import Case
from autograder.specimen import Specimen

RIGHT = {
    "start": "pass",
    "m": "m = torch.maximum(m1, m2)",
    "safe": "safe = m.masked_fill(m == -math.inf, 0.0)",
    "factors": "a, b = (m1 - safe).exp(), (m2 - safe).exp()",
    "total": "total = l1 * a + l2 * b",
    "summed": "summed = o1 * a[:, None] + o2 * b[:, None]",
    "end": "pass",
}
CLOSED = "a, b = a.masked_fill(m1 == -math.inf, 0.0), b.masked_fill(m2 == -math.inf, 0.0)"


def specimen(name, **lines):
    """A merge: the right one, some lines of which are others."""
    source = "\n    ".join([*(RIGHT | lines).values(), "return m, total, summed"])
    return Case(name, {"merge": Specimen(f"def merge(m1, l1, o1, m2, l2, o2):\n    {source}\n")})


def against(part):
    """Everything is measured against one part, and brought to the common maximum afterwards."""
    apart = "(m2 - m1)" if part == 1 else "(m1 - m2)"
    grown = f"grown = {apart}.masked_fill((l1 == 0) | (l2 == 0), 0.0).exp()"
    own = "1 + 0 * grown"
    a, b = (own, "grown") if part == 1 else ("grown", own)
    back = f"back = torch.where((l1 == 0) | (l2 == 0), 1.0, (m{part} - safe).exp())"
    return {"factors": f"{grown}; {back}; a, b = back * ({a}), back * ({b})"}
