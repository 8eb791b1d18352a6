// Chapter 10: how large a cache is beside the weights, as squares, and what makes it smaller.
"use strict";

(() => {
  const { html, svg, set } = courseElements;
  const { write, slider, choice, sentence, define } = courseWidgets;
  const LAYERS = 32, HEADS = 32, D_K = 128, SINKS = 4, GIB = 2 ** 30; // the model of the page
  const WEIGHTS = 2 * LAYERS * (4 * 4096 ** 2 + 3 * 4096 * 11008); // bytes of all layers, two a number
  const SHARED = [32, 16, 8, 4, 2, 1], WINDOWS = [Infinity, 65536, 16384, 4096, 1024], TEXTS = [1, 4, 16, 64];
  const LENGTHS = [1024, 4096, 16384, 65536, 262144];
  const WHOLE = { shared: HEADS, window: Infinity, size: 2 }; // nothing is saved
  const SIDE = 148, GAP = 20, FLOOR = SIDE + 2; // of the largest square, in units of the drawing

  /** Tokens of a text that are kept: a window keeps the first few as well. */
  const kept = (length, window) => Math.min(length, window + (window < Infinity ? SINKS : 0));

  /** Bytes of the cache of `texts` texts of this length. */
  const bytes = ({ shared, window, size, texts }, length) => 2 * LAYERS * shared * D_K * size * texts * kept(length, window);

  const digits = (count) => (count >= 10 ? count.toFixed(0) : count >= 0.1 ? count.toFixed(1) : count.toPrecision(1));

  function say(amount) {
    const [unit, name] = [[2 ** 40, "TiB"], [GIB, "GiB"], [2 ** 20, "MiB"]].find(([one]) => amount >= one);
    return `${digits(amount / unit)} ${name}`;
  }

  const grouped = (count) => count.toLocaleString("en");

  /** Squares on one line: the cache inside the one that saves nothing, and beside them the weights. */
  function drawing() {
    const square = (kind) => svg("rect", { class: kind });
    const parts = { now: square("widget-bar"), whole: square("widget-hollow"), weights: square("widget-bar is-weights") };
    const label = { y: FLOOR + 18 };
    const amount = svg("text", { x: 1, ...label }), beside = svg("text", label, `weights, ${say(WEIGHTS)}`);
    const picture = svg("svg", { viewBox: `0 0 ${2 * SIDE + GAP + 2} ${FLOOR + 24}`, role: "img", class: "widget-bars" },
      ...Object.values(parts), amount, beside);
    const put = (node, area, x, unit) => {
      const side = Math.sqrt(area / unit) * SIDE;
      set(node, { x, y: FLOOR - side, width: side, height: side });
      return side;
    };
    const show = (size, whole) => {
      const unit = Math.max(whole, WEIGHTS); // the bytes of the largest square
      const x = Math.max(put(parts.whole, whole, 1, unit), 120) + GAP; // the labels stand apart
      put(parts.now, size, 1, unit);
      put(parts.weights, WEIGHTS, x, unit);
      write(amount, `cache, ${say(size)}`);
      set(beside, { x });
      set(picture, { "aria-label": `Squares whose areas are bytes: a cache of ${say(size)}, within ${say(whole)} without saving, beside weights of ${say(WEIGHTS)}.` });
    };
    return { picture, show };
  }

  function describe({ length, texts }, size, whole) {
    const times = whole / size;
    const less = times > 1.05 ? `, ${digits(times)} times less than with all heads, all tokens and 16 bits` : "";
    const of = texts > 1 ? `The caches of ${texts} texts` : "The cache of one text";
    return `${of} of ${grouped(length)} tokens: ${say(size)}${less}. That is ${digits(size / WEIGHTS)} times the weights.`;
  }

  function controls(state, change) {
    const pick = (label, list, name, shown) => slider({ label, min: 0, max: list.length - 1, step: 1,
      value: list.indexOf(state[name]), say: (at) => shown(list[at]), onInput: (at) => change({ [name]: list[at] }) });
    return html("div", { class: "widget-controls" },
      pick("tokens of a text", LENGTHS, "length", grouped),
      pick("texts at a time", TEXTS, "texts", String),
      pick("heads of keys (32 heads of queries)", SHARED, "shared", String),
      pick("window (and 4 sinks)", WINDOWS, "window", (size) => (size < Infinity ? grouped(size) : "none")),
      choice({ legend: "size of a number", options: { 2: "16 bits", 1: "8 bits" }, value: String(state.size),
        onChange: (size) => change({ size: Number(size) }) }));
  }

  function build(stage) {
    const state = { ...WHOLE, texts: 1, length: LENGTHS[LENGTHS.length - 1] };
    const { picture, show } = drawing();
    const says = sentence();
    const change = (what) => {
      Object.assign(state, what);
      const size = bytes(state, state.length), whole = bytes({ ...state, ...WHOLE }, state.length);
      show(size, whole);
      write(says, describe(state, size, whole));
    };
    const legend = html("p", { class: "widget-legend" },
      "Areas are bytes. The outline is the cache with all heads, all tokens and 16 bits.");
    stage.append(controls(state, change), html("div", {}, picture, legend), says);
    change({});
  }

  define("cache_bars", bytes, build);
})();
