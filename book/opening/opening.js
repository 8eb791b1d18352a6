// What the reader does with the opening: types a date, takes another, points at a character, picks a head.
"use strict";

(() => {
  const PAUSE = 150; // milliseconds between two characters of the date
  const TYPED = 500; // after the last key
  const SEED = 1;
  const { network, drawing: takeOver, ISO, another } = courseOpening;
  const LONGEST = network.shapes["position.0"][0];
  const translate = courseOpening.translator(network);
  const host = document.querySelector(".opening");
  const part = (name) => host.querySelector(name);
  const [input, says, looks] = ["input", ".opening-says", ".opening-looks"].map(part);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const state = { text: "", steps: [], readings: [], head: "mean", run: 0, timer: 0 };

  const quoted = (sign) => (sign === " " ? "the space" : `“${sign}”`);
  const sign = ({ logits }) => network.digits[Math.min(logits.indexOf(Math.max(...logits)), ISO.length)];
  const made = () => state.steps.map(sign).join("");

  /** Weights [keys] of one head, or their mean over all. */
  function weightsOf({ weights }) {
    if (state.head !== "mean") return weights[Number(state.head)];
    return weights[0].map((_, key) => weights.reduce((sum, row) => sum + row[key], 0) / weights.length);
  }

  /** What keeps the network from reading a text, in a sentence; "" if nothing does. */
  function problem(text) {
    const signs = [...text];
    const unknown = [...new Set(signs)].filter((one) => !network.signs.includes(one));
    if (!signs.length) return "Write a date, and the network reads it.";
    if (unknown.length) return `The network has never seen ${unknown.map(quoted).join(", ")}.`;
    if (signs.length > LONGEST) return `That has ${signs.length} characters; the network reads at most ${LONGEST}.`;
    return "";
  }

  /** A telephone types other apostrophes and spaces, and a space at the end. */
  const plain = (text) => text.replace(/[\u2018\u2019]/g, "'").replace(/\s/g, " ").trim();

  function verdict() {
    const [iso, readings] = [made(), state.readings];
    if (!readings.length) return "";
    if (!readings.includes(iso)) return ` A mistake: the date is ${readings.join(" or ")}.`;
    return readings.length > 1 ? ` The text can also mean ${readings.find((one) => one !== iso)}.` : " That is right.";
  }

  /** Where a character of the date is: “digit 3 of the year”. */
  function placeOf(step) {
    const name = ISO[step];
    return name === "mark" ? "a dash" : `digit ${step - ISO.indexOf(name) + 1} of the ${name}`;
  }

  const inHead = () => (state.head === "mean" ? "" : `, in head ${Number(state.head) + 1}`);
  const character = (key) => `${quoted(state.text[key])}, character ${key + 1}`;

  function tellStep(step) {
    const weights = weightsOf(state.steps[step]);
    const [first, second] = [...weights.keys()].sort((one, other) => weights[other] - weights[one]);
    const then = second === undefined ? "" : `, then at ${character(second)} (${weights[second].toFixed(2)})`;
    return `${quoted(sign(state.steps[step]))}, ${placeOf(step)}, looks most at ${character(first)} ` +
      `(${weights[first].toFixed(2)})${then}${inHead()}.`;
  }

  function tellKey(key) {
    const weights = state.steps.map((step) => weightsOf(step)[key]);
    const step = weights.indexOf(Math.max(...weights));
    return `${character(key)}, gets its largest weight (${weights[step].toFixed(2)}) from ` +
      `${quoted(sign(state.steps[step]))}, ${placeOf(step)}${inHead()}.`;
  }

  function say(row, at) {
    if (state.steps.length < ISO.length) return "not written yet";
    return row === "iso" ? tellStep(at) : tellKey(at);
  }

  const HINT = "Point at a character, tap it or use the arrow keys to see its weights alone.";
  const picture = takeOver(part(".opening-drawing"), {
    say,
    onPick: (picked) => (looks.textContent = picked ? say(picked.row, picked.at) : HINT),
  });

  /** Write the date character by character; another text that comes meanwhile ends it. */
  async function write(text, readings = []) {
    const run = (state.run += 1);
    Object.assign(state, { text, readings, steps: [] });
    for (const told of [says, looks]) told.textContent = "";
    picture.begin([...text]);
    for (const step of translate(text)) {
      state.steps.push(step);
      picture.write(sign(step), weightsOf(step));
      if (!still.matches) await new Promise((go) => setTimeout(go, PAUSE));
      if (state.run !== run) return;
    }
    picture.end();
    looks.textContent = HINT;
    const date = courseElements.html("span", {}, made()); // on one line
    says.replaceChildren(`“${text}” becomes `, date, `.${verdict()}`);
  }

  function read(readings) {
    clearTimeout(state.timer);
    const text = plain(input.value);
    const reason = problem(text);
    input.setAttribute("aria-invalid", reason !== "");
    host.classList.toggle("opening-stale", reason !== "");
    if (reason) {
      says.textContent = reason;
    } else if (text !== state.text || readings) write(text, readings);
  }

  input.addEventListener("input", () => {
    clearTimeout(state.timer);
    state.timer = setTimeout(read, TYPED);
  });
  part("form").addEventListener("submit", (event) => {
    event.preventDefault();
    state.text = ""; // the same text is written again
    read();
  });
  const next = courseRandom(SEED);
  part(".opening-examples").addEventListener("click", ({ target }) => {
    if (target.localName !== "button") return;
    const shown = { text: target.textContent, readings: [] };
    const { text, readings } = "another" in target.dataset ? another(next) : shown;
    input.value = text;
    read(readings);
  });
  part(".opening-heads").addEventListener("change", ({ target }) => {
    state.head = target.value;
    picture.weighAll(state.steps.map(weightsOf));
  });

  setTimeout(() => { // a phone has had enough to do for one task
    for (const set of host.querySelectorAll("fieldset")) set.disabled = false;
    host.classList.add("opening-ready");
    read([]);
  });
})();
