// What the widgets share: the softmax, how numbers and weights look, labelled controls.
// Classic scripts, because a browser loads no ES module from file://.
"use strict";

const courseWidgets = (() => {
  const { set, html, svg } = courseElements;
  // The colours of cells, by their names in colors.css, as in the figures of the book (ramps.py). Numbers
  // within `low` are in one colour, beyond `high` in another; between, in either theme, in black.
  const WEIGHT = { name: "weight", steps: 8, low: [0, 0.4775], high: [0, 0.715] };
  const SIGNED = { name: "signed", steps: 10, low: [0.2425, 0.7575], high: [0.1425, 0.83] };

  function dot(one, other) { // a loop: a model in a page calls it often
    let sum = 0;
    for (let at = 0; at < one.length; at += 1) sum += one[at] * other[at];
    return sum;
  }

  /** Weights of one row of scores; the largest score is subtracted, so nothing overflows. */
  function softmax(scores) {
    const largest = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - largest));
    const sum = powers.reduce((one, other) => one + other, 0);
    return powers.map((power) => power / sum);
  }

  /** One row of weights with the values [keys][d_v]: the output [d_v]. */
  function average(weights, values) {
    return values[0].map((_, at) => dot(weights, values.map((value) => value[at])));
  }

  /** As Python prints it: toFixed alone takes 0.125 to 0.13. Exactly zero reads differently from nearly zero. */
  function text(value, digits = 2) {
    if (value === 0) return "0";
    const size = Number(Math.abs(value).toPrecision(12)); // the noise of the last bits breaks no tie
    const tie = (size * 2 ** (digits + 1)) % 2 === 1;
    const even = 2 * Math.round((size * 10 ** digits) / 2);
    const shown = (tie ? even / 10 ** digits : size).toFixed(digits);
    return (value < 0 && Number(shown) ? "\u2212" : "") + shown;
  }

  const limited = (share) => Math.min(Math.max(share, 0), 1);

  /** The colour at a share of the way, in the theme's own colours. */
  function mix({ name, steps }, share) {
    const place = limited(share) * steps;
    const low = Math.min(Math.floor(place), steps - 1);
    return `color-mix(in srgb, var(--${name}-${low + 1}) ${(100 * (place - low)).toFixed(1)}%, var(--${name}-${low}))`;
  }

  /** What is easy to read there. */
  function inkAt({ low, high }, share) {
    const within = ([least, most]) => limited(share) >= least && limited(share) <= most;
    return within(low) ? "var(--on-low)" : within(high) ? "#000" : "var(--on-high)";
  }

  function fill(cell, ramp, share) {
    const color = mix(ramp, share);
    if (cell.filled === color) return;
    cell.filled = color;
    cell.style.background = color;
    cell.style.color = inkAt(ramp, share);
  }

  /** Only what changes is written, and as text into the node that is there: no style is looked up again. */
  function write(node, text) {
    if (!node.firstChild) node.append("");
    if (node.firstChild.data !== text) node.firstChild.data = text;
  }

  /** Words with names such as `d_k` and `W_q` set as in a formula. */
  const formulas = (words) => words.split(/(\b[A-Za-z]_[a-z]\b)/).map((part, at) =>
    (at % 2 ? html("i", {}, part[0], html("sub", {}, part[2])) : part));

  function writeFormulas(node, words) {
    if (node.written === words) return;
    node.written = words;
    node.replaceChildren(...formulas(words));
  }

  /** The colour of a weight: 0 as the page, 1 most unlike it. */
  const shade = (weight) => mix(WEIGHT, weight);

  /** A cell with a weight. */
  function showWeight(cell, weight) {
    write(cell, text(weight));
    fill(cell, WEIGHT, weight);
  }

  /** Weights that were saved in thousandths, in lists of any depth. */
  const fromThousandths = (tree) => (Array.isArray(tree) ? tree.map(fromThousandths) : tree / 1000);

  /** A rounded weight: its zero may be nearly zero. */
  const rounded = (weight) => (weight ? text(weight) : "0.00");

  function showRounded(cell, weight) {
    write(cell, rounded(weight));
    fill(cell, WEIGHT, weight);
  }

  /** A cell with a signed number, as the page at 0, red above and blue below. */
  function showSigned(cell, value, limit) {
    write(cell, text(value));
    fill(cell, SIGNED, 0.5 + value / (2 * limit));
  }

  /** A labelled <input type=range>; `say` turns its position into what is shown and read out. */
  function slider({ label, min, max, step, value, say, onInput }) {
    const input = html("input", { type: "range", min, max, step, value });
    const shown = html("span", { class: "widget-number", "aria-hidden": true }); // aria-valuetext says it
    const show = () => {
      write(shown, say(Number(input.value)));
      set(input, { "aria-valuetext": shown.textContent });
    };
    input.addEventListener("input", () => {
      show();
      onInput(Number(input.value));
    });
    show();
    return html("label", { class: "widget-slider" }, html("span", {}, ...formulas(label)), input, shown);
  }

  /** One of several options, as radio buttons. */
  function choice({ legend, options, value, onChange }) {
    const name = `widget-${(choice.made = (choice.made || 0) + 1)}`;
    const labels = Object.entries(options).map(([key, label]) => {
      const input = html("input", { type: "radio", name, value: key });
      input.checked = key === value;
      input.addEventListener("change", () => onChange(key));
      return html("label", {}, input, label);
    });
    return html("fieldset", { class: "widget-choice" }, html("legend", {}, ...formulas(legend)), ...labels);
  }

  /** A table with named rows and columns; gives the element and its empty cells [rows][columns]. */
  function table(caption, columns, rows) {
    const cells = rows.map(() => columns.map(() => html("td")));
    const heads = columns.map((name) => html("th", { scope: "col" }, name));
    const body = rows.map((name, at) => html("tr", {}, html("th", { scope: "row" }, name), ...cells[at]));
    const element = html("table", {},
      html("caption", {}, caption),
      html("thead", {}, html("tr", {}, html("td"), ...heads)),
      html("tbody", {}, ...body));
    return { element, cells };
  }

  /** Frame the rows of a table that the widget shows now. */
  function markRows(cells, isNow) {
    cells.forEach(([cell], at) => cell.parentNode.classList.toggle("is-now", isNow(at)));
  }

  /** Heights on a page, moved until any two are `gap` apart, in the same order. */
  function apart(heights, gap) {
    const moved = [...heights];
    const order = [...heights.keys()].sort((one, other) => heights[one] - heights[other]);
    for (let round = 0; round < 50; round += 1) {
      order.slice(1).forEach((below, at) => {
        const lack = Math.max(gap - (moved[below] - moved[order[at]]), 0);
        moved[order[at]] -= lack / 2;
        moved[below] += lack / 2;
      });
    }
    return moved;
  }

  /** Names of curves at their ends, which are all at x; a line leads from each end to its name. */
  function namesAtEnds(x, ends) {
    const heights = apart(ends.map(({ y }) => y), 15);
    return ends.map(({ name, kind, y }, at) => svg("g", { class: kind },
      svg("path", { class: "widget-leader", d: `M${x + 2} ${y}L${x + 12} ${heights[at]}` }),
      svg("text", { class: "widget-name", x: x + 15, y: heights[at] + 4.5 }, name)));
  }

  const CELL = 16; // of a heatmap, in units of its drawing

  const sign = (column, row, content) => svg("text",
    { x: (column + 0.5) * CELL, y: (row + 0.76) * CELL, "text-anchor": "middle" }, content);

  /** One query's sign and cells; what lies beyond its last key is hidden, which is not zero. */
  function heatmapRow(row, sign, query, keys, hatch) {
    const y = (query + 1) * CELL;
    const cell = (key, width, fill) =>
      svg("rect", { x: (key + 1) * CELL, y, width: width * CELL, height: CELL, fill });
    const shown = row.map((weight, key) => cell(key, 1, shade(weight)));
    const beyond = ["var(--hidden)", `url(#${hatch})`].map((fill) => cell(row.length, keys - row.length, fill));
    return svg("g", { "data-query": query }, sign, ...shown, ...beyond);
  }

  /** Weights of many keys, without numbers; a click on a row calls `onPick` with its query.
   *
   * `show` draws weights [queries][keys that the query sees], under the signs of the keys and beside
   * those of the queries, of which the first `known` are there; one query is framed. Other weights
   * are drawn anew, the same ones are not. */
  function heatmap({ name, label, onPick }) {
    const hatch = `widget-hatch-${name}`;
    const pattern = svg("pattern", { id: hatch, width: 4, height: 4, patternUnits: "userSpaceOnUse" },
      svg("path", { class: "widget-hatch", d: "M-1 5 5 -1M-1 1 1 -1M3 5 5 3" }));
    const sheet = svg("rect", { class: "widget-sheet", x: CELL, y: CELL });
    const cells = svg("g");
    const frame = svg("rect", { class: "widget-picked", x: CELL, height: CELL });
    const element = svg("svg", { role: "img", "aria-label": label, class: "widget-heatmap" },
      svg("defs", {}, pattern), sheet, cells, frame);
    element.addEventListener("click", ({ target }) => {
      const row = target.closest("[data-query]");
      if (row) onPick(Number(row.dataset.query));
    });
    let drawn, rows;
    const draw = ({ queries, keys, weights }) => {
      const width = (keys.length + 1) * CELL + 1;
      set(element, { viewBox: `0 0 ${width} ${(queries.length + 1) * CELL + 1}` });
      element.style.width = `min(100%, ${1.3 * width}px)`;
      rows = weights.map((row, at) => heatmapRow(row, sign(0, at + 1, queries[at]), at, keys.length, hatch));
      cells.replaceChildren(...keys.map((key, at) => sign(at + 1, 0, key)), ...rows);
      set(sheet, { width: keys.length * CELL, height: queries.length * CELL });
      set(frame, { width: keys.length * CELL });
      drawn = weights;
    };
    const show = ({ picked, known, ...what }) => {
      if (what.weights !== drawn) draw(what);
      rows.forEach((row, at) => set(row, { visibility: at < known ? "visible" : "hidden" }));
      set(frame, { y: (picked + 1) * CELL });
    };
    return { element, show };
  }

  /** The sentence that says what the widget shows now; screen readers read it when it changes. */
  const sentence = () => html("p", { class: "widget-says", "aria-live": "polite" });

  /** Build the widget wherever the page has a place for it, with the data that lie there;
   * `compute` is what the tests call. */
  function define(name, compute, build) {
    courseWidgets[name] = compute;
    for (const host of document.querySelectorAll(`[data-widget="${name}"]`)) {
      const stage = html("div", { class: "widget-stage" });
      const data = host.querySelector("script");
      build(stage, data && JSON.parse(data.textContent));
      host.append(stage);
      host.classList.add("widget-ready"); // hides the table that stands in where no script runs
    }
  }

  return { dot, softmax, average, text, rounded, fromThousandths, shade, write, formulas, writeFormulas, showWeight, showRounded,
    showSigned, slider, choice, table, markRows, namesAtEnds, heatmap, sentence, define };
})();
