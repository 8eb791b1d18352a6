// Guess first: verdicts and findings are covered until the reader has chosen a verdict.
"use strict";

courseClaims.guessing = (() => {
  const { html } = courseElements;
  const { place, claims, verdicts, sign } = courseClaims;
  const guesses = new Map(); // by part
  const score = html("output", { class: "claims-score" });

  function told() {
    const right = [...guesses].filter(([part, guess]) => part.verdict === guess).length;
    return guesses.size ? `${right} of ${guesses.size} as measured` : "Choose a verdict for each claim.";
  }

  /** After a choice the focus stays in the claim, where Tab leads on to the next one. */
  function choose(number, part, guess) {
    guesses.set(part, guess);
    open(part);
    const result = part.verdict === guess ? "as measured" : `measured: ${verdicts[part.verdict]}`;
    const said = html("p", { class: "claim-guessed", tabindex: "-1" },
      `You said “${verdicts[guess]}”, ${result}.`);
    part.element.querySelector(".claim-verdict").append(said);
    said.focus({ preventScroll: true });
    score.textContent = told();
  }

  /** The five verdicts as buttons: Tab reaches the group once, the arrows move within it. */
  function choices(number, part) {
    const buttons = Object.entries(verdicts).map(([name, word], at) =>
      html("button", { type: "button", tabindex: at ? "-1" : "0", "data-guess": name,
        onclick: () => choose(number, part, name) }, sign(name), ` ${word}`));
    const move = (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const from = buttons.indexOf(document.activeElement);
      const to = buttons[(from + step + buttons.length) % buttons.length];
      for (const button of buttons) button.tabIndex = button === to ? 0 : -1;
      to.focus();
    };
    const label = `Your verdict on claim ${number}, measured in chapter ${part.chapter}`;
    return html("div", { class: "claim-guess", role: "group", "aria-label": label, onkeydown: move }, ...buttons);
  }

  function cover(number, part) {
    part.element.classList.add("is-covered");
    part.element.querySelector(".claim-verdict").append(choices(number, part));
  }

  function open(part) {
    part.element.classList.remove("is-covered");
    part.element.querySelector(".claim-guess")?.remove();
  }

  /** Begin or end. What was guessed stays open, and counts. */
  function set(begins) {
    if (begins === place.classList.contains("is-guessing")) return;
    place.classList.toggle("is-guessing", begins);
    score.hidden = !begins;
    score.textContent = told();
    for (const { number, parts } of claims) {
      for (const part of parts) {
        if (!begins) open(part);
        else if (!guesses.has(part)) cover(number, part);
      }
    }
  }

  score.hidden = true;
  return { set, score };
})();
