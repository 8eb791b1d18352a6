// Chapter 2: three tokens whose query, key and value vectors can be moved.
"use strict";

(() => {
  const { html, svg, set } = courseElements;
  const { dot, softmax, average, text, write, showWeight, showSigned, table, sentence, define } = courseWidgets;
  const PEOPLE = ["Ana", "Ben", "Cleo"];
  const START = { // the swap of seeds on this page; the first components of the values are days to sprout
    query: [[-1.14, -0.66], [1.14, -0.66], [0, 1.32]],
    key: [[0, 0.7], [-0.61, -0.35], [0.61, -0.35]],
    value: [[6, 6], [12, 18], [18, 6]],
  };
  const SHAPES = { query: "M0 -9 8 5 -8 5Z", key: "M-7 -7H7V7H-7Z", output: "M0 -8 8 0 0 8 -8 0Z",
    value: "M-8 0A8 8 0 1 1 8 0A8 8 0 1 1 -8 0Z" };
  const MATCH = { low: -2, high: 2, step: 0.1, tick: 1 };
  const CONTENT = { low: 0, high: 24, step: 1, tick: 6 };
  const SIZE = 250, EDGE = 20;
  const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

  /** query [queries][d_k], key [keys][d_k], value [keys][d_v]; scores are not divided by a root. */
  function attend(query, key, value) {
    const scores = query.map((one) => key.map((other) => dot(one, other)));
    const weights = scores.map(softmax);
    return { scores, weights, output: weights.map((row) => average(row, value)) };
  }

  const place = ({ low, high }, [x, y]) => {
    const unit = (SIZE - 2 * EDGE) / (high - low);
    return [EDGE + (x - low) * unit, SIZE - EDGE - (y - low) * unit];
  };
  const within = ({ low, high }, number) =>
    Math.min(Math.max(Math.round(number * 100) / 100, low), high);
  const stepFrom = (plane, x, steps) => within(plane, (Math.round(x / plane.step) + steps) * plane.step);
  const put = (node, plane, vector) => set(node, { transform: `translate(${place(plane, vector)})` });

  /** An empty coordinate plane with numbers on its axes. */
  function drawPlane(plane, label) {
    const picture = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "group", "aria-label": label });
    for (let at = plane.low; at <= plane.high; at += plane.tick) {
      const [[x, bottom], [left, y]] = [place(plane, [at, plane.low]), place(plane, [plane.low, at])];
      const far = SIZE - EDGE;
      picture.append(
        svg("path", { class: at ? "widget-grid" : "widget-axis", d: `M${x} ${EDGE}V${far}M${EDGE} ${y}H${far}` }),
        svg("text", { x, y: bottom + 16, "text-anchor": "middle", class: "widget-label" }, text(at, 0)),
        svg("text", { x: left - 5, y: y + 4, "text-anchor": "end", class: "widget-label" }, text(at, 0)));
    }
    return picture;
  }

  function mark(kind, at) {
    const ray = svg("path", { class: "widget-ray" });
    const [x, y] = { query: [0, -12], key: [0, 21], value: [16, 14], output: [0, -12] }[kind];
    const hint = svg("text", { x, y, "text-anchor": "middle" }, PEOPLE[at][0]);
    return svg("g", { class: `token-${at} is-${kind}` }, ray, svg("path", { d: SHAPES[kind] }), hint);
  }

  /** A vector that the pointer drags and the arrow keys move; `moved` gets its new components. */
  function handle(kind, at, plane, moved) {
    const node = mark(kind, at);
    set(node, { tabindex: 0, role: "slider", "aria-label": `${kind} of ${PEOPLE[at]}`,
      "aria-valuemin": plane.low, "aria-valuemax": plane.high });
    node.prepend(svg("circle", { class: "widget-hit", r: 15 }));
    node.addEventListener("keydown", (event) => {
      if (!MOVES[event.key]) return;
      event.preventDefault();
      const steps = MOVES[event.key].map((one) => one * (event.shiftKey ? 5 : 1));
      moved(node.vector.map((x, axis) => (steps[axis] ? stepFrom(plane, x, steps[axis]) : x)));
    });
    listen(node, plane, moved);
    return node;
  }

  /** A finger on a handle drags it; beside it, the page scrolls, which touch-action of an <svg> would
   * forbid in all of it. Where the plane lies is read once, not between the frames of a drag. */
  function listen(node, plane, moved) {
    let toPlane;
    node.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    node.addEventListener("pointerdown", (event) => {
      const { clientX, clientY, pageX, pageY } = event;
      toPlane = node.ownerSVGElement.getScreenCTM().inverse().translate(clientX - pageX, clientY - pageY);
      node.setPointerCapture(event.pointerId);
      node.focus({ preventScroll: true });
    });
    node.addEventListener("pointermove", ({ pointerId, pageX, pageY }) => {
      if (!node.hasPointerCapture(pointerId)) return;
      moved(vectorAt(new DOMPoint(pageX, pageY).matrixTransform(toPlane), plane));
    });
  }

  function vectorAt({ x, y }, plane) {
    const unit = (plane.high - plane.low) / (SIZE - 2 * EDGE);
    return [(x - EDGE) * unit, (SIZE - EDGE - y) * unit].map((part) => within(plane, plane.low + part));
  }

  function showVector(node, plane, vector) {
    node.vector = vector;
    const [[x, y], [zeroX, zeroY]] = [place(plane, vector), place(plane, [0, 0])];
    set(node.querySelector(".widget-ray"), { d: `M${zeroX - x} ${zeroY - y}L0 0` });
    set(put(node, plane, vector),
      { "aria-valuenow": vector[0], "aria-valuetext": vector.map((part) => text(part)).join(", ") });
  }

  function tables() {
    const grids = {
      scores: table("scores, query · key", PEOPLE, PEOPLE),
      weights: table("weights, softmax", PEOPLE, PEOPLE),
      output: table("output, weights · values", ["first", "second"], PEOPLE),
    };
    const show = ({ scores, weights, output }) => PEOPLE.forEach((_, row) => {
      scores[row].forEach((score, at) => showSigned(grids.scores.cells[row][at], score, 4));
      weights[row].forEach((weight, at) => showWeight(grids.weights.cells[row][at], weight));
      output[row].forEach((part, at) => write(grids.output.cells[row][at], text(part, 1)));
    });
    for (const [name, { element }] of Object.entries(grids)) element.classList.add(`is-${name}`);
    return { ...grids, show };
  }

  /** Who gets the largest weight of each query, in words. */
  function describe({ weights }) {
    const looks = weights.map((row, at) => {
      const most = Math.max(...row);
      if (most - Math.min(...row) < 0.01) return `${PEOPLE[at]} looks at all alike`;
      return `${PEOPLE[at]} looks most at ${PEOPLE[row.indexOf(most)]} (${text(most)})`;
    });
    return `${looks.join("; ")}.`;
  }

  function planes(state, update) {
    const match = drawPlane(MATCH, "queries and keys");
    const content = drawPlane(CONTENT, "values and outputs");
    const hull = svg("path", { class: "widget-hull" });
    const outputs = PEOPLE.map((_, at) => mark("output", at));
    content.append(hull, ...outputs);
    const handles = { query: [], key: [], value: [] };
    for (const [kind, nodes] of Object.entries(handles)) {
      const [picture, plane] = kind === "value" ? [content, CONTENT] : [match, MATCH];
      PEOPLE.forEach((_, at) => nodes.push(handle(kind, at, plane, (vector) => {
        state[kind][at] = vector;
        update();
      })));
      picture.append(...nodes);
    }
    return { match, content, hull, outputs, handles };
  }

  function show({ hull, outputs, handles }, state, output) {
    for (const [kind, nodes] of Object.entries(handles)) {
      nodes.forEach((node, at) => showVector(node, kind === "value" ? CONTENT : MATCH, state[kind][at]));
    }
    handles.query.forEach((node) => (node.style.display = state.tied ? "none" : ""));
    outputs.forEach((node, at) => put(node, CONTENT, output[at]));
    set(hull, { d: `M${state.value.map((vector) => place(CONTENT, vector)).join("L")}Z` });
  }

  function build(stage) {
    const state = { ...structuredClone(START), tied: false };
    const numbers = tables();
    const says = sentence();
    const update = () => {
      const now = attend(state.tied ? state.key : state.query, state.key, state.value);
      show(drawn, state, now.output);
      numbers.show(now);
      write(says, describe(now));
    };
    const drawn = planes(state, update);
    stage.append(
      html("div", { class: "widget-kept" }, numbers.weights.element),
      html("div", {}, drawn.match, html("p", { class: "widget-legend" }, "▲ query   ■ key")),
      html("div", {}, drawn.content,
        html("p", { class: "widget-legend" }, "● value   ◇ output, always inside the dashed triangle")),
      buttons(state, update), numbers.scores.element, numbers.output.element, says);
    update();
  }

  function buttons(state, update) {
    const tied = html("input", { type: "checkbox" });
    tied.addEventListener("change", () => { state.tied = tied.checked; update(); });
    const again = html("button", { type: "button" }, "Start again");
    again.addEventListener("click", () => {
      Object.assign(state, structuredClone(START), { tied: false });
      tied.checked = false;
      update();
    });
    return html("div", { class: "widget-row" },
      html("label", {}, tied, " use each key as its query"), again);
  }

  define("three_tokens", attend, build);
})();
