// Chapter 6: three tokens run through the whole machine. The numbers are computed here, from the inputs
// that lie in the page, and are written into the stations of the drawing.
"use strict";

(() => {
  const { html, svg } = courseElements;
  const { dot, softmax, average, text, writeFormulas } = courseWidgets;
  const HEADS = [0, 1];
  const PAUSE = 1800; // milliseconds between the stations
  const MARGIN = 12; // pixels around what is brought into view

  const columns = (matrix) => matrix[0].map((_, at) => matrix.map((row) => row[at]));
  const times = (rows, matrix) => rows.map((row) => columns(matrix).map((column) => dot(row, column)));

  /** [tokens][d_model] as [heads][tokens][d_k]. */
  const split = (tokens) => HEADS.map((head) => tokens.map((token) => {
    const width = token.length / HEADS.length;
    return token.slice(head * width, (head + 1) * width);
  }));

  /** What leaves each station, for one query; scores to weights are [heads][keys]. */
  function through({ x, memory, mask, W_q, W_k, W_v, W_o }) {
    const [query, key, value] = [times(x, W_q), times(memory, W_k), times(memory, W_v)].map(split);
    const scores = HEADS.map((head) => key[head].map((one) => dot(query[head][0], one)));
    const root = scores.map((row) => row.map((score) => score / Math.sqrt(query[0][0].length)));
    const masked = root.map((row) => row.map((score, at) => (mask[at] ? score : -Infinity)));
    const weights = masked.map(softmax);
    const sums = weights.map((row, head) => average(row, value[head]));
    const merge = [sums.flat()];
    return { memory, state: x, query, key, value, scores, root, mask: masked, weights, "weighted sum": sums, merge,
      output: times(merge, W_o) };
  }

  const shown = (number) =>
    number === -Infinity ? "\u2212∞" : Number.isInteger(number) ? String(number).replace("-", "\u2212") : text(number);

  /** The numbers of a station as [heads][tokens][numbers]; one "head" where there are none. */
  function groups(name, found) {
    if (["memory", "state", "merge", "output"].includes(name)) return [found];
    if (["scores", "root", "mask", "weights"].includes(name)) {
      return found.map((row) => row.map((number) => [number]));
    }
    return name === "weighted sum" ? found.map((row) => [row]) : found;
  }

  /** What happens at each station, in order: the parts that work, and the sentence. */
  function steps(found) {
    const list = (row) => row.map(shown).join(", ");
    const best = (head) => {
      const row = found.weights[head];
      const at = row.indexOf(Math.max(...row));
      return `token ${at + 1} (${shown(row[at])})`;
    };
    const says = {
      memory: ["second", "The memory holds three tokens of another sequence. The third is padding."],
      state: ["", "One token asks. Its width need not be that of the tokens in memory."],
      query: ["W_q", "W_q makes a query of the token that asks: two numbers for each of two heads."],
      key: ["W_k", "W_k makes a key of each token in memory."],
      value: ["W_v", "W_v makes a value of each token in memory."],
      scores: ["", `Each head multiplies its query by each key. Head 2 finds padding best: ${list(found.scores[1])}.`],
      root: ["", "The scores are divided by √d_k, here √2 = 1.41."],
      mask: ["", "Token 3 is padding, and the mask is False there. Its scores become −∞."],
      weights: ["", `The softmax makes weights that sum to one. Head 1 looks most at ${best(0)}, head 2 at ${best(1)}.`],
      "weighted sum": ["heads", "Each head adds up the values, each multiplied by its weight."],
      merge: ["", "The heads are put side by side."],
      output: ["W_o", `W_o mixes the heads. One token asked, and gets one output: ${list(found.output[0])}.`],
    };
    return Object.entries(says).map(([name, [helper, sentence]]) =>
      ({ name, lit: [name, helper], sentence, groups: groups(name, found[name]) }));
  }

  /** The numbers of a station inside its box, a line for each head. */
  function write(part, { name, groups: heads }) {
    const box = part.querySelector("rect");
    const [x, y, width, height] = ["x", "y", "width", "height"].map((at) => Number(box.getAttribute(at)));
    const middle = y + height / 2;
    if (name === "query") {
      const line = heads.map(([row]) => row.map(shown).join(", ")).join(" · ");
      return [svg("text", { class: "machine-number machine-query", x: x + width / 2, y: middle + 12 }, line)];
    }
    const pitch = heads[0].flat().length > 3 ? 40 : 46;
    return heads.flatMap((tokens, head) => tokens.flat().map((number, at, row) => svg("text", {
      class: "machine-number", x: x + width - 12 - pitch * (row.length - 1 - at),
      y: middle + 4 + (heads.length - 1) * (head ? 7 : -6) }, shown(number))));
  }

  function table({ name, groups: heads }) {
    const labels = heads[0].length > 1 ? heads[0].map((_, at) => `token ${at + 1}`) : [];
    const top = html("tr", {}, html("td"), ...labels.map((label) => html("th", { scope: "col" }, label)));
    const rows = heads.map((tokens, head) => html("tr", {},
      html("th", { scope: "row" }, heads.length > 1 ? `head ${head + 1}` : "numbers"),
      ...tokens.map((token) => html("td", {}, token.map(shown).join(", ")))));
    return [html("caption", {}, name), ...(labels.length ? [top] : []), ...rows];
  }

  function draw(host, all, at, numbers) {
    for (const part of host.querySelectorAll("a[data-part]")) {
      const step = all.findIndex(({ name }) => name === part.dataset.part);
      part.querySelectorAll(".machine-number").forEach((old) => old.remove());
      part.classList.toggle("machine-now", at > 0 && all[at - 1].lit.includes(part.dataset.part));
      const passed = step >= 0 && step < at && (step > 4 || all[step].name === "query");
      part.classList.toggle("machine-passed", passed);
      if (passed) part.append(...write(part, all[step]));
    }
    numbers.replaceChildren(...(at ? table(all[at - 1]) : []));
  }

  /** What a step lights is brought into view below the buttons, unless the reader is elsewhere on the page. */
  function reveal(host, bar) {
    const lit = [...host.querySelectorAll(".machine-now")].map((part) => part.getBoundingClientRect());
    const stage = bar.parentNode.getBoundingClientRect();
    if (!lit.length || stage.bottom < 0 || stage.top > innerHeight) return;
    const top = Math.min(...lit.map((box) => box.top)), bottom = Math.max(...lit.map((box) => box.bottom));
    const buttons = bar.getBoundingClientRect(), stuck = (parseFloat(getComputedStyle(bar).top) || 0) + buttons.height;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const by = top < buttons.bottom ? top - buttons.bottom - MARGIN
      : Math.min(Math.max(bottom + MARGIN - innerHeight, 0), top - stuck - MARGIN);
    if (by) scrollBy({ top: by, behavior: still ? "instant" : "smooth" });
  }

  function build(host) {
    const all = steps(through(JSON.parse(host.querySelector("script").textContent)));
    const says = html("p", { "aria-live": "polite" });
    const numbers = html("table");
    const button = (label, kind = "") => html("button", { type: "button", class: kind }, label);
    const [step, back, play, again] = [button("Step"), button("Back"), button("Run", "machine-play"),
      button("Start again")];
    let at = 0, timer = null;
    const pause = () => {
      clearInterval(timer);
      timer = null;
      play.textContent = "Run";
    };
    const go = (to) => {
      at = Math.min(Math.max(to, 0), all.length);
      if (at === all.length) pause();
      step.disabled = at === all.length;
      back.disabled = again.disabled = at === 0;
      bar.classList.toggle("is-begun", at > 0);
      writeFormulas(says, at ? `${at} of ${all.length}: ${all[at - 1].sentence}`
        : "Run three tokens through the machine, or go from station to station.");
      draw(host, all, at, numbers);
      reveal(host, bar);
    };
    const run = () => {
      play.textContent = "Pause";
      go(at === all.length ? 1 : at + 1);
      timer = setInterval(() => go(at + 1), PAUSE);
    };
    play.addEventListener("click", () => (timer ? pause() : run()));
    [[step, () => at + 1], [back, () => at - 1], [again, () => 0]].forEach(([one, to]) =>
      one.addEventListener("click", () => { pause(); go(to()); }));
    const controls = html("div", { class: "machine-controls" }, step, back, play, again);
    const bar = html("div", { class: "machine-run" }, controls, says, html("div", { class: "machine-numbers" }, numbers));
    host.querySelector(".machine-stage").prepend(bar);
    host.classList.add("machine-ready");
    go(0);
  }

  courseWidgets.machine = through; // what the tests call
  document.querySelectorAll(".machine").forEach(build);
})();
