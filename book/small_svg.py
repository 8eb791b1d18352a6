"""matplotlib's axes as a small SVG, for the inside of a page.

Text is text, lines and markers of a kind are one path, numbers have one decimal, the colours of
colors.css go by their names, and there is no id that could stand twice in a page.
"""

import re
from collections.abc import Iterable
from html import escape
from typing import Any

import numpy as np
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_hex
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Bbox, Transform

PER_POINT = 96 / 72  # pixels; one unit of the SVG is a pixel of CSS
LETTER, CLOSE = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C"}, "z"
ANCHORS = {"center": 0.5, "right": 1.0}
FONT_SIZE, RGBA, SLACK = 12, 4, 0.01  # pixels, as the page sets; parts of a colour
SUBSCRIPT = re.compile(r"\b([A-Za-z])_([a-z]+)")
SEAM = 0.6  # pixels
Attributes = dict[str, str]


class SmallSVG(RendererBase):
    """Draws what lies in `box`, in pixels of the figure; `names` is what stands for a colour."""

    def __init__(self, box: Bbox, measure: RendererAgg, names: dict[str, str]) -> None:
        super().__init__()
        self._box, self._measure, self._names = box, measure, names
        self._parts: list[tuple[str, Attributes, str]] = []  # window, attributes, path

    def content(self) -> str:
        """What was drawn, from the back to the front."""
        found, open_window = "", ""
        for window, attributes, data in [*self._parts, ("", {}, "")]:
            if window != open_window:
                found += ("</svg>" if open_window else "") + window
                open_window = window
            found += f"<path{_written(attributes)} d='{data}'/>" if attributes else data
        return found.replace("'", '"')

    def draw_path(
        self,
        gc: GraphicsContextBase,
        path: Path,
        transform: Transform,
        rgbFace: Any = None,  # noqa: N803  (the names are matplotlib's)
    ) -> None:
        inside, reach = gc.get_clip_rectangle(), path.get_extents(transform)
        window = "" if inside is None or _within(reach, inside) else self._window(inside)
        self._add(window, self._look(gc, rgbFace), self._data(path, transform))

    def draw_markers(
        self,
        gc: GraphicsContextBase,
        marker_path: Path,
        marker_trans: Transform,
        path: Path,
        trans: Transform,
        rgbFace: Any = None,  # noqa: N803
    ) -> None:
        shape = _shape(marker_path.transformed(marker_trans))
        places = trans.transform(path.vertices)
        places = places[np.isfinite(places).all(axis=1)]
        if (inside := gc.get_clip_rectangle()) is not None:
            kept = [_within(Bbox([place, place]), inside) for place in places]
            places = places[kept]
        data = "".join(f"M{x} {y}{shape}" for x, y in map(self._place, places))
        flat = len(marker_path) == len(("from", "to"))  # of a tick
        self._add("", self._look(gc, None if flat else rgbFace), data)

    def draw_quad_mesh(
        self,
        gc: GraphicsContextBase,
        master_transform: Transform,
        meshWidth: int,  # noqa: N803
        meshHeight: int,  # noqa: N803
        coordinates: Any,
        offsets: Any,
        offsetTrans: Any,  # noqa: N803
        facecolors: Any,
        antialiased: bool,
        edgecolors: Any,
    ) -> None:
        """Cells of one colour are one path, and their edges another."""
        flat = master_transform.transform(coordinates.reshape(-1, 2))
        corners = flat.reshape(meshHeight + 1, meshWidth + 1, 2)
        # in a bitmap, cells reach below the next ones: a browser would leave seams between them
        under = (0, 0) if len(edgecolors) else (SEAM, -SEAM)
        of_color: dict[str, str] = {}
        for at, face in enumerate(facecolors):
            if not face[-1]:
                continue  # no value
            row, column = divmod(at, meshWidth)
            box = self._rectangle(corners[row, column], corners[row + 1, column + 1] + under)
            of_color[self._color(face)] = of_color.get(self._color(face), "") + box
        for color, data in of_color.items():
            # a browser would let the page shine through between cells
            self._add("", {"fill": color, "shape-rendering": "crispEdges"}, data)
        if len(edgecolors):
            look = self._look(gc, None) | {"stroke": self._color(edgecolors[0])}
            rows = zip(corners[:, 0], corners[:, -1], strict=True)
            columns = zip(corners[0], corners[-1], strict=True)
            self._add("", look, "".join(map(self._line, [*rows, *columns])))

    def draw_text(
        self,
        gc: GraphicsContextBase,
        x: float,
        y: float,
        s: str,
        prop: FontProperties,
        angle: float,
        ismath: Any = False,
        mtext: Text | None = None,
    ) -> None:
        share = ANCHORS.get(mtext.get_horizontalalignment(), 0.0) if mtext else 0.0
        width = self.get_text_width_height_descent(s, prop, ismath)[0] * share
        turn = np.deg2rad(angle)
        up = self._measure.get_canvas_width_height()[1] - y  # y counts downwards, as in an SVG
        left, top = self._place((x + width * np.cos(turn), up + width * np.sin(turn)))
        place = f" x='{left}' y='{top}'"
        if angle:
            place = f" transform='translate({left} {top})rotate({_number(-angle)})'"
        look = {0.5: " text-anchor='middle'", 1.0: " text-anchor='end'"}.get(share, "")
        size, color = prop.get_size_in_points() * PER_POINT, self._color(gc.get_rgb())
        look += f" font-size='{_number(size)}'" if abs(size - FONT_SIZE) > SLACK else ""
        look += f" fill='{color}'" if color != "var(--ink)" else ""
        self._parts.append(("", {}, f"<text{place}{look}>{_lowered(escape(s))}</text>"))

    def get_text_width_height_descent(
        self, s: str, prop: FontProperties, ismath: Any
    ) -> tuple[float, float, float]:
        return self._measure.get_text_width_height_descent(s, prop, ismath)

    def get_canvas_width_height(self) -> tuple[float, float]:
        return self._measure.get_canvas_width_height()

    def points_to_pixels(self, points: Any) -> Any:
        return points * PER_POINT

    def flipy(self) -> bool:
        return True

    def _add(self, window: str, look: Attributes, data: str) -> None:
        """One path more, or more of an earlier path: ticks and axes do not lie on one another."""
        if not data or not (look.get("fill", "none") != "none" or "stroke" in look):
            return
        if look.get("stroke") == "var(--ink)" and look["fill"] == "none":
            for at, (place, drawn, earlier) in enumerate(self._parts):
                if drawn == look and place == window:
                    self._parts[at] = (window, look, earlier + data)
                    return
        self._parts.append((window, look, data))

    def _look(self, gc: GraphicsContextBase, face: Any) -> Attributes:
        face = None if face is not None and len(face) == RGBA and not face[-1] else face
        look = {"fill": "none" if face is None else self._color(face)}
        opaque = _opacity(gc, gc.get_rgb() if face is None else face)
        if opaque < 1:
            look["opacity"] = f"{opaque:g}"
        if gc.get_linewidth() > 0 and gc.get_rgb()[3] > 0:
            look["stroke"] = self._color(gc.get_rgb())
            look["stroke-width"] = _number(gc.get_linewidth() * PER_POINT)
            dashes: Any = gc.get_dashes()[1] or ()
            if dashes:
                look["stroke-dasharray"] = " ".join(_number(one * PER_POINT) for one in dashes)
        return look

    def _color(self, color: Any) -> str:
        value = to_hex(color)
        return self._names.get(value, value)

    def _place(self, point: Iterable[float]) -> tuple[str, str]:
        x, y = point
        return _number(x - self._box.x0), _number(self._box.y1 - y)

    def _data(self, path: Path, transform: Transform) -> str:
        found = []
        for points, code in path.iter_segments(transform, remove_nans=True, simplify=None):
            if code == Path.CLOSEPOLY:
                found.append(CLOSE)
            else:
                pairs = [" ".join(self._place(pair)) for pair in points.reshape(-1, 2)]
                found.append(LETTER[Path.code_type(code)] + " ".join(pairs))
        return "".join(found)

    def _line(self, ends: Iterable[Iterable[float]]) -> str:
        (left, top), (right, bottom) = map(self._place, ends)
        return f"M{left} {top}L{right} {bottom}"

    def _rectangle(self, one: np.ndarray, other: np.ndarray) -> str:
        left, top = self._place((min(one[0], other[0]), max(one[1], other[1])))
        width, height = (_number(size) for size in abs(other - one))
        return f"M{left} {top}h{width}v{height}h-{width}z"

    def _window(self, clip: Bbox) -> str:
        left, top = self._place((clip.x0, clip.y1))
        size = [_number(clip.width), _number(clip.height)]
        place = f"x='{left}' y='{top}' width='{size[0]}' height='{size[1]}'"
        return f"<svg {place} viewBox='{left} {top} {size[0]} {size[1]}'>"


