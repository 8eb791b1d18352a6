// Chapter 8: a query and a key are hands of clocks, and turn with their positions.
"use strict";

(() => {
  const { html, svg, set } = courseElements;
  const { text, write, slider, namesAtEnds, sentence, define } = courseWidgets;
  const SPEEDS = [1, 0.1, 0.01]; // radians a position
  const DASHES = ["", "7 3", "2 3"]; // of their curves
  const COLORS = ["token-2", "token-3", "token-4"]; // the first two are the hands'
  const FARTHEST = 64, LAST = 1000;
  const R = 44, ACROSS = 110, Y = 68; // the clocks
  const LEFT = 34, RIGHT = 232, TOP = 16, FLOOR = 126; // the curves

  /** Two vectors (1, 0), turned by the angles of their positions: where they point, and their product. */
  function clockHands(queryAt, keyAt, speed) {
    const hand = (position) => [Math.cos(position * speed), Math.sin(position * speed)];
    const query = hand(queryAt), key = hand(keyAt);
    return { query, key, apart: (queryAt - keyAt) * speed, product: query[0] * key[0] + query[1] * key[1] };
  }

  /** On a clock: 0 radians are at the top, and hands turn clockwise. */
  const point = (centre, length, [cos, sin]) => `${centre + length * sin} ${Y - length * cos}`;

  function hand(kind, centre, length, shape) {
    const line = svg("path", { class: `widget-curve ${kind}` }), tip = svg("path", { class: kind, d: shape });
    const turn = (direction) => {
      const end = point(centre, length, direction);
      set(line, { d: `M${centre} ${Y}L${end}` });
      set(tip, { transform: `translate(${end})` });
    };
    return { parts: [line, tip], turn };
  }

  /** One clock. Hands of two lengths, so that both are seen where they point the same way; the wedge goes from key to query. */
  function clock(speed, at) {
    const centre = (at + 0.5) * ACROSS, middle = { x: centre, "text-anchor": "middle" };
    const query = hand("token-0", centre, R, "M-5 0A5 5 0 1 1 5 0A5 5 0 1 1 -5 0Z");
    const key = hand("token-1", centre, R - 14, "M-4.5 -4.5H4.5V4.5H-4.5Z");
    const wedge = svg("path", { class: "widget-wedge" }), product = svg("text", { ...middle, y: Y + R + 20 });
    const parts = [svg("circle", { class: "widget-grid", cx: centre, cy: Y, r: R }), wedge, ...key.parts, ...query.parts,
      svg("text", { ...middle, y: 13, class: `widget-name ${COLORS[at]}` }, `speed ${speed}`), product];
    const show = (now) => {
      query.turn(now.query);
      key.turn(now.key);
      const wide = now.apart % (2 * Math.PI) > Math.PI ? 1 : 0;
      const [from, to] = [now.key, now.query].map((direction) => point(centre, R, direction));
      set(wedge, { d: `M${centre} ${Y}L${from}A${R} ${R} 0 ${wide} 1 ${to}Z` });
      write(product, `product ${text(now.product)}`);
    };
    return { parts, show };
  }

  function clocks() {
    const all = SPEEDS.map(clock);
    const picture = svg("svg", { viewBox: `0 0 ${3 * ACROSS} ${Y + R + 26}`, role: "img" }, ...all.flatMap(({ parts }) => parts));
    const show = (found) => {
      all.forEach((one, at) => one.show(found[at]));
      const said = found.map(({ product }, at) => `speed ${SPEEDS[at]}, product ${text(product)}`).join("; ");
      set(picture, { "aria-label": `Three clocks, each with a hand for the query, one for the key, and the wedge from key to query: ${said}.` });
    };
    return { picture, show };
  }

  const x = (distance) => LEFT + ((RIGHT - LEFT) * distance) / FARTHEST;
  const y = (product) => TOP + ((FLOOR - TOP) * (1 - product)) / 2;

  /** The product against the distance: a curve for each speed, and a mark on each. */
  function chart() {
    const curves = SPEEDS.map((speed, at) => svg("path", { class: `widget-curve ${COLORS[at]}`, "stroke-dasharray": DASHES[at],
      d: `M${Array.from({ length: 4 * FARTHEST + 1 }, (_, i) => [x(i / 4), y(Math.cos((i / 4) * speed))]).join("L")}` }));
    const names = namesAtEnds(RIGHT, SPEEDS.map((speed, at) =>
      ({ name: `speed ${speed}`, kind: COLORS[at], y: y(Math.cos(FARTHEST * speed)) })));
    const line = svg("path", { class: "widget-axis" });
    const marks = COLORS.map((color) => svg("circle", { class: color, r: 5 }));
    const ticks = [0, 16, 32, 48, 64].map((distance) =>
      svg("text", { x: x(distance), y: FLOOR + 18, "text-anchor": "middle" }, String(distance)));
    const heights = [1, 0, -1].map((product) =>
      svg("text", { x: LEFT - 6, y: y(product) + 4, "text-anchor": "end" }, String(product).replace("-", "\u2212")));
    const picture = svg("svg", { viewBox: `0 0 ${3 * ACROSS} 164`, role: "img" },
      svg("path", { class: "widget-grid", d: `M${LEFT} ${y(0)}H${RIGHT}` }),
      svg("path", { class: "widget-axis", d: `M${LEFT} ${TOP}V${FLOOR}H${RIGHT}` }), ...ticks, ...heights,
      svg("text", { x: LEFT + 6, y: 10, class: "widget-label" }, "product"),
      svg("text", { x: (LEFT + RIGHT) / 2, y: FLOOR + 35, class: "widget-label", "text-anchor": "middle" }, "distance"),
      ...curves, ...names, line, ...marks);
    const show = (distance, found) => {
      set(line, { d: `M${x(distance)} ${TOP}V${FLOOR}` });
      marks.forEach((mark, at) => set(mark, { cx: x(distance), cy: y(found[at].product) }));
      set(picture, { "aria-label": "Line chart of the product of the two hands against the distance of their positions, "
        + `for three speeds, with marks at distance ${distance}.` });
    };
    return { picture, show };
  }

  function controls(state, change) {
    return html("div", { class: "widget-controls" },
      slider({ label: "position of the key: moves both", min: 0, max: LAST, step: 1, value: state.keyAt,
        say: String, onInput: (keyAt) => change({ keyAt }) }),
      slider({ label: "distance: how much later the query is", min: 0, max: FARTHEST, step: 1,
        value: state.distance, say: String, onInput: (distance) => change({ distance }) }));
  }

  function build(stage) {
    const state = { keyAt: 2, distance: 1 };
    const faces = clocks(), curves = chart(), says = sentence();
    const change = (what) => {
      Object.assign(state, what);
      const queryAt = state.keyAt + state.distance;
      const found = SPEEDS.map((speed) => clockHands(queryAt, state.keyAt, speed));
      faces.show(found);
      curves.show(state.distance, found);
      const [fast, ...slower] = found.map(({ product }) => text(product));
      write(says, `At speed 1 the query at position ${queryAt} is turned by ${queryAt} radians, the key at ${state.keyAt} by `
        + `${state.keyAt}, and their product is ${fast}. At the slower speeds it is ${slower.join(" and ")}.`);
    };
    stage.append(controls(state, change),
      html("div", {}, faces.picture, html("p", { class: "widget-legend" }, html("span", { class: "ink-0" }, "● query"), "   ",
        html("span", { class: "ink-1" }, "■ key"))),
      curves.picture, says);
    change({});
  }

  define("clock_hands", clockHands, build);
})();
