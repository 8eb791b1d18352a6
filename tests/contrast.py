"""Whether what a reader has to see stands out from the page, as WCAG 1.4.11 has it."""

GRAPHIC = 3  # the contrast that a control or a line needs
SEEN = """([what, part]) => {
  const drawing = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (color) => {
    drawing.fillStyle = color;
    drawing.fillRect(0, 0, 1, 1);
    return [...drawing.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const page = getComputedStyle(document.body).backgroundColor;
  const drawn = (style) => {
    const line = /^(border[A-Z][a-z]+|outline)Color$/.exec(part)?.[1];
    return !line || (style[`${line}Style`] !== "none" && parseFloat(style[`${line}Width`]) >= 1);
  };
  return [...document.querySelectorAll(what)].filter((one) => one.checkVisibility())
    .map((one) => [one, getComputedStyle(one)])
    .map(([one, style]) => ({
      what: one.outerHTML.slice(0, 120),
      colors: [page, drawn(style) ? style[part] : page].map(rgb),
    }));
}"""


def faint(page, what, part):
    """Elements whose border, outline or color, such as "borderTopColor", is too like the page's.

    A line that is not drawn counts as faint. Some element that `what` selects must be shown.
    """
    found = page.evaluate(SEEN, [what, part])
    assert found, f"{what} is not on the page"
    return [one["what"] for one in found if _contrast(*one["colors"]) < GRAPHIC]


def _luminance(color):
    """Of an sRGB color, as WCAG defines it."""
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
              for c in (part / 255 for part in color)]  # fmt: skip
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _contrast(one, other):
    darker, lighter = sorted([_luminance(one), _luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)
