// What the reader does on the page: writes a text, picks a token or a head, draws the next word.
"use strict";

(() => {
  const TYPED = 500; // milliseconds after the last key
  const LIKELIEST = { read: 3, next: 8 };
  const { html } = courseElements;
  const { text: print } = courseWidgets;
  const { softmax } = courseLayers;
  const { network, transformer, reader, grown, shown, lines, strip, map, bars, line, story, numbers, listing, most } =
    courseTracing;
  const { run, read } = transformer(network);
  const understand = reader(network);
  const places = Object.fromEntries([...document.querySelectorAll("[data-trace]")].map((one) => [one.dataset.trace, one]));
  const input = places.text.querySelector("textarea");
  const says = places.text.querySelector(".trace-says");
  const state = { tokens: [], words: [], blocks: [], picked: 0, heads: [0, 0, 0], past: [], drawn: null,
    timer: 0 };

  const picture = (name) => places[name].querySelector(".trace-picture");
  const next = (at) => softmax(Array.from(read(state.blocks.at(-1)[at].sum)));

  /** Numbers of a place, made when the reader opens them, and again while they are open. */
  function opens(name, make) {
    const details = places[name].querySelector("details");
    const show = () => details.open && details.lastElementChild.replaceChildren(...[make()].flat());
    details.addEventListener("toggle", show);
    return show;
  }

  const quoted = (at) => `“${state.words[at]}”, token ${at + 1}`;

  function chips() {
    const chip = (at) => {
      const radio = html("input", { type: "radio", name: "trace-token", value: at, onchange: () => pick(at) });
      radio.checked = at === state.picked;
      return html("label", { class: "trace-chip" }, radio, html("span", {}, state.words[at]));
    };
    const rows = lines(state.tokens).map((row) => html("div", {}, ...row.map(chip)));
    picture("tokens").replaceChildren(html("fieldset", { "aria-label": "Tokens" }, ...rows));
  }

  /** Four heads to choose from, whose maps are drawn anew. */
  function heads(block) {
    const maps = Array.from({ length: network.heads }, () => html("span", { class: "trace-look" }));
    const labels = maps.map((look, head) => {
      const radio = html("input", { type: "radio", name: `trace-head-${block}`, value: head, onchange: () => {
        state.heads[block] = head;
        tell();
      } });
      radio.checked = head === state.heads[block];
      return html("label", { class: "trace-head" }, html("span", {}, radio, ` head ${head + 1}`), look);
    });
    const told = html("p", { class: "trace-told", "aria-live": "polite" });
    const sums = html("div");
    const tell = () => {
      const weights = state.blocks[block][state.picked].weights[state.heads[block]];
      const order = [...weights.keys()].sort((one, other) => weights[other] - weights[one]);
      const looks = order.slice(0, 2).map((at) => `${quoted(at)} (${print(weights[at])})`);
      told.textContent = `From ${quoted(state.picked)}, head ${state.heads[block] + 1} looks most at ${looks.join(", then at ")}.`;
      open();
    };
    const open = opens(`block${block + 1}`, () => {
      const { weights, attention, mlp, sum } = state.blocks[block][state.picked];
      const head = state.heads[block];
      return [html("p", {}, `Weights of head ${head + 1}`),
        story(state.words, state.tokens, (at) => (at in weights[head] ? print(weights[head][at]) : "later")),
        numbers(attention, "What attention adds"), numbers(mlp, "What the MLP adds"), numbers(sum, "What goes on")];
    });
    const group = html("fieldset", { class: "trace-heads", "aria-label": `Heads of block ${block + 1}` }, ...labels);
    picture(`block${block + 1}`).replaceChildren(group, told, sums);
    return () => {
      const { came, weights, attention, mlp, sum } = state.blocks[block][state.picked];
      maps.forEach((look, head) => look.replaceChildren(...map(weights[head], state.words, state.tokens)));
      sums.replaceChildren(strip(came, "came in"), strip(attention, "+ attention"), strip(mlp, "+ MLP"),
        strip(sum, "= goes on"), html("p", {}, "Read here, the likeliest next words are"),
        bars(softmax(Array.from(read(sum))), network.words, LIKELIEST.read));
      tell();
    };
  }

  const showBlocks = Array.from({ length: network.layers }, (_, block) => heads(block));
  const vector = () => state.blocks[0][state.picked].came;
  const openTokens = opens("tokens", () => story(state.words, state.tokens, (at) => String(state.tokens[at])));
  const openVector = opens("vector", () => numbers(vector(), `The vector of “${state.words[state.picked]}”`));
  const openNext = opens("next", () => {
    const [logits, shares] = [read(state.blocks.at(-1)[state.picked].sum), next(state.picked)];
    const order = [...shares.keys()].sort((one, other) => shares[other] - shares[one]);
    return listing(["word", "logit", "probability"],
      order.map((at) => [shown(network.words[at]), print(logits[at]), print(shares[at], 4)]));
  });
  const openDraw = opens("draw", () => {
    let end = 0;
    return listing(["word", "from", "to"], drawing().shares.map((share, at) => {
      end += share;
      return [shown(network.words[at]), print(end - share, 4), print(end, 4)];
    }));
  });

  /** What is drawn from: the last draw, or else what could be drawn now. */
  const drawing = () => state.drawn || { shares: next(state.tokens.length - 1) };

  function showDraw() {
    const { shares, draw } = drawing();
    const word = state.drawn && network.words[state.drawn.token];
    picture("draw").replaceChildren(line(shares, network.words, draw));
    places.draw.querySelector(".trace-told").textContent = state.drawn
      ? `The number drawn was ${print(draw, 3)}. It lies in the part of “${shown(word)}”, which had ${print(shares[state.drawn.token], 3)}.`
      : "Nothing has been drawn after this text yet.";
    openDraw();
  }

  function showPicked() {
    picture("vector").replaceChildren(strip(vector(), `“${state.words[state.picked]}”`));
    for (const show of showBlocks) show();
    picture("next").replaceChildren(bars(next(state.picked), network.words, LIKELIEST.next));
    for (const open of [openTokens, openVector, openNext]) open();
    says.textContent = sentence();
  }

  /** What the network expects after the picked token, and what stands there. */
  function sentence() {
    const [at, shares] = [state.picked, next(state.picked)];
    const likeliest = most(shares);
    const said = `After ${quoted(at)}, the likeliest word is ${named(likeliest)} with ${print(shares[likeliest], 3)}.`;
    const follows = state.tokens[at + 1];
    return follows === undefined || follows === likeliest ? said
      : `${said} The text goes on with ${named(follows)}, which gets ${print(shares[follows], 3)}.`;
  }

  const named = (token) => (network.words[token] === "\n" ? "a line break" : `“${network.words[token]}”`);

  function pick(at) {
    state.picked = at;
    showPicked();
  }

  /** Reads what stands in the field; keeps all pictures where it cannot be read. */
  function take() {
    clearTimeout(state.timer);
    const { tokens, problem } = understand(input.value);
    input.setAttribute("aria-invalid", problem !== undefined);
    document.body.classList.toggle("trace-stale", problem !== undefined);
    if (problem) {
      says.textContent = problem;
      return false;
    }
    if (tokens.join() === state.tokens.join() && !state.drawn) {
      says.textContent = sentence();
      return true;
    }
    const words = tokens.map((token) => shown(network.words[token]));
    Object.assign(state, { tokens, words, blocks: run(tokens), picked: tokens.length - 1, drawn: null });
    chips();
    showPicked();
    showDraw();
    return true;
  }

  /** Puts a text into the field; the one before can be taken back. */
  function put(text, drawn = null) {
    state.past.push(input.value);
    input.value = text;
    take();
    state.drawn = drawn;
    if (drawn) showDraw();
    back.disabled = false;
  }

  function draw() {
    if (!take()) return;
    const [shares, at] = [next(state.tokens.length - 1), Math.random()];
    let [token, end] = [0, shares[0]];
    while (end < at && token < shares.length - 1) end += shares[(token += 1)];
    put(grown(input.value, network.words[token]), { shares, draw: at, token });
  }

  const back = places.text.querySelector("[data-back]");
  back.addEventListener("click", () => {
    input.value = state.past.pop();
    back.disabled = !state.past.length;
    take();
  });
  for (const button of document.querySelectorAll("[data-draw]")) button.addEventListener("click", draw);
  for (const button of places.text.querySelectorAll("[data-example]")) {
    button.addEventListener("click", () => put(button.dataset.example));
  }
  input.addEventListener("input", () => {
    clearTimeout(state.timer);
    state.timer = setTimeout(take, TYPED);
  });

  take();
  for (const set of document.querySelectorAll(".trace fieldset[disabled]")) set.disabled = false;
  back.disabled = true;
  places.text.classList.add("trace-ready");
})();
