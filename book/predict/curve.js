// Draw a curve: with a finger or a pointer, or with the arrows. The measured one is drawn over it.
"use strict";

(() => {
  const { svg } = courseElements;
  const { define, note } = coursePredict;
  const HEIGHT = 270, LEFT = 46, RIGHT = 12, TOP = 26, BOTTOM = 48;
  const STEPS = 20; // of the arrows, from 0 to the top

  const text = (attributes, words) => svg("text", attributes, words);
  const path = (name, points, end = "") => svg("path", { class: name, d: `M${points.map((one) => one.map((at) => at.toFixed(1))).join("L")}${end}` });

  /** Places in pixels, for the width that there is. */
  function scale(data, width) {
    const last = data.x.length - 1;
    return {
      width,
      x: (at) => LEFT + 8 + ((width - LEFT - RIGHT - 16) * at) / last,
      y: (value) => HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * value) / data.top,
      at: (x) => Math.max(0, Math.min(last, Math.round(((x - LEFT - 8) / (width - LEFT - RIGHT - 16)) * last))),
      value: (y) => Math.max(0, Math.min(data.top, (data.top * (HEIGHT - BOTTOM - y)) / (HEIGHT - BOTTOM - TOP))),
    };
  }

  const shown = (data, value) => data.percent ? `${(100 * value).toFixed(0)}%` : value.toFixed(2);

  function axes(data, { x, y, width }) {
    const room = Math.ceil((data.x.length * 34) / (width - LEFT - RIGHT)); // so that no label meets the next
    const ticks = data.x.flatMap((place, at) => at % room ? [] :
      [text({ x: x(at), y: HEIGHT - BOTTOM + 20, "text-anchor": "middle" }, String(place))]);
    const lines = [0, 0.25, 0.5, 0.75, 1].flatMap((part) => {
      const high = y(part * data.top);
      return [path("predict-grid", [[LEFT, high], [width - RIGHT, high]]),
        text({ x: LEFT - 6, y: high + 4, "text-anchor": "end" }, shown(data, part * data.top))];
    });
    return [...lines, ...ticks,
      text({ x: 0, y: 13, class: "predict-label" }, data.up),
      text({ x: width - RIGHT, y: HEIGHT - 8, class: "predict-label", "text-anchor": "end" }, data.across)];
  }

  function guessed({ data, guess, at, open, drawn }, { x, y }) {
    const points = guess.map((value, place) => [x(place), y(value)]);
    const marks = points.slice(1).map(([across, up], place) => svg("rect", { x: across - 4, y: up - 4, width: 8, height: 8,
      class: place + 1 === at && !open ? "predict-mark is-current" : "predict-mark" }));
    if (open && !drawn) return [];
    return [path("predict-guess", points), ...marks,
      ...(open ? [] : [svg("circle", { cx: x(0), cy: y(data.mean[0]), r: 5, class: "predict-given" })])];
  }

  function measured({ data }, { x, y }) {
    const high = data.high.map((value, at) => [x(at), y(value)]);
    const low = data.low.map((value, at) => [x(at), y(value)]).reverse();
    const points = data.mean.map((value, at) => [x(at), y(value)]);
    const line = path("predict-measured", points);
    line.setAttribute("pathLength", "1"); // for the animation
    return [path("predict-range", [...high, ...low], "Z"), line,
      ...points.map(([across, up]) => svg("circle", { cx: across, cy: up, r: 4, class: "predict-given" }))];
  }

  function draw(chart, state) {
    const width = Math.max(240, chart.parentElement.clientWidth);
    state.scale = scale(state.data, width);
    chart.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    chart.replaceChildren(...axes(state.data, state.scale), ...guessed(state, state.scale),
      ...(state.open ? measured(state, state.scale) : []));
  }

  const place = (data, at) => data.at.replace("{}", data.x[at]);

  function tell(chart, { data, guess, at }) {
    chart.setAttribute("aria-valuenow", String(guess[at]));
    chart.setAttribute("aria-valuetext", `at ${place(data, at)}: ${shown(data, guess[at])}`);
  }

  /** The value at the pointer, and between it and where it was before. */
  function follow(event, chart, state, from) {
    const box = chart.getBoundingClientRect();
    const to = Math.max(1, state.scale.at(event.clientX - box.left));
    const value = state.scale.value(event.clientY - box.top);
    const start = from ?? to;
    for (let at = Math.min(start, to); at <= Math.max(start, to); at += 1) {
      const share = start === to ? 1 : (at - start) / (to - start);
      if (at >= 1) state.guess[at] = state.guess[start] + (value - state.guess[start]) * share;
    }
    state.at = to;
    state.drawn = true;
    return to;
  }

  function byPointer(chart, state, change) {
    let last = null;
    chart.addEventListener("pointerdown", (event) => {
      if (state.open) return;
      chart.setPointerCapture(event.pointerId);
      last = follow(event, chart, state, null);
      change();
    });
    chart.addEventListener("pointermove", (event) => {
      if (last === null || state.open) return;
      last = follow(event, chart, state, last);
      change();
    });
    for (const end of ["pointerup", "pointercancel"]) chart.addEventListener(end, () => (last = null));
  }

  function byKeys(chart, state, change) {
    const last = state.data.x.length - 1, step = state.data.top / STEPS;
    const across = { ArrowLeft: () => state.at - 1, ArrowRight: () => state.at + 1, Home: () => 1, End: () => last };
    const up = { ArrowUp: 1, ArrowDown: -1, PageUp: 4, PageDown: -4 };
    chart.addEventListener("keydown", (event) => {
      if (state.open || !(event.key in across || event.key in up)) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key in across) state.at = Math.max(1, Math.min(last, across[event.key]()));
      else {
        const value = (Math.round(state.guess[state.at] / step) + up[event.key]) * step;
        state.guess[state.at] = Math.max(0, Math.min(state.data.top, value));
        state.drawn = true;
      }
      change();
    });
  }

  function finish(chart, state) {
    state.open = true;
    for (const name of ["tabindex", "aria-valuenow", "aria-valuetext", "aria-valuemin", "aria-valuemax"]) chart.removeAttribute(name);
    const { data, guess, drawn } = state;
    const pairs = data.x.map((_, at) =>
      `${place(data, at)}: ${drawn ? `yours ${shown(data, guess[at])}, ` : ""}measured ${shown(data, data.mean[at])}`);
    if (drawn) note(chart.parentElement.nextElementSibling, "your curve", "note-guess");
    note(chart.parentElement.nextElementSibling, "measured", "note-measured");
    chart.setAttribute("role", "img");
    chart.setAttribute("aria-label", `Line chart. ${data.up}. ${pairs.join("; ")}.`);
  }

  define("curve", (host, say) => {
    const data = JSON.parse(host.querySelector("script").textContent);
    const state = { data, guess: data.x.map(() => data.mean[0]), at: 1, open: false, drawn: false };
    const chart = svg("svg", { role: "slider", tabindex: 0, "aria-valuemin": 0, "aria-valuemax": data.top,
      "aria-label": `Your curve: ${data.up}. Left and right choose a place, up and down set its value.` });
    host.querySelector(".predict-chart").append(chart);
    const change = () => { draw(chart, state); if (!state.open) tell(chart, state); };
    byPointer(chart, state, change);
    byKeys(chart, state, change);
    new ResizeObserver(change).observe(chart.parentElement);
    change();
    return (guesses) => {
      if (guesses && !state.drawn) {
        say("Draw your curve first.");
        return null;
      }
      state.drawn = guesses;
      finish(chart, state);
      change();
      const gaps = data.mean.map((value, at) => Math.abs(value - state.guess[at]));
      const at = gaps.indexOf(Math.max(...gaps));
      const found = `measured ${shown(data, data.mean[at])}`;
      if (!guesses) return `At ${place(data, at)}, ${found}.`;
      return `Farthest off at ${place(data, at)}: you drew ${shown(data, state.guess[at])}; ${found}.`;
    };
  });
})();
