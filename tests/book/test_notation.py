"""Every symbol of a formula, in the book and in the notebooks, is on the page of notation."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTATION = ROOT / "book" / "notation.md"
TEXTS = sorted([*(ROOT / "book").glob("[0-9]*.md"), *(ROOT / "solutions").glob("[0-9]*/*.md")])

FENCED = re.compile(r"^(`{3,})\{code-cell\}.*?^\1$", re.MULTILINE | re.DOTALL)
MATHS = re.compile(r"\$\$(.+?)\$\$|(?<![\\$`])\$([^$`]+?)\$(?![$0-9])", re.DOTALL)
ENVIRONMENT = re.compile(r"\\(?:begin|end)\{\w+\}|\\\\\[[\d.]+ex\]")
WORD = re.compile(r"\\(?:text|operatorname|mathrm)\{([^}]*)\}")
# Functions that a reader knows, and what sets a formula; no letter of them is a symbol.
KNOWN = re.compile(
    r"\\(?:exp|ln|log|sin|cos|tanh|max|min|sum|sqrt|d?t?frac|partial|infty|top|left|right|lVert"
    r"|rVert|lceil|rceil|lfloor|rfloor|in|le|ge|ll|gg|ne|neq|approx|to|mid|dots|cdot|cdots|times"
    r"|odot|pm|quad|qquad|q)(?![A-Za-z])|\\[^A-Za-z]|(?<![A-Za-z\\])e(?=\^)"
)
SYMBOL = re.compile(r"(\\?[A-Za-z]+|<[^>]*>)('?)(\^\{\(\w\)\})?(?:_(\{[^{}]*\}|[A-Za-z0-9]))?")
INDICES = set("ijlmnrt")  # which one of them, not what
WORDS = {"softmax", "attention", "score", "entropy", "ReLU", "norm", "table", "heads", "memory"}
WORDS |= {"SelfAttention", "CrossAttention", "NaN", "for all ", "AB", "AC", "BA", "BC", "CA", "CB"}


@pytest.mark.parametrize("text", TEXTS, ids=lambda path: path.stem)
def test_no_formula_has_a_symbol_that_is_not_on_the_page_of_notation(text):
    defined = symbols(NOTATION.read_text()) | {"e"}
    unknown = symbols(text.read_text()) - defined
    assert not unknown, f"{text.name}: {', '.join(sorted(unknown))}"


def test_a_symbol_is_found_with_what_it_is_of_and_without_which_one():
    assert symbols(r"$d_k + d_{\text{model}} + W_q^{(a)}$") == {"d_k", "d_model", "W_q", "a"}
    assert symbols(r"$$\frac{e^{S_{ij}}}{\sum_{l=1}^{m} e^{S_{il}}}$$") == {"S", "m", "i", "j", "l"}
    assert symbols(r"$\operatorname{softmax}(h'_{i-1}) \le \sqrt{2} x$") == {"h'", "i", "x"}


def test_a_symbol_that_nobody_explains_is_found():
    assert symbols(r"costs $4 n^2 d$") - symbols(NOTATION.read_text()) == {"d"}


def symbols(text):
    """Letters with their descriptive subscripts; indices stand for themselves."""
    found = set()
    for displayed, inline in MATHS.findall(FENCED.sub("", text)):
        found |= of_formula(displayed or inline)
    return found


def of_formula(formula):
    plain = WORD.sub(r"<\1>", ENVIRONMENT.sub(" ", formula))
    found = set()
    for name, prime, head, subscript in SYMBOL.findall(KNOWN.sub(" ", plain)):
        letters = [name] if name[0] in "\\<" else list(name)
        *before, last = [letter.strip("<>") for letter in letters]
        of, which = parts(subscript.strip("{}"))
        found |= {*before, last + prime + of, *which, *filter(str.isalpha, head)}
    return {name for name in found if name not in WORDS and name not in names_of(WORDS)}


def parts(subscript):
    """What a subscript says: of what (`k` in d_k, `model`), and which one (`i` and `j` in S_ij)."""
    which = set(re.findall(r"[A-Za-z]", subscript))
    if which <= INDICES:
        return "", which
    return "_" + subscript.strip("<>"), set()


def names_of(words):
    return {f"{word}_{of}" for word in words for of in ("1", "2", "3")} | {
        f"S_{word}" for word in words
    }
