// Chapter 10: how large a cache is, by the length of the text, and what makes it smaller.
"use strict";

(() => {
  const { html, svg, set } = courseElements;
  const { write, slider, choice, sentence, define } = courseWidgets;
  const LAYERS = 32, HEADS = 32, D_K = 128, SINKS = 4, GIB = 2 ** 30; // the model of the page
  const WEIGHTS = 2 * LAYERS * (4 * 4096 ** 2 + 3 * 4096 * 11008); // bytes of all layers, two a number
  const SHARED = [32, 16, 8, 4, 2, 1], WINDOWS = [Infinity, 65536, 16384, 4096, 1024], TEXTS = [1, 4, 16, 64];
  const LENGTHS = [1024, 4096, 16384, 65536, 262144];
  const LEAST = 2 ** 20, MOST = 2 ** 46; // bytes at the ends of the axis, which is logarithmic
  const LEFT = 58, WIDTH = 250, STEP = 34, TOP = 24; // in units of the drawing

  /** Tokens of a text that are kept: a window keeps the first few as well. */
  const kept = (length, window) => Math.min(length, window + (window < Infinity ? SINKS : 0));

  /** Bytes of the cache of `texts` texts of this length. */
  const bytes = ({ shared, window, size, texts }, length) => 2 * LAYERS * shared * D_K * size * texts * kept(length, window);

  const place = (amount) => LEFT + (WIDTH * Math.log2(Math.max(amount, LEAST) / LEAST)) / Math.log2(MOST / LEAST);

  function say(amount) {
    const [unit, name] = [[2 ** 40, "TiB"], [GIB, "GiB"], [2 ** 20, "MiB"]].find(([one]) => amount >= one) || [1024, "KiB"];
    const count = amount / unit;
    return `${count >= 10 ? count.toFixed(0) : count.toFixed(1)} ${name}`;
  }

  const grouped = (count) => count.toLocaleString("en");

  function drawing() {
    const bars = LENGTHS.map((length, at) => {
      const y = TOP + at * STEP;
      return {
        name: svg("text", { x: LEFT - 6, y: y + 17, "text-anchor": "end" }, grouped(length)),
        full: svg("rect", { class: "widget-hollow", x: LEFT, y, height: 24 }),
        now: svg("rect", { class: "widget-bar", x: LEFT, y, height: 24 }),
        amount: svg("text", { y: y + 17, class: "widget-amount" }),
      };
    });
    const x = place(WEIGHTS), bottom = TOP + LENGTHS.length * STEP;
    const line = svg("path", { class: "widget-hull", d: `M${x} ${TOP - 6}V${bottom}` });
    const picture = svg("svg", { viewBox: `0 0 ${LEFT + WIDTH + 4} ${bottom + 22}`, role: "img", class: "widget-bars",
      "aria-label": "Bars of the bytes of a cache for texts of five lengths, on a logarithmic axis, with a line at the bytes of the weights." },
      svg("text", { x, y: TOP - 10, class: "widget-label", "text-anchor": "middle" }, `weights, ${say(WEIGHTS)}`),
      ...bars.flatMap(({ name, full, now, amount }) => [name, full, now, amount]), line,
      svg("text", { x: LEFT + WIDTH / 2, y: bottom + 15, class: "widget-label", "text-anchor": "middle" }, "bytes of the cache, logarithmic"));
    return { picture, bars };
  }

  function draw(bars, state) {
    bars.forEach(({ full, now, amount }, at) => {
      const size = bytes(state, LENGTHS[at]);
      const whole = bytes({ ...state, shared: HEADS, window: Infinity, size: 2 }, LENGTHS[at]);
      set(full, { width: place(whole) - LEFT });
      set(now, { width: place(size) - LEFT });
      write(amount, say(size));
      const end = place(size), outside = end - LEFT < 72;
      set(amount, { x: outside ? end + 5 : end - 5, "text-anchor": outside ? "start" : "end", class: outside ? "" : "widget-amount" });
    });
  }

  function describe(state) {
    const length = LENGTHS[2], size = bytes(state, length);
    const whole = bytes({ ...state, shared: HEADS, window: Infinity, size: 2 }, length);
    const times = whole / size;
    const less = times > 1.05 ? `, ${times >= 10 ? times.toFixed(0) : times.toFixed(1)} times less than with all heads, all tokens and 16 bits` : "";
    const of = state.texts > 1 ? `The caches of ${state.texts} texts` : "The cache of one text";
    return `${of} of ${grouped(length)} tokens: ${say(size)}${less}. That is ${(size / WEIGHTS).toFixed(2)} times the weights.`;
  }

  function controls(state, change) {
    const pick = (label, list, name, shown) => slider({ label, min: 0, max: list.length - 1, step: 1,
      value: list.indexOf(state[name]), say: (at) => shown(list[at]), onInput: (at) => change({ [name]: list[at] }) });
    return html("div", { class: "widget-controls" },
      pick("heads of keys (32 heads of queries)", SHARED, "shared", String),
      pick("window (and 4 sinks)", WINDOWS, "window", (size) => (size < Infinity ? grouped(size) : "none")),
      pick("texts at a time", TEXTS, "texts", String),
      choice({ legend: "size of a number", options: { 2: "16 bits", 1: "8 bits" }, value: String(state.size),
        onChange: (size) => change({ size: Number(size) }) }));
  }

  function build(stage) {
    const state = { shared: 32, window: Infinity, texts: 1, size: 2 };
    const { picture, bars } = drawing();
    const says = sentence();
    const update = () => {
      draw(bars, state);
      write(says, describe(state));
    };
    stage.append(controls(state, (what) => { Object.assign(state, what); update(); }), picture, says);
    update();
  }

  define("cache_bars", bytes, build);
})();
