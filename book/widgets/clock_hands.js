// Chapter 8: a query and a key are hands of a clock, and turn with their positions.
"use strict";

(() => {
  const { html, svg, set } = courseElements;
  const { text, write, slider, choice, sentence, define } = courseWidgets;
  const SPEEDS = { "1": "1 radian", "0.1": "0.1", "0.01": "0.01" }; // a position
  const FARTHEST = 64, LAST = 1000;
  const X = 80, Y = 86, R = 66; // the clock
  const LEFT = 34, RIGHT = 284, TOP = 16, FLOOR = 126; // the curve

  /** Two vectors (1, 0), turned by the angles of their positions: where they point, and their product. */
  function clockHands(queryAt, keyAt, speed) {
    const hand = (position) => [Math.cos(position * speed), Math.sin(position * speed)];
    const query = hand(queryAt), key = hand(keyAt);
    return { query, key, apart: (queryAt - keyAt) * speed, product: query[0] * key[0] + query[1] * key[1] };
  }

  const place = ([cos, sin], radius) => [X + radius * cos, Y - radius * sin];

  function hand(name, at, shape) {
    const line = svg("path", { class: `widget-curve token-${at}` });
    const tip = svg("path", { class: `token-${at}`, d: shape });
    const label = svg("text", { "text-anchor": "middle" }, name);
    const turn = (direction, length) => {
      const [x, y] = place(direction, length);
      set(line, { d: `M${X} ${Y}L${x} ${y}` });
      set(tip, { transform: `translate(${x} ${y})` });
      const [labelX, labelY] = place(direction, R + 15);
      set(label, { x: labelX, y: labelY + 4 });
    };
    return { parts: [line, tip, label], turn };
  }

  /** The clock. Hands of two lengths, so that both are seen where they point the same way. */
  function clock() {
    const query = hand("Q", 0, "M-5 0A5 5 0 1 1 5 0A5 5 0 1 1 -5 0Z");
    const key = hand("K", 1, "M-4.5 -4.5H4.5V4.5H-4.5Z");
    const arc = svg("path", { class: "widget-hollow" });
    const picture = svg("svg", { viewBox: "-10 -4 180 180", role: "img",
      "aria-label": "A clock with two hands, one for the query and one for the key." },
      svg("circle", { class: "widget-grid", cx: X, cy: Y, r: R }), arc, ...query.parts, ...key.parts);
    const show = (now) => {
      query.turn(now.query, R);
      key.turn(now.key, R - 16);
      const between = Math.atan2(now.query[1] * now.key[0] - now.query[0] * now.key[1], now.product);
      const [from, to] = [now.key, now.query].map((one) => place(one, 22).join(" "));
      set(arc, { d: `M${from}A22 22 0 0 ${between > 0 ? 0 : 1} ${to}` });
    };
    return { picture, show };
  }

  const x = (distance) => LEFT + ((RIGHT - LEFT) * distance) / FARTHEST;
  const y = (product) => TOP + ((FLOOR - TOP) * (1 - product)) / 2;

  /** The product against the distance: a curve that depends on the speed alone, and a mark on it. */
  function chart() {
    const curve = svg("path", { class: "widget-curve token-2" });
    const mark = svg("circle", { class: "token-2", r: 5.5 });
    const ticks = [0, 16, 32, 48, 64].map((distance) =>
      svg("text", { x: x(distance), y: FLOOR + 18, "text-anchor": "middle" }, String(distance)));
    const heights = [1, 0, -1].map((product) =>
      svg("text", { x: LEFT - 6, y: y(product) + 4, "text-anchor": "end" }, String(product).replace("-", "\u2212")));
    const picture = svg("svg", { viewBox: "0 0 296 164", role: "img",
      "aria-label": "Line chart: the product of the two hands against the distance of their positions." },
      svg("path", { class: "widget-grid", d: `M${LEFT} ${y(0)}H${RIGHT}` }),
      svg("path", { class: "widget-axis", d: `M${LEFT} ${TOP}V${FLOOR}H${RIGHT}` }), ...ticks, ...heights,
      svg("text", { x: LEFT + 6, y: 10, class: "widget-label" }, "product"),
      svg("text", { x: (LEFT + RIGHT) / 2, y: FLOOR + 35, class: "widget-label", "text-anchor": "middle" }, "distance"),
      curve, mark);
    const show = ({ distance, speed }, product) => {
      const points = Array.from({ length: 4 * FARTHEST + 1 }, (_, i) => [x(i / 4), y(Math.cos((i / 4) * speed))]);
      set(curve, { d: `M${points.join("L")}` });
      set(mark, { cx: x(distance), cy: y(product) });
    };
    return { picture, show };
  }

  function controls(state, change) {
    const whole = (value) => String(value);
    return html("div", { class: "widget-controls" },
      slider({ label: "position of the key: moves both", min: 0, max: LAST, step: 1, value: state.keyAt,
        say: whole, onInput: (keyAt) => change({ keyAt }) }),
      slider({ label: "distance: how much later the query is", min: 0, max: FARTHEST, step: 1,
        value: state.distance, say: whole, onInput: (distance) => change({ distance }) }),
      choice({ legend: "speed of the hands, by position", options: SPEEDS, value: String(state.speed),
        onChange: (speed) => change({ speed: Number(speed) }) }));
  }

  function build(stage) {
    const state = { keyAt: 2, distance: 1, speed: 1 };
    const face = clock(), curve = chart(), says = sentence();
    const change = (what) => {
      Object.assign(state, what);
      const queryAt = state.keyAt + state.distance;
      const now = clockHands(queryAt, state.keyAt, state.speed);
      face.show(now);
      curve.show(state, now.product);
      const turned = [queryAt, state.keyAt].map((position) => text(position * state.speed));
      write(says, `The query at position ${queryAt} is turned by ${turned[0]} radians, the key at position ` +
        `${state.keyAt} by ${turned[1]}. They are ${text(now.apart)} apart, and their product is ${text(now.product)}.`);
    };
    stage.append(controls(state, change), face.picture, curve.picture, says);
    change({});
  }

  define("clock_hands", clockHands, build);
})();
