// Chapter 5: the heads of a trained model over sentences of its task; the query can be moved.
"use strict";

(() => {
  const { html, set } = courseElements;
  const { rounded, fromThousandths, text, shade, write, showRounded, choice, table, heatmap, sentence, define } =
    courseWidgets;
  const JOBS = { previous: "previous-token", induction: "induction" };
  const MOVES = { // from a place in two copies of a block
    ArrowLeft: (at) => at - 1, ArrowRight: (at) => at + 1,
    ArrowUp: (at, period) => at - period, ArrowDown: (at, period) => at + period,
    Home: () => 0, End: (_, period) => 2 * period - 1,
  };
  const HIDDEN = "var(--hidden)";

  /** One head over a block of `period` signs, twice: weights [queries][keys up to the query].
   *
   * Its previous-token score, over the first copy, its induction score, over the second, and where
   * each query has its largest weight. */
  function heads(weights, period) {
    const mean = (queries, offset) =>
      queries.reduce((sum, query) => sum + weights[query][query - offset], 0) / queries.length;
    const queries = [...weights.keys()];
    return {
      previous: mean(queries.slice(1, period), 1),
      induction: mean(queries.slice(period), period - 1),
      largest: weights.map((row) => row.indexOf(Math.max(...row))),
    };
  }

  /** What a key is to a query, in words. */
  function place(query, key, period, signs) {
    if (key === query) return "itself";
    if (key === query - 1) return "the symbol just before";
    if (key === query - period) return "its own first copy";
    if (key === query - period + 1) return `what followed ${signs[query]} the first time`;
    return key === 0 ? "the first symbol" : `${query - key} symbols back`;
  }

  /** A canvas knows no names of colours. */
  const resolved = (color) => color.replace(/var\((.*?)\)/g, (_, name) =>
    getComputedStyle(document.documentElement).getPropertyValue(name));

  /** The weights as a picture without numbers, a pixel for each. */
  function thumbnail(weights) {
    const size = weights.length;
    const canvas = html("canvas", { width: size, height: size, "aria-hidden": true });
    const context = canvas.getContext("2d");
    weights.forEach((row, query) => Array.from({ length: size }, (_, key) => {
      context.fillStyle = resolved(key > query ? HIDDEN : shade(row[key]));
      context.fillRect(key, query, 1, 1);
    }));
    return canvas;
  }

  /** Each head with its picture; `show` redraws them for a sentence, and another theme for itself. */
  function gallery(data, picked, onChange) {
    const tiles = {};
    data.sentences[0].weights.forEach((layer, at) => layer.forEach((_, head) => {
      tiles[`${at} ${head}`] = html("span", {}, html("span"), `layer ${at + 1}, head ${head + 1}`);
    }));
    const element = choice({ legend: "head", options: tiles, value: picked.join(" "),
      onChange: (key) => onChange(key.split(" ").map(Number)) });
    element.classList.add("widget-gallery");
    let shown = data.sentences[0];
    const draw = () => Object.entries(tiles).forEach(([key, tile]) => {
      const [layer, head] = key.split(" ");
      tile.firstChild.replaceChildren(thumbnail(shown.weights[layer][head]));
    });
    const show = (sentence) => {
      shown = sentence;
      draw();
    };
    new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return { element, show };
  }

  /** The two copies below each other, a button for each place: its weight, and a way to pick it. */
  function rowOfNumbers(period, onPick) {
    const signs = Array.from({ length: period }, () => "");
    const grid = table("", signs, ["copy 1", "copy 2"]);
    const buttons = grid.cells.flat().map((cell, at) => {
      const button = html("button", { type: "button" });
      button.addEventListener("click", () => onPick(at));
      button.addEventListener("keydown", (event) => {
        const next = MOVES[event.key]?.(at, period);
        if (!buttons[next]) return;
        event.preventDefault();
        onPick(next);
        buttons[next].focus();
      });
      cell.append(button);
      return button;
    });
    return { element: grid.element, buttons };
  }

  function showRow({ element, buttons }, row, signs) {
    const query = row.length - 1;
    write(element.caption, `Weights of query ${query + 1}, ${signs[query]} (framed; hatched: hidden)`);
    [...element.tHead.rows[0].cells].slice(1).forEach((cell, at) => write(cell, signs[at]));
    buttons.forEach((button, at) => {
      const seen = at <= query;
      showRounded(button, row[at] || 0);
      if (!seen) write(button, "");
      button.classList.toggle("is-hidden", !seen);
      button.classList.toggle("is-query", at === query);
      const shown = seen ? `weight ${button.textContent}` : "hidden";
      set(button, { tabindex: at === query ? 0 : -1, "aria-pressed": at === query,
        "aria-label": `place ${at + 1}, ${signs[at]}: ${shown}` });
    });
  }

  /** Whether the head does a job, by the score it has over the test and by that of this sentence. */
  function describeHead(data, [layer, head], here) {
    const says = ([job, name]) =>
      `${name} score ${text(data.scores[job][layer][head])} in the test, ${text(here[job])} here`;
    const jobs = Object.entries(JOBS);
    const does = jobs.find(([job]) => data.scores[job][layer][head] > data.threshold);
    const name = `Layer ${layer + 1}, head ${head + 1}`;
    if (does) return `${name} is one of the ${does[1]} heads: ${says(does)}.`;
    return `${name} is neither a previous-token head nor an induction head: ${jobs.map(says).join("; ")}.`;
  }

  function describeRow(row, key, signs, period) {
    const query = row.length - 1;
    if (query === 0) return `Query 1, ${signs[0]}, can see itself only.`;
    return `Query ${query + 1}, ${signs[query]}, gives its largest weight, ${rounded(row[key])}, to ` +
      `${key === query ? "" : `${signs[key]} at place ${key + 1}, `}${place(query, key, period, signs)}.`;
  }

  /** The induction head with the highest score, at a query where it has something to find. */
  function start({ scores, sentences }, period) {
    const last = scores.induction.length - 1;
    const best = scores.induction[last].indexOf(Math.max(...scores.induction[last]));
    return { sentence: sentences[0], head: [last, best], query: period + 1 };
  }

  function build(stage, data) {
    for (const one of data.sentences) one.weights = fromThousandths(one.weights);
    const period = data.sentences[0].signs.length / 2;
    const state = start(data, period);
    const pick = (query) => change({ query });
    const tiles = gallery(data, state.head, (head) => change({ head }));
    const map = heatmap({ name: "heads", onPick: pick,
      label: "Heatmap of the head's weights: a row for each query, a column for each key." });
    const numbers = rowOfNumbers(period, pick);
    const says = sentence();
    const change = (what) => {
      Object.assign(state, what);
      const { signs, weights } = state.sentence;
      const shown = weights[state.head[0]][state.head[1]];
      const now = heads(shown, period);
      if (what.sentence) tiles.show(state.sentence);
      map.show({ queries: [...signs], keys: [...signs], weights: shown, known: signs.length,
        picked: state.query });
      showRow(numbers, shown[state.query], signs);
      write(says, `${describeHead(data, state.head, now)} ` +
        describeRow(shown[state.query], now.largest[state.query], signs, period));
    };
    const named = data.sentences.map(({ signs }, at) => [at, `${signs.slice(0, period)}, twice`]);
    const sentences = choice({ legend: "sentence", options: Object.fromEntries(named), value: "0",
      onChange: (at) => change({ sentence: data.sentences[at] }) });
    stage.append(html("div", { class: "widget-controls" }, sentences, tiles.element), map.element,
      html("div", { class: "widget-wide" }, numbers.element), says);
    change({ sentence: state.sentence });
  }

  define("heads", heads, build);
})();
