// Chapter 7: eight tokens in the plane, through layers with or without skip, norm and MLP.
"use strict";

(() => {
  const { html, svg, set } = courseElements;
  const { dot, softmax, average, text, write, slider, sentence, table, markRows, define } = courseWidgets;
  const SWITCHES = { skip: "skip", norm: "norm", mlp: "MLP" };
  const SIZE = 260, EDGE = 12, REACH = 2.2; // of the drawing, in pixels, and in units of the tokens' size
  const EPS = 1e-5;
  const DEPTHS = [0, 1, 2, 3, 4, 8, 12];

  const columns = (matrix) => matrix[0].map((_, at) => matrix.map((row) => row[at]));
  const times = (rows, matrix) => rows.map((row) => columns(matrix).map((column) => dot(row, column)));
  const size = (rows) => Math.sqrt(rows.flat().reduce((sum, part) => sum + part * part, 0));

  const rmsNorm = (row) => row.map((part) => part / Math.sqrt(dot(row, row) / row.length + EPS));

  function attend(x, { compare, W_v }) {
    const scores = times(times(x, compare), columns(x)); // [queries][keys]
    return times(scores.map((row) => average(softmax(row), x)), W_v);
  }

  const think = (x, { W_1, W_2 }) =>
    times(times(x, W_1).map((row) => row.map((part) => Math.max(part, 0))), W_2);

  /** The tokens before the first layer and after each: [layers + 1][tokens][2]. */
  function collapse({ tokens, layers }, { skip, norm, mlp }) {
    const kept = [tokens];
    for (const layer of layers) {
      let x = kept[kept.length - 1];
      for (const part of mlp ? [attend, think] : [attend]) {
        const found = part(norm ? x.map(rmsNorm) : x, layer);
        x = skip ? x.map((row, at) => row.map((value, axis) => value + found[at][axis])) : found;
      }
      kept.push(x);
    }
    return kept;
  }

  /** From rank one: the share of the tokens' size that is not common to them. */
  function distance(x) {
    const mean = columns(x).map((column) => column.reduce((sum, part) => sum + part, 0) / x.length);
    return size(x.map((row) => row.map((part, axis) => part - mean[axis]))) / size(x);
  }

  /** In units of the root mean square of all tokens, so that growth does not hide their spread. */
  const scaled = (x) => x.map((row) => row.map((part) => (part * Math.sqrt(x.length)) / size(x)));

  const place = ([across, up]) =>
    [across, -up].map((part) => SIZE / 2 + (part / REACH) * (SIZE / 2 - EDGE));

  /** Decimals where there are any to see, else how small it is. */
  function small(share) {
    if (share >= 0.005) return text(share);
    if (share < 1e-12) return "< 10⁻¹²"; // rounding errors
    const [digit, power] = share.toExponential(0).split("e-");
    return `${digit} · 10⁻${[...power].map((one) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[one]).join("")}`;
  }

  const counted = (depth) => `${depth} ${depth === 1 ? "layer" : "layers"}`;

  function drawing(tokens) {
    const half = SIZE / 2;
    const starts = scaled(tokens).map((row) => svg("circle", { class: "token-0", r: 3, transform: `translate(${place(row)})` }));
    const trails = tokens.map(() => svg("path", { class: "collapse-trail token-0" }));
    const dots = tokens.map((_, at) => svg("g", {},
      svg("circle", { class: "token-0", r: 10 }),
      svg("text", { class: "collapse-number", "text-anchor": "middle", y: 4.5 }, String(at + 1))));
    const picture = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img" },
      svg("path", { class: "widget-grid", d: `M${half} 0V${SIZE}M0 ${half}H${SIZE}` }), ...trails, ...starts, ...dots);
    const show = (all) => { // where the tokens are after the last layer, and where they were before
      const places = all.map((x) => scaled(x).map(place));
      dots.forEach((dot, at) => set(dot, { transform: `translate(${places[places.length - 1][at]})` }));
      trails.forEach((trail, at) => set(trail, { d: `M${places.map((layer) => layer[at]).join("L")}` }));
      set(picture, { "aria-label": `Eight numbered tokens in the plane after ${counted(all.length - 1)}, `
        + `divided by their size; a trail leads from a small ring, where each began.` });
    };
    return { picture, show };
  }

  function switches(state, change) {
    const boxes = Object.entries(SWITCHES).map(([key, label]) => {
      const input = html("input", { type: "checkbox" });
      input.checked = state[key];
      input.addEventListener("change", () => change({ [key]: input.checked }));
      return html("label", {}, input, ` ${label}`);
    });
    return html("div", { class: "widget-row" }, ...boxes);
  }

  function build(stage, data) {
    const state = { skip: false, norm: false, mlp: false, depth: 3 };
    const { picture, show } = drawing(data.tokens);
    const numbers = table("Distance from rank one", ["distance"], DEPTHS.map(counted));
    const says = sentence();
    const change = (what) => {
      Object.assign(state, what);
      const all = collapse(data, state);
      const on = Object.keys(SWITCHES).filter((key) => state[key]).map((key) => SWITCHES[key]);
      show(all.slice(0, state.depth + 1));
      DEPTHS.forEach((depth, at) => write(numbers.cells[at][0], small(distance(all[depth]))));
      markRows(numbers.cells, (row) => DEPTHS[row] === state.depth);
      write(says, `After ${counted(state.depth)} of attention ${on.length ? `with ${on.join(", ")}` : "alone"}, the distance from rank one ` +
        `is ${small(distance(all[state.depth]))}.`);
    };
    stage.append(
      html("div", { class: "widget-controls" },
        slider({ label: "layers", min: 0, max: DEPTHS.length - 1, step: 1, value: DEPTHS.indexOf(state.depth),
          say: (at) => String(DEPTHS[at]), onInput: (at) => change({ depth: DEPTHS[at] }) }),
        switches(state, change), numbers.element),
      picture, says);
    change({});
  }

  define("collapse", collapse, build);
})();
