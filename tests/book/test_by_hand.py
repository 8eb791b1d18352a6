"""Chapter 2: the matrices on the page lead to the output on the page; what counts as a lead."""

import math
import re
from pathlib import Path
from types import SimpleNamespace

import qkv_width
import torch

PAGE = Path(__file__).parents[2] / "book" / "02_qkv.md"
LOG_4 = r"\ln 4"


def matrices():
    """By name, those of the section By hand. Each [3, 3]"""
    section = PAGE.read_text().partition("### By hand")[2].partition("\n### ")[0]
    found = re.findall(r"(?:^|\n)([^\n&]*?)&= [^\n]*?\\begin\{pmatrix\}(.*?)\\end", section)
    return {name.strip(): torch.tensor([[math.log(4) if entry.strip() == LOG_4 else float(entry)
                                         for entry in row.split("&")] for row in rows.split(r"\\")])
            for name, rows in found}  # fmt: skip


def test_the_matrices_printed_by_hand_lead_to_the_weights_and_the_output():
    given = matrices()
    query, key, value = (given["X"] @ given[name] for name in ("W_q", "W_k", "W_v"))
    scores = query @ key.T
    torch.testing.assert_close(scores, given["S = Q K^\\top"])
    torch.testing.assert_close(scores.exp(), given["e^{S}"])
    torch.testing.assert_close(scores.softmax(dim=-1), given["A"] / 6)
    torch.testing.assert_close(scores.softmax(dim=-1) @ value, given["O = A V"])


def test_a_narrow_head_that_is_ahead_of_the_widest_anywhere_is_noticed():
    equal = {f"{short}{kind}_{d_k}": 0.5 for short in qkv_width.TASKS.values()
             for kind in ("", "_same", "_long") for d_k in qkv_width.WIDTHS}  # fmt: skip
    assert qkv_width.narrow_lead(SimpleNamespace(**equal)) == 0
    for ahead in ("recall_2", "cleanup_same_16", "few_long_1"):
        lead = qkv_width.narrow_lead(SimpleNamespace(**equal | {ahead: 0.75}))
        assert lead == 0.25
