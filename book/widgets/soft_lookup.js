// Chapter 1: three keys, and a temperature that turns a soft lookup into a hard one.
"use strict";

(() => {
  const { svg, set, html } = courseElements;
  const { dot, softmax, text, write, showWeight, slider, table, sentence, define } = courseWidgets;
  const VALUES = [8, 16, 40];
  const LEFT = 46, AXIS = 112, FULL = 84; // in units of the drawing: where it begins, its floor, a weight of 1
  const x = (value) => LEFT + (value - 4) * 5.8;

  /** Scores and values [keys]; the output, what a hard lookup returns, and d output / d score. */
  function lookup(scores, values, temperature) {
    const weights = softmax(scores.map((score) => score / temperature));
    const output = dot(weights, values);
    const gradient = weights.map((weight, at) => (weight * (values[at] - output)) / temperature);
    const hard = values[scores.indexOf(Math.max(...scores))];
    return { weights, output, gradient, hard };
  }

  function drawing() {
    const label = { class: "widget-label" };
    const bars = VALUES.map((_, at) => svg("rect", { class: `token-${at}`, width: 26 }));
    const numbers = VALUES.map(() => svg("text", { "text-anchor": "middle" }));
    const ticks = VALUES.map((value) =>
      svg("text", { x: x(value), y: AXIS + 16, "text-anchor": "middle" }, String(value)));
    const soft = svg("path", { class: "widget-ink", d: "M0 -9 8 5 -8 5Z" });
    const hard = svg("rect", { class: "widget-hollow", x: -6, y: -6, width: 12, height: 12 });
    const markers = [soft, hard].map((shape) => svg("g", {}, shape, svg("text", { x: 13, y: 5 })));
    const picture = svg("svg", { viewBox: "0 0 290 186", role: "img",
      "aria-label": "Weights as bars over the values 8, 16 and 40; below, the values returned." },
      svg("path", { class: "widget-axis", d: `M${LEFT} ${AXIS}H284` }),
      svg("text", { x: 0, y: 30, ...label }, "weight"),
      svg("text", { x: 0, y: AXIS + 16, ...label }, "value"),
      svg("text", { x: 0, y: AXIS + 42, ...label }, "soft"),
      svg("text", { x: 0, y: AXIS + 66, ...label }, "hard"),
      ...ticks, ...bars, ...numbers, ...markers);
    return { picture, bars, numbers, markers };
  }

  function draw({ bars, numbers, markers }, { weights, output, hard }) {
    weights.forEach((weight, at) => {
      const height = weight * FULL;
      set(bars[at], { x: x(VALUES[at]) - 13, y: AXIS - height, height });
      set(numbers[at], { x: x(VALUES[at]), y: AXIS - height - 5 });
      write(numbers[at], text(weight));
    });
    [output, hard].forEach((value, at) => {
      set(markers[at], { transform: `translate(${x(value)} ${AXIS + 37 + 24 * at})` });
      write(markers[at].lastChild, at ? String(value) : text(value));
    });
  }

  function build(stage) {
    const state = { powers: [1, 6, 1], temperature: 1 };
    const shape = drawing();
    const keys = ["token 1", "token 2", "token 3"];
    const rows = ["weight", "derivative"];
    const grid = table("Each key's weight, and the derivative of the output with respect to its score", keys, rows);
    const says = sentence();
    const update = () => {
      const now = lookup(state.powers.map(Math.log), VALUES, state.temperature);
      draw(shape, now);
      now.weights.forEach((weight, at) => showWeight(grid.cells[0][at], weight));
      now.gradient.forEach((slope, at) => write(grid.cells[1][at], text(slope)));
      write(says, `The soft lookup returns ${text(now.output)}, the hard one ${now.hard}.`);
    };
    stage.append(controls(state, update), shape.picture, grid.element, says);
    update();
  }

  function controls(state, update) {
    const temperature = slider({ label: "temperature", min: -4, max: 4, step: 0.25, value: 0,
      say: (power) => text(2 ** power),
      onInput: (power) => { state.temperature = 2 ** power; update(); } });
    const scores = state.powers.map((value, at) =>
      slider({ label: `exp(score) of token ${at + 1}`, min: 1, max: 12, step: 1, value, say: String,
        onInput: (power) => { state.powers[at] = power; update(); } }));
    return html("div", { class: "widget-controls" }, temperature, ...scores);
  }

  define("soft_lookup", lookup, build);
})();
