"""Pages that are files of their own, as a teacher or a student opens them from a folder."""

import axe


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
    if page.evaluate("document.documentElement.scrollWidth") > width:
        found.append(f"wider than {width} pixels")
    context.close()
    return found
