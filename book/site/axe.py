"""What axe finds that keeps a reader out of an open page, in the light and in the dark theme."""

from typing import Any

from serve import HTML

NODE_MODULES = HTML.parents[2] / "npm" / "node_modules"
AXE = NODE_MODULES / "axe-core" / "axe.min.js"
COLORS: dict[str, Any] = {"runOnly": ["color-contrast", "link-in-text-block"]}
# axe's default rules, and its experimental rule on labels in names (WCAG 2.5.3).
RULES: dict[str, Any] = {"rules": {"label-content-name-mismatch": {"enabled": True}}}
THEMES: dict[str, dict[str, Any]] = {
    "light": {},
    "dark": COLORS,  # a theme changes colours only
}
SHOW = """async theme => {
  document.documentElement.dataset.theme = theme;
  const changes = document.getAnimations().filter(one => one instanceof CSSTransition);
  const enough = new Promise(done => setTimeout(done, 1000)); // out of sight nothing moves
  await Promise.race([Promise.allSettled(changes.map(one => one.finished)), enough]);
}"""
# Without the insides of formulas: assistive technology does not see them, and they are most of a
# page's nodes, each of which would cost. In a listing, one token of each kind: the next one of that
# kind has its colours, and becomes text of the same width.
RUN = """async ([part, options]) => {
  const shortened = [...document.querySelectorAll('.katex, .highlight pre')]
    .map(one => [one, [...one.childNodes]]);
  for (const [one, inside] of shortened) {
    const kinds = new Set();
    const isFirst = token => !kinds.has(token.className) && kinds.add(token.className);
    const tokens = () => inside.map(token => (isFirst(token) ? token : token.textContent));
    one.replaceChildren(...(one.matches('pre') ? tokens() : ['x']));
  }
  try {
    return await axe.run(part, {resultTypes: ['violations'], ...options});
  } finally {
    for (const [one, inside] of shortened) one.replaceChildren(...inside);
  }
}"""


def show(page: Any, theme: str) -> None:
    """Switch the open page to the theme, and wait until its colours have changed."""
    page.evaluate(SHOW, theme)


def faults(page: Any, part: str = "html") -> list[str]:
    """A sentence for each place in that part of the page where axe finds a fault, by theme."""
    found = []
    for theme, options in THEMES.items():
        show(page, theme)
        found += [f"{theme}: {fault}" for fault in violations(page, part, options)]
    return found


def violations(page: Any, part: str = "html", options: dict[str, Any] | None = None) -> list[str]:
    """The same of the page as it is shown."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    found = page.evaluate(RUN, [part, options or RULES])["violations"]
    return [
        f"{fault['id']}: {node['target']} {node['failureSummary']}"
        for fault in found
        for node in fault["nodes"]
    ]