def _shape(path: Path) -> str:
    """A marker around a point, as a path from there; all curved ones are circles."""
    if Path.CURVE4 in np.asarray(path.codes):
        radius = _number(path.get_extents().width / 2)
        wide = _number(2 * float(radius))  # of a longer one the arcs would make an oval
        return f"m-{radius} 0a{radius} {radius} 0 1 0 {wide} 0a{radius} {radius} 0 1 0-{wide} 0z"
    text, last = "", np.zeros(2)
    for points, code in path.iter_segments(simplify=False):
        if code == Path.CLOSEPOLY:
            text += CLOSE
        else:
            step = points - last
            if step.any():
                letter = "m" if code == Path.MOVETO else "l"
                text += f"{letter}{_number(step[0])} {_number(-step[1])}"
            last = points
    return text


def _lowered(text: str) -> str:
    """The k of d_k as a subscript."""
    lowered = r"\1<tspan dy='3' font-size='9.6'>\2</tspan><tspan dy='-3'>"
    found, subscripts = SUBSCRIPT.subn(lowered, text)
    return found + "</tspan>" * subscripts


def _opacity(gc: GraphicsContextBase, color: Any) -> float:
    own = len(color) == RGBA and not gc.get_forced_alpha()
    return float(color[-1] if own else gc.get_alpha())


def _within(box: Bbox, outer: Bbox) -> bool:
    """Up to half a pixel."""
    over = [np.subtract(outer.min, box.min), np.subtract(box.max, outer.max)]
    return bool(np.max(over) <= 1 / 2)


def _number(value: float) -> str:
    """With one decimal, and no sign for zero."""
    return f"{round(float(value), 1) + 0:.1f}".removesuffix(".0")


def _written(attributes: Attributes) -> str:
    return "".join(f" {name}='{value}'" for name, value in attributes.items())
