// Chapter 12: the trained model of the page draws tokens. Its weights lie in the page, a byte each.
"use strict";

(() => {
  const { html } = courseElements;
  const { dot, softmax, average, text, write, showWeight, slider, choice, table, sentence, define } = courseWidgets;
  const HEADS = 4, WINDOW = 32, TEXTS = 4, TOKENS = 60, LETTERS = 110, NAMED = 5; // a text ends at the first of two
  const COOL = -0.5; // the power of two that the temperature begins with, about 0.7
  const WORD = /[A-Za-z]{3,}/g;
  const range = (count) => Array.from({ length: count }, (_, at) => at);
  const times = (matrix, x) => matrix.map((row) => dot(row, x));
  const sum = (one, other) => one.map((part, at) => part + other[at]);

  /** The model's matrices by name, [rows][columns]: whole multiples of their step, one after the other. */
  function unpack({ parts, weights }) {
    const whole = Int8Array.from(atob(weights), (sign) => sign.charCodeAt(0));
    let at = 0;
    const row = (columns, step) => Array.from(whole.subarray(at, (at += columns)), (steps) => steps * step);
    return Object.fromEntries(parts.map(([name, rows, columns, step]) =>
      [name, range(rows).map(() => row(columns, step))]));
  }

  const rmsNorm = (x, [scale]) => {
    const size = Math.sqrt(dot(x, x) / x.length + 2 ** -23);
    return x.map((part, at) => (part / size) * scale[at]);
  };

  /** Abramowitz and Stegun 7.1.26, to seven digits. */
  function erf(x) {
    const t = 1 / (1 + 0.3275911 * Math.abs(x));
    const series = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592].reduce((all, one) => (all + one) * t, 0);
    return Math.sign(x) * (1 - series * Math.exp(-x * x));
  }
  const gelu = (x) => (x * (1 + erf(x / Math.SQRT2))) / 2;

  const split = (x) => range(HEADS).map((head) => x.slice((head * x.length) / HEADS, ((head + 1) * x.length) / HEADS));

  /** A head's query or key, its pairs of features turned by the position. */
  function turned(x, position) {
    const half = x.length / 2;
    return x.map((part, at) => {
      const angle = position * 10000 ** (-(at % half) / half);
      return part * Math.cos(angle) + (at < half ? -x[at + half] : x[at - half]) * Math.sin(angle);
    });
  }

  /** One token through attention; `cache` keeps keys and values [heads][d_k] of the last tokens. */
  function attend(x, position, layer, cache) {
    const [query, key, value] = ["q", "k", "v"].map((name) => split(times(layer(`parts.0.W_${name}.weight`), x)));
    cache.push({ key: key.map((one) => turned(one, position)), value });
    if (cache.length > WINDOW) cache.shift();
    const heads = query.map((one, head) => {
      const asked = turned(one, position);
      const scores = cache.map((kept) => dot(asked, kept.key[head]) / Math.sqrt(asked.length));
      return average(softmax(scores), cache.map((kept) => kept.value[head]));
    });
    return times(layer("parts.0.W_o.weight"), heads.flat());
  }

  function think(x, layer) {
    const inner = sum(times(layer("parts.1.0.weight"), x), layer("parts.1.0.bias")[0]).map(gelu);
    return sum(times(layer("parts.1.2.weight"), inner), layer("parts.1.2.bias")[0]);
  }

  /** A reader of one text: it is given one token after the other, and returns the logits of the next. */
  function reader(model) {
    const caches = [[], []];
    let position = 0;
    return (token) => {
      let x = model["embed.weight"][token];
      caches.forEach((cache, at) => {
        const layer = (name) => model[`blocks.${at}.${name}`];
        x = sum(x, attend(rmsNorm(x, layer("norms.0.weight")), position, layer, cache));
        x = sum(x, think(rmsNorm(x, layer("norms.1.weight")), layer));
      });
      position += 1;
      return times(model["embed.weight"], rmsNorm(x, model["norm.weight"]));
    };
  }

  /** Logits, highest first, to probabilities at a temperature, of the tokens that top-p leaves. */
  function chances(logits, temperature, topP) {
    let before = 0;
    const kept = softmax(logits.map((logit) => logit / temperature)).map((weight) => {
      const stays = topP >= 1 || before < topP; // rounding leaves nobody out
      before += weight;
      return stays ? weight : 0;
    });
    const left = kept.reduce((one, other) => one + other, 0);
    return kept.map((weight) => weight / left);
  }

  /** The tokens, likeliest first. The first of all is the start, which nobody draws. */
  const ordered = (logits) => range(logits.length).slice(1).sort((one, other) => logits[other] - logits[one]);

  /** What the model writes after the tokens of a prompt. */
  function drawText(model, names, prompt, { temperature, topP, seed }) {
    const random = courseRandom(seed), read = reader(model);
    let logits = [0, ...prompt].map(read).pop(), written = "";
    for (let drawn = 0; drawn < TOKENS && written.length < LETTERS; drawn += 1) {
      const order = ordered(logits);
      let left = random();
      const found = chances(order.map((token) => logits[token]), temperature, topP).findIndex((weight) => (left -= weight) < 0);
      const token = order[Math.max(found, 0)];
      written += names[token];
      logits = read(token);
    }
    return written;
  }

  /** The words of a text: not the prompt's, which is the first, and not the last, which may be cut. */
  const words = (whole) => [...whole.matchAll(WORD)].slice(1, -1);

  /** With signs for line breaks and for blanks, several of which are counted. */
  const visible = (written) => written.replace(/ {2,}/g, (run) => `␣×${run.length} `).replace(/\n/g, "↵ ");

  /** A text with its prompt in bold; the words that are not known are underlined. */
  function setText(prompt, written, known) {
    const whole = prompt + written, parts = [html("b", {}, prompt)];
    let at = prompt.length;
    for (const { 0: word, index } of words(whole).filter(([word]) => !known.has(word.toLowerCase()))) {
      parts.push(visible(whole.slice(at, index)), html("u", {}, word));
      at = index + word.length;
    }
    return html("li", {}, ...parts, visible(whole.slice(at)));
  }

  function describe({ temperature, topP }, texts, known) {
    const all = texts.flatMap(words).map(([word]) => word.toLowerCase());
    const found = all.filter((word) => known.has(word)).length;
    const how = `temperature ${text(temperature)}${topP < 1 ? ` and top-p ${text(topP)}` : ""}`;
    const same = new Set(texts).size === 1 ? " The four texts are the same." : "";
    return `At ${how} the four texts have ${all.length} words of three letters or more, ${new Set(all).size} of them different. `
      + `The training text has ${found === all.length ? "them all" : `${found} of the ${all.length}; the others are underlined`}.${same}`;
  }

  /** The likeliest first tokens, as trained and as they are drawn. */
  function firstToken() {
    const { element, cells } = table("The token after the prompt", ["as trained", "as drawn"], [...range(NAMED).map(() => ""), "all others"]);
    const heads = [...element.querySelectorAll("tbody th")];
    const rest = (weights) => weights.slice(NAMED).reduce((one, other) => one + other, 0);
    const show = (logits, names, { temperature, topP }) => {
      const order = ordered(logits), given = order.map((token) => logits[token]);
      const columns = [chances(given, 1, 1), chances(given, temperature, topP)];
      range(NAMED).forEach((at) => write(heads[at], names[order[at]].replace(/ /g, "␣").replace(/\n/g, "↵")));
      cells.forEach((row, at) => columns.forEach((weights, column) =>
        showWeight(row[column], at < NAMED ? weights[at] : rest(weights))));
    };
    return { element, show };
  }

  function controls(prompts, state, change) {
    const again = html("button", { type: "button" }, "Draw again");
    again.addEventListener("click", () => change({ draw: state.draw + 1 }));
    return html("div", { class: "widget-controls" },
      choice({ legend: "prompt", options: Object.fromEntries(prompts.map((prompt) => [prompt, prompt])), value: state.prompt,
        onChange: (prompt) => change({ prompt }) }),
      html("div", { class: "widget-row" }, again),
      slider({ label: "temperature", min: -4, max: 2, step: 0.5, value: COOL, say: (power) => text(2 ** power),
        onInput: (power) => change({ temperature: 2 ** power }) }),
      slider({ label: "top-p", min: 0.05, max: 1, step: 0.05, value: 1, say: (share) => text(share),
        onInput: (topP) => change({ topP }) }));
  }

  function build(stage, data) {
    const model = unpack(data), known = new Set(data.words.split(" ")), names = data.tokens;
    const prompts = Object.keys(data.prompts);
    const state = { prompt: prompts[0], temperature: 2 ** COOL, topP: 1, draw: 0 };
    const list = html("ol", { class: "widget-texts", "aria-label": "what the model wrote" }), first = firstToken(), says = sentence();
    const change = (what) => {
      Object.assign(state, what);
      const prompt = data.prompts[state.prompt];
      const texts = range(TEXTS).map((at) => drawText(model, names, prompt, { ...state, seed: TEXTS * state.draw + at }));
      list.replaceChildren(...texts.map((written) => setText(state.prompt, written, known)));
      first.show([0, ...prompt].map(reader(model)).pop(), names, state);
      write(says, describe(state, texts.map((written) => state.prompt + written), known));
    };
    const legend = html("p", { class: "widget-legend" }, "↵ is a line break, ␣×3 stands for three blanks.");
    stage.append(controls(prompts, state, change), html("div", {}, list, legend), says, first.element);
    change({});
  }

  const logits = (data, tokens) => tokens.map(reader(unpack(data))).pop();

  define("sampling", { chances, logits }, build);
})();
