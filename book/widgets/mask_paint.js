// Chapter 4: a mask to paint over the weights; it points out leaks and rows without a key.
"use strict";

(() => {
  const { set, html } = courseElements;
  const { softmax, text, write, showWeight, slider, choice, table, sentence, define } = courseWidgets;
  const POWERS = [[2, 1, 1, 2], [1, 3, 4, 2], [1, 1, 2, 4], [2, 1, 3, 2]]; // its corner is the page's
  const SCORES = POWERS.map((row) => row.map(Math.log));
  const TOKENS = [0, 1, 2, 3]; // counted as in the page's code
  const MASKS = { // may query i attend to key j?
    "see all": () => true,
    causal: (i, j) => j <= i,
    "off by one": (i, j) => j <= i + 1,
    "causal, last key is padding": (i, j) => j <= i && j < 3,
    "causal, first key is padding": (i, j) => j <= i && j > 0,
  };
  const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

  /** scores and mask [queries][keys], True = may attend; `late` hides after the softmax instead. */
  function weigh(scores, mask, late) {
    return scores.map((row, i) => {
      if (late) return softmax(row).map((weight, j) => (mask[i][j] ? weight : 0));
      if (!mask[i].includes(true)) return row.map(() => 0); // a row without a key gives zeros
      return softmax(row.map((score, j) => (mask[i][j] ? score : -Infinity)));
    });
  }

  /** For each query: do later tokens act on it? Tried by raising their scores. */
  function findLeaks(scores, mask, late) {
    const raised = scores.map((row, i) => row.map((score, j) => (j > i ? score + 1 : score)));
    const [before, after] = [scores, raised].map((some) => weigh(some, mask, late));
    return before.map((row, i) => row.some((weight, j) =>
      (j > i && weight > 0) || Math.abs(weight - after[i][j]) > 1e-9));
  }

  function mask(scores, allowed, late) {
    return { weights: weigh(scores, allowed, late), leaks: findLeaks(scores, allowed, late),
      empty: allowed.map((row) => !row.includes(true)) };
  }

  /** The grid of buttons; `painted(i, j, value)` is called for each cell that changes. */
  function drawGrid(state, painted) {
    const columns = [...TOKENS.map((key) => `key ${key}`), "sum"];
    const grid = table("Weights (hatched: hidden)", columns,
      TOKENS.map((query) => `query ${query}`));
    const buttons = TOKENS.map((_, i) => TOKENS.map((_, j) => {
      const button = html("button", { type: "button", tabindex: i || j ? -1 : 0 });
      grid.cells[i][j].append(button);
      return button;
    }));
    const stroke = { start: null, value: true };
    buttons.forEach((row, i) => row.forEach((button, j) => {
      listen(button, [i, j], { state, painted, stroke, buttons });
    }));
    const notes = TOKENS.map((_, i) => {
      const note = html("strong");
      grid.element.tBodies[0].rows[i].cells[0].append(note);
      return note;
    });
    return { ...grid, buttons, notes };
  }

  /** A click toggles a cell; a mouse that is dragged paints; arrow keys go from cell to cell. */
  function listen(button, [i, j], { state, painted, stroke, buttons }) {
    button.addEventListener("pointerdown", () => {
      Object.assign(stroke, { start: [i, j], value: !state.mask[i][j], dragged: false });
    });
    button.addEventListener("pointerenter", (event) => {
      if (!(event.buttons & 1) || !stroke.start) return;
      stroke.dragged = true;
      painted(...stroke.start, stroke.value);
      painted(i, j, stroke.value);
    });
    button.addEventListener("click", (event) => {
      if (event.detail === 0 || !stroke.dragged) painted(i, j, !state.mask[i][j]);
    });
    button.addEventListener("keydown", (event) => {
      const [down, right] = MOVES[event.key] || [0, 0];
      const next = buttons[i + down]?.[j + right];
      if (!next || next === button) return;
      event.preventDefault();
      button.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  }

  function showCell(button, query, key, visible, weight) {
    showWeight(button, weight);
    if (!visible) write(button, ""); // hidden is not zero
    button.classList.toggle("is-hidden", !visible);
    button.classList.toggle("is-later", visible && key > query);
    const shown = visible ? `may attend, weight ${text(weight)}` : "hidden";
    set(button, { "aria-pressed": visible, "aria-label": `query ${query}, key ${key}: ${shown}` });
  }

  function show({ cells, buttons, notes }, state, { weights, leaks, empty }) {
    weights.forEach((row, i) => {
      row.forEach((weight, j) => showCell(buttons[i][j], i, j, state.mask[i][j], weight));
      write(cells[i][TOKENS.length], text(row.reduce((sum, weight) => sum + weight, 0)));
      write(notes[i], empty[i] ? "no key" : leaks[i] ? "leaks" : "");
    });
  }

  function describe({ leaks, empty }) {
    const named = (flags) => TOKENS.filter((_, at) => flags[at]).join(", ");
    const said = [];
    if (leaks.includes(true)) said.push(`Leak: later tokens act on query ${named(leaks)}.`);
    if (empty.includes(true)) said.push(`Query ${named(empty)} has no key: its output is zeros.`);
    return said.join(" ") || "No query is moved by a later token, and each has a key.";
  }

  function presets(load) {
    const buttons = Object.entries(MASKS).map(([name, rule]) => {
      const button = html("button", { type: "button" }, name);
      button.addEventListener("click", () => load(rule));
      return button;
    });
    return html("div", { class: "widget-row", role: "group", "aria-label": "masks" }, ...buttons);
  }

  function build(stage) {
    const fromRule = (rule) => TOKENS.map((_, i) => TOKENS.map((_, j) => rule(i, j)));
    const state = { mask: fromRule(MASKS.causal), late: false, raise: 0 };
    const says = sentence();
    const update = () => {
      const scores = SCORES.map((row, i) => row.map((score, j) => score + (j > i) * state.raise));
      const now = mask(scores, state.mask, state.late);
      show(grid, state, now);
      write(says, describe(now));
    };
    const grid = drawGrid(state, (i, j, value) => { state.mask[i][j] = value; update(); });
    const options = html("div", { class: "widget-controls" },
      presets((rule) => { state.mask = fromRule(rule); update(); }),
      choice({ legend: "hide", options: { early: "before the softmax", late: "after it" }, value: "early",
        onChange: (when) => { state.late = when === "late"; update(); } }),
      slider({ label: "raise all scores of later tokens by", min: 0, max: 5, step: 0.5, value: 0,
        say: (raise) => text(raise, 1), onInput: (raise) => { state.raise = raise; update(); } }));
    stage.append(grid.element, options, says);
    update();
  }

  define("mask_paint", mask, build);
})();
