// A guess, then the answer: what the kinds of guesses share.
// Classic scripts, because a browser loads no ES module from file://.
"use strict";

const coursePredict = (() => {
  /** The folded answer that follows, if it comes before the next guess. */
  function answerOf(place) {
    for (let node = place.nextElementSibling; node; node = node.nextElementSibling) {
      if (node.matches(".predict")) return null;
      if (node.matches("details")) return node;
    }
    return null;
  }

  /** Show what was waiting for the guess. */
  function reveal(place) {
    place.classList.add("is-open"); // the figure that it covers
    const answer = answerOf(place);
    if (answer) answer.open = true;
    for (const control of place.querySelectorAll("input, button")) control.disabled = true;
  }

  /** A link to a covered figure leads to it. */
  function uncoverTarget(place) {
    const target = document.getElementById(location.hash.slice(1));
    if (target && place.nextElementSibling?.contains(target)) {
      reveal(place);
      target.scrollIntoView();
    }
  }

  /** Take guesses of a kind. `build(place, say)` gives `compare`, which draws what was measured beside
   * the guess and returns the sentence that compares them, or null where the guess is not complete. */
  function define(kind, build) {
    for (const place of document.querySelectorAll(`[data-predict="${kind}"]`)) {
      const says = place.querySelector(".predict-says");
      const say = (text) => (says.textContent = text);
      const compare = build(place, say);
      const finish = (guessed) => {
        const sentence = compare(guessed);
        if (sentence === null) return;
        place.classList.toggle("is-guessed", guessed);
        reveal(place);
        say(sentence);
      };
      place.querySelector(".predict-compare").addEventListener("click", () => finish(true));
      place.querySelector(".predict-skip").addEventListener("click", () => finish(false));
      if (place.dataset.covers) {
        addEventListener("hashchange", () => uncoverTarget(place));
        uncoverTarget(place);
      }
    }
  }

  /** A word or two beside an option. */
  function note(element, text, name) {
    element.append(" ", courseElements.html("span", { class: `predict-note ${name}` }, text));
  }

  return { define, note };
})();
