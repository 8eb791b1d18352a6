// What the reader does on the page: writes a text, picks a token or a head, draws the next word.
"use strict";

(() => {
  const TYPED = 500; // milliseconds after the last key
  const LIKELIEST = { read: 3, next: 8 }; // words with a bar
  const { html } = courseElements;
  const { text: print } = courseWidgets;
  const { softmax } = courseLayers;
  const { network, transformer, reader, grown, shown, lines, strip, peak, map, bars, line, story, numbers, listing,
    order } = courseTracing;
  const { run, read } = transformer(network);
  const understand = reader(network);
  const places = Object.fromEntries([...document.querySelectorAll("[data-trace]")].map((one) => [one.dataset.trace, one]));
  const [input, says, back, paper] = ["textarea", ".trace-says", "[data-back]", ".trace-still"]
    .map((one) => places.text.querySelector(one));
  // drawn: the probabilities of the last draw, the number drawn, and the token that it fell on
  const state = { tokens: [], words: [], blocks: [], picked: 0, past: [], drawn: null, timer: 0 };

  const picture = (name) => places[name].querySelector(".trace-picture");
  const of = (block) => state.blocks[block][state.picked];
  const shares = (stream) => softmax(Array.from(read(stream)));
  const next = (at) => shares(state.blocks.at(-1)[at].sum);
  const quoted = (at) => `“${state.words[at]}”, token ${at + 1}`;
  const named = (token) => (network.words[token] === "\n" ? "a line break" : `“${network.words[token]}”`);

  /** The numbers of a place are made when the reader opens them, and again while they are open. */
  function opens(name, make) {
    const details = places[name].querySelector("details");
    const show = () => details.open && details.lastElementChild.replaceChildren(...[make()].flat());
    details.addEventListener("toggle", show);
    return show;
  }

  function radio(name, value, chosen, onchange) {
    const input = html("input", { type: "radio", name, value, onchange });
    input.checked = chosen;
    return input;
  }

  function showTokens() {
    const chip = (at) => html("label", { class: "trace-chip" },
      radio("trace-token", at, at === state.picked, () => pick(at)), html("span", {}, state.words[at]));
    const rows = lines(state.tokens).map((row) => html("div", {}, ...row.map(chip)));
    picture("tokens").replaceChildren(html("fieldset", { "aria-label": "Tokens" }, ...rows));
  }

  /** The place of a block: a choice of heads, whose maps are drawn anew, and what is added to the stream. */
  function blockPlace(block) {
    const name = `block${block + 1}`;
    const looks = Array.from({ length: network.heads }, () => html("span", { class: "trace-look" }));
    const [told, sums] = [html("p", { class: "trace-told", "aria-live": "polite" }), html("div")];
    let head = 0;
    const open = opens(name, () => blockNumbers(block, head));
    const tell = () => {
      told.textContent = looksAt(block, head);
      open();
    };
    const labels = looks.map((look, at) => html("label", { class: "trace-head" }, html("span", {},
      radio(`trace-head-${block}`, at, at === head, () => {
        head = at;
        tell();
      }), ` head ${at + 1}`), look));
    picture(name).replaceChildren(
      html("fieldset", { class: "trace-heads", "aria-label": `Heads of block ${block + 1}` }, ...labels), told, sums);
    return () => {
      looks.forEach((look, at) => look.replaceChildren(...map(of(block).weights[at], state.words, state.tokens)));
      sums.replaceChildren(...added(of(block)));
      tell();
    };
  }

  function looksAt(block, head) {
    const weights = of(block).weights[head];
    const most = order(weights).slice(0, 2).map((at) => `${quoted(at)} (${print(weights[at])})`);
    return `From ${quoted(state.picked)}, head ${head + 1} looks most at ${most.join(", then at ")}.`;
  }

  function added({ came, attention, mlp, sum }) {
    const strips = { "came in": came, "+ attention": attention, "+ MLP": mlp, "= goes on": sum };
    const largest = Math.max(...Object.values(strips).map(peak)); // of one block: so that one sees them add up
    return [...Object.entries(strips).map(([name, vector]) => strip(vector, name, largest)),
      html("p", {}, "Read here, the likeliest next words are"), bars(shares(sum), network.words, LIKELIEST.read)];
  }

  function blockNumbers(block, head) {
    const { weights, attention, mlp, sum } = of(block);
    const below = (at) => (at <= state.picked ? print(weights[head][at]) : "later");
    return [story(`Weights of head ${head + 1}`, state.words, state.tokens, below),
      numbers(attention, "What attention adds"), numbers(mlp, "What the MLP adds"), numbers(sum, "What goes on")];
  }

  function nextNumbers() {
    const [logits, found] = [read(of(network.layers - 1).sum), next(state.picked)];
    return listing(["word", "logit", "probability"],
      order(found).map((at) => [shown(network.words[at]), print(logits[at]), print(found[at], 4)]));
  }

  function drawNumbers() {
    let end = 0;
    return listing(["word", "from", "to"], drawing().shares.map((share, at) => {
      end += share;
      return [shown(network.words[at]), print(end - share, 4), print(end, 4)];
    }));
  }

  const vector = () => of(0).came;
  const showBlocks = Array.from({ length: network.layers }, (_, block) => blockPlace(block));
  const openAll = [
    opens("tokens", () => story("The number of each token", state.words, state.tokens, (at) => String(state.tokens[at]))),
    opens("vector", () => numbers(vector(), `The vector of “${state.words[state.picked]}”`)),
    opens("next", nextNumbers)];
  const openDraw = opens("draw", drawNumbers);

  /** What was drawn from last, or else what could be drawn from now. */
  const drawing = () => state.drawn || { shares: next(state.tokens.length - 1) };

  const lastLine = () => (input.value.endsWith("\n") ? "empty" : `“${input.value.split("\n").at(-1)}”`);

  function showDraw() {
    const { shares: found, draw, token } = drawing();
    picture("draw").replaceChildren(line(found, network.words, draw));
    places.draw.querySelector(".trace-told").textContent = draw === undefined
      ? "Nothing has been drawn after this text yet."
      : `The number drawn is ${print(draw, 3)}. It falls on ${named(token)}, which has ${print(found[token], 3)}. ` +
        `The last line of the text is now ${lastLine()}.`;
    openDraw();
  }

  function showPicked() {
    picture("vector").replaceChildren(strip(vector(), `“${state.words[state.picked]}”`));
    for (const show of showBlocks) show();
    picture("next").replaceChildren(bars(next(state.picked), network.words, LIKELIEST.next));
    for (const open of openAll) open();
    says.textContent = sentence();
  }

  /** What the network expects after the picked token, and what stands there. */
  function sentence() {
    const [found, follows] = [next(state.picked), state.tokens[state.picked + 1]];
    const [likeliest] = order(found);
    const said = `After ${quoted(state.picked)}, the likeliest word is ${named(likeliest)} with ${print(found[likeliest], 3)}.`;
    return follows === undefined || follows === likeliest ? said
      : `${said} The text goes on with ${named(follows)}, which gets ${print(found[follows], 3)}.`;
  }

  function pick(at) {
    state.picked = at;
    showPicked();
  }

  /** Reads what stands in the field, and says whether it can; where it cannot, all pictures stay. */
  function take() {
    clearTimeout(state.timer);
    const { tokens, problem } = understand(input.value);
    input.setAttribute("aria-invalid", problem !== undefined);
    document.body.classList.toggle("trace-stale", problem !== undefined);
    if (problem) says.textContent = problem;
    else if (tokens.join() === state.tokens.join()) says.textContent = sentence();
    else follow(tokens);
    return !problem;
  }

  function follow(tokens) {
    const words = tokens.map((token) => shown(network.words[token]));
    Object.assign(state, { tokens, words, blocks: run(tokens), picked: tokens.length - 1, drawn: null });
    paper.textContent = input.value;
    showTokens();
    showPicked();
    showDraw();
  }

  /** Puts a text into the field; the one before can be taken back. */
  function put(text) {
    state.past.push(input.value);
    back.disabled = false;
    input.value = text;
    return take();
  }

  function draw() {
    if (!take()) return;
    const [found, at] = [next(state.tokens.length - 1), Math.random()];
    let [token, end] = [1, found[0] + found[1]]; // the start never comes again
    while (end < at && token < found.length - 1) end += found[(token += 1)];
    if (!put(grown(input.value, network.words[token]))) return;
    state.drawn = { shares: found, draw: at, token };
    showDraw();
  }

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
