// Chapter 9: tiles of scores come and go, while each query keeps a maximum, a sum and a weighted sum.
"use strict";

(() => {
  const { html, svg, set } = courseElements;
  const { text, write, slider, choice, table, markRows, sentence, define } = courseWidgets;
  const POWERS = [ // exp(score) [queries][keys]
    [2, 1, 4, 1, 8, 2], [1, 4, 2, 2, 1, 8], [8, 2, 1, 4, 2, 1], [1, 1, 2, 8, 4, 2], [4, 2, 8, 1, 2, 1],
    [1, 2, 4, 1, 1, 8],
  ];
  const VALUES = [16, 8, 0, 24, 8, 16];
  const COUNT = VALUES.length, CELL = 26, LEFT = 54, TOP = 22; // in units of the drawing
  const EMPTY = { maximum: -Infinity, total: 0, summed: 0 };

  /** What a query knows after the keys of a tile; scores it may not see are -Infinity. */
  function grow({ maximum, total, summed }, scores, values) {
    const larger = Math.max(maximum, ...scores);
    if (larger === -Infinity) return EMPTY;
    const shares = scores.map((score) => Math.exp(score - larger));
    const shrink = Math.exp(maximum - larger);
    const add = (sum, by) => shares.reduce((so, share, at) => so + share * by[at], sum * shrink);
    return { maximum: larger, total: add(total, shares.map(() => 1)), summed: add(summed, values) };
  }

  /** The tiles in the order of the work: their first query and key. Those that nobody may see are left out. */
  function order(size, backwards, causal) {
    const starts = Array.from({ length: COUNT / size }, (_, at) => at * size);
    const keys = backwards ? [...starts].reverse() : starts;
    return starts.flatMap((query) => keys.map((key) => [query, key]))
      .filter(([query, key]) => !causal || key < query + size);
  }

  /** The state of each query after some tiles. */
  function run({ size, backwards, causal }, done, scores = POWERS.map((row) => row.map(Math.log)), values = VALUES) {
    const tiles = order(size, backwards, causal);
    const states = scores.map(() => EMPTY);
    tiles.slice(0, done).forEach(([query, key]) => {
      for (let i = query; i < query + size; i++) {
        const seen = scores[i].slice(key, key + size).map((score, j) => (causal && key + j > i ? -Infinity : score));
        states[i] = grow(states[i], seen, values.slice(key, key + size));
      }
    });
    return { tiles, states };
  }

  function drawing() {
    const place = (at) => (at + 0.5) * CELL;
    const row = (name, numbers, y) => [svg("text", { x: LEFT - 6, y, class: "widget-label", "text-anchor": "end" }, name),
      ...numbers.map((number, at) => svg("text", { x: LEFT + place(at), y, "text-anchor": "middle" }, String(number)))];
    const queries = VALUES.map((_, at) => row(`query ${at + 1}`, [], TOP + place(at) + 5)).flat();
    const cells = VALUES.map((_, i) => VALUES.map((_, j) => ({
      box: svg("rect", { x: LEFT + j * CELL, y: TOP + i * CELL, width: CELL, height: CELL }),
      number: svg("text", { x: LEFT + place(j), y: TOP + place(i) + 5, "text-anchor": "middle" }),
    })));
    const now = svg("rect", { class: "widget-picked" });
    const all = cells.flat();
    const picture = svg("svg", { viewBox: `0 0 ${LEFT + COUNT * CELL + 2} ${TOP + COUNT * CELL + 24}`, role: "img", class: "widget-tiles",
      "aria-label": "A grid of six queries and six keys. One tile shows the exponentials of its scores; tiles before it are done, and empty again." },
      ...row("key", VALUES.map((_, at) => at + 1), TOP - 6), ...queries,
      ...all.map(({ box }) => box), ...all.map(({ number }) => number), now,
      ...row("value", VALUES, TOP + COUNT * CELL + 17));
    return { picture, cells, now };
  }

  const within = ([query, key], size, i, j) => i >= query && i < query + size && j >= key && j < key + size;

  function draw({ cells, now }, { size, causal }, tiles, done) {
    const current = tiles[done - 1];
    cells.forEach((row, i) => row.forEach(({ box, number }, j) => {
      const at = tiles.findIndex((tile) => within(tile, size, i, j));
      const alive = at === done - 1 && at >= 0;
      set(box, { class: at < 0 ? "is-skipped" : alive ? "is-alive" : at < done ? "is-done" : "is-waiting" });
      write(number, alive ? (causal && j > i ? "−" : String(POWERS[i][j])) : "");
    }));
    const [query, key] = current || [0, 0];
    set(now, { x: LEFT + key * CELL, y: TOP + query * CELL, width: size * CELL, height: size * CELL,
      visibility: current ? "visible" : "hidden" });
  }

  const exact = (number) => String(Number(number.toFixed(3))); // whole eighths, without the noise of the last bits

  /** How a tile changes what its first query keeps, in the numbers of the drawing. */
  function step({ size, causal }, [query, key], before, after) {
    const old = before[query], now = after[query], power = exact(Math.exp(now.maximum));
    const keys = VALUES.map((_, at) => at).filter((at) => within([query, key], size, query, at) && !(causal && at > query));
    const add = (name, sum, terms) => {
      const scaled = old.total ? `${exact(old[sum])} × ${exact(Math.exp(old.maximum))}/${power} + ` : "";
      const added = terms.length > 1 ? `(${terms.join(" + ")})` : terms[0];
      return `${name}: ${scaled}${added}/${power} =\u00a0${exact(now[sum])}`;
    };
    return [`Query ${query + 1}: ${old.total ? "old × factor + new" : "new only, nothing kept so far"}`,
      add("total", "total", keys.map((at) => POWERS[query][at])),
      add("summed", "summed", keys.map((at) => `${POWERS[query][at]}·${VALUES[at]}`)),
      `output: ${exact(now.summed)}/${exact(now.total)} = ${text(now.summed / now.total)}`].join("\n");
  }

  function show(cells, states) {
    states.forEach(({ maximum, total, summed }, at) => {
      const shown = [maximum === -Infinity ? "−" : exact(Math.exp(maximum)), exact(total), exact(summed), total ? text(summed / total) : "−"];
      shown.forEach((what, column) => write(cells[at][column], what));
    });
  }

  const span = (from, size) => (size === 1 ? String(from + 1) : `${from + 1} to ${from + size}`);

  function describe({ size, causal }, tiles, done) {
    const all = (COUNT / size) ** 2, held = size * size;
    const skipped = all - tiles.length ? ` ${all - tiles.length} of ${all} tiles are skipped.` : "";
    if (done === 0) return `Nothing is computed yet.${skipped}`;
    if (done < tiles.length) {
      const [query, key] = tiles[done - 1];
      return `Tile ${done} of ${tiles.length}: queries ${span(query, size)}, keys ${span(key, size)}. ${held} of 36 scores exist.${skipped}`;
    }
    return `Done. The outputs are those of attention ${causal ? "with a causal mask" : "over all keys"}, and no more than ${held} of 36 scores existed at a time.${skipped}`;
  }

  function controls(state, change) {
    const progress = slider({ label: "tiles done", min: 0, max: order(state.size).length, step: 1, value: state.done,
      say: String, onInput: (done) => change({ done }) });
    const input = progress.querySelector("input");
    const again = (what) => { // other tiles: stay as far through them as before
      const share = state.done / order(state.size, state.backwards, state.causal).length;
      Object.assign(state, what);
      const count = order(state.size, state.backwards, state.causal).length;
      set(input, { max: count });
      input.value = String(Math.round(share * count));
      input.dispatchEvent(new Event("input"));
    };
    return html("div", { class: "widget-controls" }, progress,
      choice({ legend: "size of a tile", options: { 1: "1 by 1", 2: "2 by 2", 3: "3 by 3", 6: "6 by 6" }, value: String(state.size),
        onChange: (size) => again({ size: Number(size) }) }),
      choice({ legend: "keys", options: { first: "first to last", last: "last to first" }, value: "first",
        onChange: (which) => again({ backwards: which === "last" }) }),
      choice({ legend: "mask", options: { none: "none", causal: "causal" }, value: "none",
        onChange: (mask) => again({ causal: mask === "causal" }) }));
  }

  function build(stage) {
    const state = { size: 2, backwards: false, causal: false, done: 2 };
    const shape = drawing();
    const columns = ["exp(max)", "total", "summed", "output"];
    const grid = table("What each query keeps", columns, VALUES.map((_, at) => `query ${at + 1}`));
    const says = sentence(), sums = html("p", { class: "tiles-step" });
    const update = () => {
      const { tiles, states } = run(state, state.done);
      const current = tiles[state.done - 1];
      write(sums, current ? step(state, current, run(state, state.done - 1).states, states) : "");
      markRows(grid.cells, (query) => current && query >= current[0] && query < current[0] + state.size);
      draw(shape, state, tiles, state.done);
      show(grid.cells, states);
      write(says, describe(state, tiles, state.done));
    };
    const options = controls(state, (what) => { Object.assign(state, what); update(); });
    const legend = html("p", { class: "widget-legend" }, "in the cells: exp(score)");
    options.append(sums);
    stage.append(options, html("div", {}, shape.picture, legend), grid.element, says);
    update();
  }

  define("tiles", run, build);
})();
