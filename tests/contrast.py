"""Whether what a reader has to see stands out from the page, as WCAG 1.4.11 has it."""

GRAPHIC = 3  # the contrast that a control or a line needs
COLORS = """([what, part]) => {
  const drawing = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (color) => {
    drawing.fillStyle = color;
    drawing.fillRect(0, 0, 1, 1);
    return [...drawing.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const page = getComputedStyle(document.body).backgroundColor;
  return [...document.querySelectorAll(what)].filter((one) => one.checkVisibility())
    .map((one) => [rgb(page), rgb(getComputedStyle(one)[part])]);
}"""


def faint(page, what, part):
    """Colors of a part, such as "borderTopColor", that are too like the page's; shown ones only.

    The elements that `what` selects must be there.
    """
    found = page.evaluate(COLORS, [what, part])
    assert found, f"{what} is not on the page"
    return [pair for pair in found if _contrast(*pair) < GRAPHIC]


def _luminance(color):
    """Of an sRGB color, as WCAG defines it."""
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
              for c in (part / 255 for part in color)]  # fmt: skip
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _contrast(one, other):
    darker, lighter = sorted([_luminance(one), _luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)
