// The values of a figure: of the point under the pointer, and by the arrow keys of any point.
"use strict";

const courseCharts = (() => {
  const { html, svg } = courseElements;
  const REACH = 40; // pixels from the pointer to the nearest point
  const HINT = "chart; arrow keys tell its values";

  /** Where a value lies between the ends of an axis: 0 to 1. */
  function share(axis, value) {
    const [low, high, at] = [...axis.ends, value].map((x) => (axis.log ? Math.log(x) : x));
    return (at - low) / (high - low);
  }

  /** Of an axis of kinds, marks stand beside their tick so that they do not hide one another. */
  const shown = (axis, value) => axis.names?.[axis.kinds ? Math.round(value) : value]
    ?? String(value).replace("-", "\u2212");

  const says = (label, text) => (label ? `${label}: ${text}` : text);

  /** Of a thousandth; 0.1 stands for what is not zero and would be printed so. */
  function weight(value) {
    if (value === null) return "masked";
    if (value === "NaN" || value === 0) return String(value);
    return value < 1 ? "less than 0.001" : (value / 1000).toFixed(3);
  }

  /** The points of a pane, row by row or series by series: place and lines of text. Those of a series
   * may lie outside of the axes. */
  function points(pane) {
    const [left, top, width, height] = pane.box ?? [];
    const [across, down] = pane.labels ?? [];
    if (pane.cells) {
      const [wide, high] = [width / pane.columns.length, height / pane.rows.length];
      return pane.cells.map((row, r) => row.map((value, c) => ({
        x: left + (c + 0.5) * wide, y: top + (r + 0.5) * high, wide, high, value: weight(value),
        lines: [says(down, pane.rows[r]), says(across, pane.columns[c])],
      })));
    }
    return (pane.series ?? []).map((one) => one.x.map((x, at) => {
      const range = one.low && one.low[at] !== one.high[at]
        ? ` (${shown(pane.y, one.low[at])} to ${shown(pane.y, one.high[at])})` : "";
      return {
        x: left + width * share(pane.x, x), y: top + height * (1 - share(pane.y, one.y[at])),
        value: one.name,
        lines: [says(across, shown(pane.x, x)), says(down, shown(pane.y, one.y[at]) + range)],
      };
    }));
  }

  const visible = (point, [left, top, width, height]) =>
    point.x >= left - 2 && point.x <= left + width + 2
    && point.y >= top - 2 && point.y <= top + height + 2;

  function nearest(rows, x, y, reach = Infinity) {
    let best = null, least = reach;
    rows.forEach((row, r) => row.forEach((point, c) => {
      const inside = point.wide && Math.abs(point.x - x) <= point.wide / 2
        && Math.abs(point.y - y) <= point.high / 2;
      const far = inside ? 0 : Math.hypot(point.x - x, point.y - y);
      if (far < least && (inside || !point.wide || reach === Infinity)) [best, least] = [[r, c], far];
    }));
    return best;
  }

  class Chart {
    constructor(chart, values) {
      this.chart = chart;
      this.panes = [...chart.querySelectorAll(".pane")];
      this.rows = values.map((pane) => points(pane)
        .map((row) => row.filter((point) => visible(point, pane.box))).filter((row) => row.length));
      this.told = this.rows.flatMap((rows, at) => (rows.length ? [at] : []));
      this.label = html("output", { class: "chart-reading" });
      this.at = null; // pane, row, column
      chart.append(this.label);
      chart.tabIndex = 0;
      chart.setAttribute("role", "application");
      chart.setAttribute("aria-roledescription", HINT);
      chart.addEventListener("keydown", (event) => this.key(event));
      chart.addEventListener("focus", () => {
        if (chart.matches(":focus-visible")) this.show(...this.start);
      });
      chart.addEventListener("blur", () => this.hide());
      chart.addEventListener("pointerleave", (event) => {
        if (event.pointerType === "mouse") this.hide(); // a finger leaves after each tap
      });
      document.addEventListener("keydown", ({ key }) => { // wherever the focus is
        if (key === "Escape") this.hide();
      });
      this.panes.forEach((pane, at) => {
        pane.setAttribute("aria-hidden", "true"); // the name and the values tell it in words
        for (const kind of ["pointermove", "pointerdown"]) {
          pane.addEventListener(kind, (event) => this.point(at, event));
        }
      });
    }

    get start() { return this.at ?? [this.told[0], 0, 0]; }

    get scale() { return this.panes.map((pane) => pane.clientWidth / pane.viewBox.baseVal.width); }

    point(at, event) {
      const box = this.panes[at].getBoundingClientRect(), scale = this.scale[at];
      const place = [(event.clientX - box.left) / scale, (event.clientY - box.top) / scale];
      const found = nearest(this.rows[at], ...place, REACH / scale);
      if (found) this.show(at, ...found);
      else this.hide();
    }

    show(at, r, c) {
      const point = this.rows[at][r][c];
      const same = this.at && [at, r, c].every((one, i) => one === this.at[i]);
      this.at = [at, r, c];
      if (same && this.ring) return;
      const [first, second] = point.lines;
      this.label.replaceChildren(html("b", {}, point.value), first, html("br"), second);
      this.mark(this.panes[at], point);
      this.place(this.panes[at], point, this.scale[at]);
    }

    mark(pane, point) {
      this.ring?.remove();
      const look = point.wide
        ? { x: point.x - point.wide / 2, y: point.y - point.high / 2, width: point.wide,
          height: point.high }
        : { cx: point.x, cy: point.y, r: 6 };
      this.ring = svg(point.wide ? "rect" : "circle", { class: "chart-ring", ...look });
      pane.append(this.ring);
    }

    /** Above the point, or below it where there is no room; within the figure. */
    place(pane, point, scale) {
      const [chart, box] = [this.chart.getBoundingClientRect(), pane.getBoundingClientRect()];
      const half = (point.high ?? 12) / 2 * scale + 8;
      const [left, top] = [box.left - chart.left + point.x * scale, box.top - chart.top + point.y * scale];
      const [width, height] = [this.label.offsetWidth, this.label.offsetHeight];
      const above = box.top + point.y * scale - half - height > 0;
      this.label.style.left = `${Math.max(0, Math.min(left - width / 2, chart.width - width))}px`;
      this.label.style.top = `${above ? top - half - height : top + half}px`;
    }

    hide() {
      this.ring?.remove();
      this.ring = null;
      this.label.replaceChildren();
    }

    key(event) {
      const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const [at, r, c] = this.start;
      if (event.key === "Home" || event.key === "End") {
        this.show(at, r, event.key === "Home" ? 0 : this.rows[at][r].length - 1);
      } else if (!(event.key in steps)) {
        return;
      } else if (!this.ring) {
        this.show(at, r, c);
      } else {
        this.step(at, r, c, ...steps[event.key]);
      }
      event.preventDefault();
    }

    /** Along a series or a row; then to the next one, at the same x; then to the next pane. */
    step(at, r, c, down, along) {
      const row = this.rows[at][r], next = this.rows[at][r + down];
      if (along && row[c + along]) return this.show(at, r, c + along);
      if (down && next) return this.show(at, r + down, nearest([next], row[c].x, next[0].y)[1]);
      const pane = this.told[this.told.indexOf(at) + down + along];
      if (pane === undefined) return;
      const back = down + along < 0, rows = this.rows[pane];
      const line = rows[down && back ? rows.length - 1 : along ? Math.min(r, rows.length - 1) : 0];
      this.show(pane, rows.indexOf(line), back && along ? line.length - 1 : 0);
    }
  }

  for (const chart of document.querySelectorAll(".chart")) {
    const values = chart.querySelector(":scope > script");
    if (values) new Chart(chart, JSON.parse(values.textContent));
  }

  return { points, visible };
})();
