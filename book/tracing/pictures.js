// What the page draws of a run. book/_ext/tracing_drawing.py draws the same before the scripts come.
"use strict";

(() => {
  const { html } = courseElements;
  const { text } = courseWidgets;
  const { lines, shown } = courseTracing;

  const length = (vector) => Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  const cell = (name, share, ...children) => html("i", { style: `--${name}:${Number(share.toFixed(3))}` }, ...children);

  const peak = (vector) => Math.max(...vector.map(Math.abs));

  /** The numbers of a vector as cells, each as strong as its share of the largest. */
  function strip(vector, name, largest = peak(vector)) {
    const cells = Array.from(vector, (x) => {
      const one = cell("v", Math.abs(x) / largest);
      if (x < 0) one.className = "is-below";
      return one;
    });
    const label = `${name}: ${vector.length} numbers from ${text(Math.min(...vector))} to ${text(Math.max(...vector))}`;
    return html("div", { class: "trace-row" }, html("span", {}, name),
      html("div", { class: "trace-strip", role: "img", "aria-label": label }, ...cells),
      html("span", { class: "trace-number" }, text(length(vector), 1)));
  }

  /** Places of values, the largest first. */
  const order = (values) => [...values.keys()].sort((one, other) => values[other] - values[one]);

  /** A cell for each token, in the lines of the text; what is not seen yet stays empty. */
  function map(weights, words, tokens) {
    const rows = lines(tokens).map((row) => html("span", {}, ...row.map((at) => cell("w", weights[at] ?? 0))));
    const [at] = order(weights);
    const label = `Weights on ${weights.length} tokens; the largest, ${text(weights[at])}, is on ${words[at]}, token ${at + 1}.`;
    return [html("span", { class: "trace-map", role: "img", "aria-label": label }, ...rows),
      html("span", { class: "trace-most" }, `${words[at]} ${text(weights[at])}`)];
  }

  /** The likeliest words, with bars from 0 to 1. */
  function bars(shares, names, count) {
    return html("ol", { class: "trace-bars" }, ...order(shares).slice(0, count).map((at) => html("li", {},
      html("span", {}, shown(names[at])), html("span", { class: "trace-bar" }, cell("w", shares[at])),
      html("span", { class: "trace-number" }, text(shares[at], 3)))));
  }

  /** All probabilities side by side, from 0 to 1, and where a draw has fallen. */
  function line(shares, names, draw) {
    const parts = shares.map((share, at) => cell("w", share, share > 0.12 ? shown(names[at]) : ""));
    const mark = draw === undefined ? [] : [html("b", { style: `--w:${draw.toFixed(4)}` })];
    const label = `The probabilities of ${shares.length} words side by side; the widest is ${names[order(shares)[0]]}, ` +
      `${text(Math.max(...shares), 3)}.`;
    return html("div", { class: "trace-draw", role: "img", "aria-label": label }, ...parts, ...mark);
  }

  /** The text as a table, with something below each word. */
  function story(caption, words, tokens, below) {
    const rows = lines(tokens).map((row) => html("tr", {}, ...row.map((at) =>
      html("td", {}, html("span", {}, words[at]), html("br"), below(at)))));
    return html("table", { class: "trace-story" }, html("caption", {}, caption), html("tbody", {}, ...rows));
  }

  /** The numbers of a vector, eight in a row. */
  function numbers(vector, caption) {
    const rows = Array.from({ length: vector.length / 8 }, (_, row) => html("tr", {},
      ...Array.from(vector.slice(8 * row, 8 * row + 8), (x) => html("td", {}, text(x)))));
    return html("table", { class: "trace-story" }, html("caption", {}, caption), html("tbody", {}, ...rows));
  }

  /** Words, each with some numbers. */
  function listing(heads, rows) {
    return html("table", { class: "trace-story" },
      html("thead", {}, html("tr", {}, ...heads.map((head) => html("th", { scope: "col" }, head)))),
      html("tbody", {}, ...rows.map((row) => html("tr", {}, ...row.map((content) => html("td", {}, content))))));
  }

  Object.assign(courseTracing, { strip, peak, map, bars, line, story, numbers, listing, order });
})();
