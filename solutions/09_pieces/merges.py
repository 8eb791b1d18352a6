"""Merges of two pieces: the right one, some lines of which are others."""

from autograder.author import Case, Specimen

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


def through_logarithms():
    """Each part as its log-sum and its mean, in float64: right but for rounding."""
    logs = """k1, k2 = (m.double() + l.double().log() for m, l in ((m1, l1), (m2, l2)))
    both = torch.logaddexp(k1, k2)
    share = (k1 - both).exp().nan_to_num(nan=0.0)[:, None]"""
    total = "total = (both - m.double()).exp().nan_to_num(nan=0.0)"
    mean = """pairs = ((o1.double(), l1.double()), (o2.double(), l2.double()))
    mean = [(o / l[:, None]).nan_to_num(nan=0.0) for o, l in pairs]"""
    summed = "summed = (total[:, None] * (share * mean[0] + (1 - share) * mean[1])).to(o1)"
    lines = {"safe": logs, "factors": total, "total": mean, "summed": summed}
    return specimen("through logarithms and back", **lines, end="total = total.to(l1)")


def without_a_correction():
    """One factor or more is 1 where it should not be."""
    yield specimen("nothing is corrected", factors="a, b = 0 * l1 + 1, 0 * l1 + 1")
    for name, n, factor in (("first", 1, "a"), ("second", 2, "b")):
        lost = f"(1 - {factor})"
        end = f"summed = summed + o{n} * {lost}[:, None]; total = total + l{n} * {lost}"
        yield specimen(f"the {name} part is not corrected", end=end)
    yield specimen("sums are not corrected", summed="summed = o1 + o2")
    yield specimen("totals are not corrected", total="total = l1 + l2")


def nan_where_empty(part, only):
    """part: which alone is empty, or "both". only: if it is so for "some" queries, or for "all"."""
    here = {"1": "(l1 == 0) & (l2 > 0)", "2": "(l2 == 0) & (l1 > 0)", "both": "l1 + l2 == 0"}[part]
    none = {"1": "l1 == 0", "2": "l2 == 0", "both": "l1 + l2 == 0"}[part]
    start = f"""here = ({here}) & (({none}).all() == {only == "all"})
    o1 = torch.where(here[:, None], math.nan, o1)"""
    which = "both are" if part == "both" else f"only part {part} is"
    return specimen(f"NaN where {which} empty, for {only} queries", start=start)
