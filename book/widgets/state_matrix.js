// Chapter 13: a state of three by three is written and read, by the linear rule or the delta rule.
"use strict";

(() => {
  const { html } = courseElements;
  const { dot, text, write, showWeight, showSigned, slider, choice, table, markRows, sentence, define } = courseWidgets;
  const KEYS = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.6, 0.8, 0]]; // of length 1, the last between the first two
  const VALUES = [[5, 0, 0], [0, 5, 0], [3, 4, 0], [0, 0, 5], [0, 0, 0]];
  const EMPTY = [[0, 0, 0], [0, 0, 0], [0, 0, 0]];
  const START = { key: 0, value: 0, rule: "linear", beta: 1, decay: 1 };
  const LIMIT = 10; // the number with the fullest colour

  /** What the state [d_k][d_v] returns for a key [d_k]; what only rounding left over is 0. */
  const read = (state, key) => state[0].map((_, column) => {
    const sum = dot(key, state.map((row) => row[column]));
    return Math.abs(sum) < 1e-9 ? 0 : sum;
  });

  /** What a write adds in the direction of its key [d_v]: the value, or a part of what is missing to it. */
  function toAdd(state, { key, value, rule, beta, decay }) {
    if (rule === "linear") return value;
    return read(state, key).map((returned, at) => beta * (value[at] - decay * returned));
  }

  /** The state after one write: first it decays, then it is read, then it is added to. */
  function step(state, one) {
    const added = toAdd(state, one);
    return state.map((row, at) => row.map((number, column) => one.decay * number + one.key[at] * added[column]));
  }

  /** The state after some writes, each with a key [d_k], a value [d_v], a rule, beta and decay. */
  const run = (writes) => writes.reduce(step, EMPTY);

  const kind = ({ rule, decay }) => (rule === "linear" ? (decay < 1 ? "gated" : "linear") : decay < 1 ? "gated delta" : "delta");
  const named = (vector) => vector.join(", ");
  const shown = (vector) => vector.map((part) => text(part)).join(", ");

  /** For each key: what it returns, what was last written for it, how far the two are apart. */
  function recall(writes) {
    const state = run(writes);
    return KEYS.map((key) => {
      const returned = read(state, key), last = writes.findLast((one) => one.key === key);
      if (!last) return { returned };
      const error = Math.hypot(...returned.map((part, at) => part - last.value[at]));
      return { returned, wanted: last.value, error: error < 1e-9 ? 0 : error };
    });
  }

  /** Rows of the state beside the parts of the key; below them, what a write would do. */
  function stateTable() {
    const grid = table("The state. Left: the key you chose. Below: what it returns, and what a write adds.",
      ["key", "1", "2", "3"], ["row 1", "row 2", "row 3", "returns", "to add"]);
    const show = (state, one) => {
      one.key.forEach((part, at) => showWeight(grid.cells[at][0], part));
      [...state, read(state, one.key), toAdd(state, one)].forEach((row, at) =>
        row.forEach((number, column) => showSigned(grid.cells[at][column + 1], number, LIMIT)));
    };
    return { element: grid.element, show };
  }

  function memoryTable() {
    const grid = table("What each key returns, what was last written, and the length of the difference.",
      ["1", "2", "3", "written", "error"], KEYS.map((_, at) => `key ${at + 1}`));
    const show = (found, chosen) => {
      found.forEach(({ returned, wanted, error }, at) => {
        returned.forEach((number, column) => showSigned(grid.cells[at][column], number, LIMIT));
        write(grid.cells[at][3], wanted ? named(wanted) : "−");
        write(grid.cells[at][4], wanted ? text(error) : "−");
      });
      markRows(grid.cells, (at) => at === chosen);
    };
    return { element: grid.element, show };
  }

  const together = (keys) => (keys.length > 1 ? `keys ${keys.slice(0, -1).join(", ")} and ${keys.at(-1)}` : `key ${keys[0]}`);

  /** Which keys that were written before return something else since the last write. */
  function disturbed(writes) {
    const [before, after] = [recall(writes.slice(0, -1)), recall(writes)];
    const last = KEYS.indexOf(writes.at(-1).key);
    const moved = (at) => Math.hypot(...after[at].returned.map((part, column) => part - before[at].returned[column])) > 1e-9;
    return KEYS.map((_, at) => at).filter((at) => at !== last && after[at].wanted && moved(at)).map((at) => at + 1);
  }

  function describe(writes) {
    if (!writes.length) return "Nothing is written yet: the state is zero, and so is all that it returns.";
    const found = recall(writes), written = found.filter(({ wanted }) => wanted);
    const at = KEYS.indexOf(writes.at(-1).key), { returned, wanted, error } = found[at];
    const result = error ? `; ${named(wanted)} was written, the error is ${text(error)}` : ", as written";
    const others = disturbed(writes);
    const rest = others.length ? `The write changed what ${together(others)} returned.` : "The other written keys return what they did.";
    return [`Write ${writes.length}, ${kind(writes.at(-1))}: key ${at + 1} returns ${shown(returned)}${result}.`,
      written.length > 1 ? rest : "",
      `Without an error: ${written.filter((one) => !one.error).length} of ${written.length} written keys.`].filter(Boolean).join(" ");
  }

  function controls(state, update) {
    const options = (names) => Object.fromEntries(names.map((name, at) => [at, name]));
    const pick = (legend, name, names) => choice({ legend, options: options(names), value: String(state[name]),
      onChange: (at) => { state[name] = Number(at); update(); } });
    const share = (label, name, min) => slider({ label, min, max: 1, step: 0.1, value: state[name],
      say: (number) => text(number, 1), onInput: (number) => { state[name] = number; update(); } });
    const beta = share("write strength β, of the delta rule", "beta", 0);
    const strength = beta.querySelector("input");
    strength.disabled = state.rule === "linear";
    const rule = choice({ legend: "rule", options: { linear: "linear", delta: "delta" }, value: state.rule,
      onChange: (name) => { strength.disabled = name === "linear"; state.rule = name; update(); } });
    return html("div", { class: "widget-controls" }, pick("key", "key", KEYS.map((key, at) => `${at + 1}: ${named(key)}`)),
      pick("value", "value", VALUES.map(named)), rule, beta, share("decay of the state before a write", "decay", 0.1));
  }

  function build(stage) {
    const state = { ...START };
    let writes = [];
    const [matrix, memory, says] = [stateTable(), memoryTable(), sentence()];
    const chosen = () => ({ ...state, key: KEYS[state.key], value: VALUES[state.value] });
    const update = () => {
      matrix.show(run(writes), chosen());
      memory.show(recall(writes), state.key);
      write(says, describe(writes));
    };
    const button = (name, change) => html("button", { type: "button", onclick: () => { change(); update(); } }, name);
    const options = controls(state, update);
    options.append(html("div", { class: "widget-row" },
      button("Write", () => writes.push(chosen())),
      button("Undo", () => writes.pop()),
      button("Start again", () => { writes = []; })));
    stage.append(options, matrix.element, memory.element, says);
    update();
  }

  define("state_matrix", run, build);
})();
