"""Pages that are files of their own, as a teacher or a student opens them from a folder."""

import axe

PHONE = 390  # pixels: the least in which a table of numbers has to fit when it is spaced out
# What a reader may set, as WCAG 1.4.12 has it.
SPACES = """* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
  word-spacing: 0.16em !important; }
p { margin-bottom: 2em !important; }"""
CUT = """() => [...document.querySelectorAll("body *")].filter((one) => {
  if (!one.clientHeight || !one.checkVisibility() || one.closest("svg, .katex")) return false;
  const { overflowX, overflowY } = getComputedStyle(one), cuts = /hidden|clip/;
  return (cuts.test(overflowY) && one.scrollHeight > one.clientHeight + 2)
    || (cuts.test(overflowX) && one.scrollWidth > one.clientWidth + 2);
}).map((one) => `cut: ${one.tagName} ${one.className} ${one.textContent.slice(0, 40)}`)"""


def faults(browser, path, scheme, width):
    """What keeps somebody out of the page at `path` with this colour scheme and screen width.

    It may ask for nothing but itself, and be no wider than the screen.
    """
    screen = {"width": width, "height": 800}
    context = browser.new_context(color_scheme=scheme, viewport=screen, offline=True)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    found = axe.violations(page) + [f"asks for {url}" for url in asked if url != path.as_uri()]
    found += _too_wide(page, width)
    page.set_viewport_size({**screen, "width": max(width, PHONE)})
    found += spaced_out(page)
    context.close()
    return found


def spaced_out(page):
    """What is lost of an open page where its reader spaces out lines, words and letters."""
    before = page.evaluate(CUT)
    page.add_style_tag(content=SPACES)
    lost = [one for one in page.evaluate(CUT) if one not in before]
    return lost + _too_wide(page, page.viewport_size["width"])


def _too_wide(page, width):
    wide = page.evaluate("document.documentElement.scrollWidth")
    return [f"{wide} wide on a screen of {width}"] if wide > width else []
