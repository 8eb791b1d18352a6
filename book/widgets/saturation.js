// Chapter 3: how d_k and the divisor of the scores saturate the softmax, and what its gradient does.
"use strict";

(() => {
  const { html, svg, set } = courseElements;
  const { softmax, text, write, formulas, writeFormulas, showWeight, showSigned, slider, choice, table, sentence, define } =
    courseWidgets;
  const ROWS = { "3 2 1": [3, 2, 1], "1 2 1": [1, 2, 1], "2 3 3": [2, 3, 3] }; // those of the page
  const DIVISORS = { // the power of d_k, and how it is drawn, as in the figures, and told
    nothing: { power: 0, color: 1, shape: "M-5 0A5 5 0 1 1 5 0A5 5 0 1 1 -5 0Z", sign: "●", says: "undivided scores" },
    root: { power: 0.5, color: 0, shape: "M-4.5 -4.5H4.5V4.5H-4.5Z", sign: "■", says: "scores divided by √d_k" },
    width: { power: 1, color: 2, shape: "M0 -6 5.5 4 -5.5 4Z", sign: "▲", says: "scores divided by d_k" },
  };
  const NAMES = { nothing: "nothing", root: "√d_k", width: "d_k" };
  const LARGEST = 10; // d_k goes up to two to this power
  const LEFT = 36, RIGHT = 280, TOP = 24, FLOOR = 150, HIGH = 0.25;

  /** What the softmax gets when scores that are `scaled` by the root are divided by d_k^power instead. */
  function saturate(scaled, dK, power) {
    const scores = scaled.map((score) => (score * Math.sqrt(dK)) / dK ** power);
    const weights = softmax(scores);
    const jacobian = weights.map((one, i) => weights.map((other, j) => one * ((i === j) - other)));
    return { scores, weights, jacobian, largest: Math.max(...jacobian.flat()) };
  }

  const x = (exponent) => LEFT + ((RIGHT - LEFT) * exponent) / LARGEST;
  const y = (slope) => FLOOR - ((FLOOR - TOP) * slope) / HIGH;

  function axes() {
    const ticks = [0, 2, 4, 6, 8, 10].map((exponent) =>
      svg("text", { x: x(exponent), y: FLOOR + 22, "text-anchor": "middle" }, String(2 ** exponent)));
    return [
      svg("path", { class: "widget-axis", d: `M${LEFT} ${TOP}V${FLOOR}H${RIGHT}` }), ...ticks,
      svg("text", { x: LEFT - 5, y: y(HIGH) + 4, "text-anchor": "end" }, text(HIGH)),
      svg("text", { x: LEFT - 5, y: y(0) + 4, "text-anchor": "end" }, "0"),
      svg("text", { x: LEFT + 6, y: 11, class: "widget-label" }, "largest derivative of a weight"),
      svg("text", { x: (LEFT + RIGHT) / 2, y: FLOOR + 38, class: "widget-label", "text-anchor": "middle" },
        svg("tspan", { "font-style": "italic" }, "d"), svg("tspan", { dy: 3, "font-size": "11px" }, "k")),
    ];
  }

  function drawing() {
    const curves = Object.values(DIVISORS).map(({ color }) => svg("path", { class: `widget-curve token-${color}` }));
    const marks = Object.values(DIVISORS).map(({ shape, color }) =>
      svg("path", { class: `token-${color}`, d: shape }));
    const ring = svg("circle", { class: "widget-hollow", r: 10 });
    const picture = svg("svg", { viewBox: "0 0 290 190", role: "img",
      "aria-label": "Line chart: the largest derivative of a weight with respect to a score, against d_k, for three divisors." },
      ...axes(), ...curves, ...marks, ring);
    return { picture, curves, marks, ring };
  }

  const slope = (row, exponent, power) =>
    saturate(ROWS[row].map(Math.log), 2 ** exponent, power).largest;

  /** The three curves, which depend on the row alone. */
  function drawCurves({ curves }, { row }) {
    Object.values(DIVISORS).forEach(({ power }, at) => {
      const points = Array.from({ length: 4 * LARGEST + 1 }, (_, i) => [x(i / 4), y(slope(row, i / 4, power))]);
      set(curves[at], { d: `M${points.join("L")}` });
    });
  }

  function draw({ marks, ring }, { row, exponent, divisor }) {
    Object.entries(DIVISORS).forEach(([name, { power }], at) => {
      const here = { transform: `translate(${x(exponent)} ${y(slope(row, exponent, power))})` };
      set(marks[at], here);
      if (name === divisor) set(ring, here);
    });
  }

  /** A power can have many digits: from a million on, two of them and the exponent. */
  function short(number) {
    if (number < 1e6) return Number(number.toPrecision(6)) % 1 ? text(number) : String(Math.round(number));
    const [digits, exponent] = number.toExponential(1).split("e+");
    return `${digits}e${exponent}`;
  }

  function tables() {
    const tokens = ["token 1", "token 2", "token 3"];
    const row = table("The row after scaling", tokens, ["exp(score)", "weight"]);
    const slopes = table("Derivative of weights by scores",
      ["weight 1", "weight 2", "weight 3"], ["score 1", "score 2", "score 3"]);
    const show = ({ scores, weights, jacobian }) => {
      scores.forEach((score, at) => write(row.cells[0][at], short(Math.exp(score))));
      weights.forEach((weight, at) => showWeight(row.cells[1][at], weight));
      jacobian.forEach((line, i) => line.forEach((slope, j) => showSigned(slopes.cells[i][j], slope, HIGH)));
    };
    return { elements: [row.element, slopes.element], show };
  }

  function controls(state, change) {
    const signs = Object.entries(DIVISORS).map(([name, { sign, color }]) =>
      [name, html("span", {}, html("span", { class: `ink-${color}` }, sign), ...formulas(` ${NAMES[name]}`))]);
    return html("div", { class: "widget-controls" },
      slider({ label: "width d_k", min: 0, max: LARGEST, step: 1, value: state.exponent,
        say: (exponent) => String(2 ** exponent), onInput: (exponent) => change({ exponent }) }),
      choice({ legend: "scores divided by", options: Object.fromEntries(signs), value: state.divisor,
        onChange: (divisor) => change({ divisor }) }),
      choice({ legend: "exp(score) of the row, with √d_k", value: state.row,
        options: Object.fromEntries(Object.keys(ROWS).map((row) => [row, row])),
        onChange: (row) => change({ row }) }));
  }

  function build(stage) {
    const state = { row: "3 2 1", exponent: 6, divisor: "root" };
    const shape = drawing();
    const numbers = tables();
    const says = sentence();
    const change = (what) => {
      Object.assign(state, what);
      const { power, says: how } = DIVISORS[state.divisor];
      const now = saturate(ROWS[state.row].map(Math.log), 2 ** state.exponent, power);
      if (what.row) drawCurves(shape, state);
      draw(shape, state);
      numbers.show(now);
      writeFormulas(says, `With d_k = ${2 ** state.exponent} and ${how}, the largest weight is ` +
        `${text(Math.max(...now.weights))} and the largest derivative ${text(now.largest, 3)}.`);
    };
    stage.append(controls(state, change), shape.picture, ...numbers.elements, says);
    change({ row: state.row });
  }

  define("saturation", saturate, build);
})();
