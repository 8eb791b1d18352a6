// The claims as a list that a script can ask and cover: what filters.js and guess.js share.
// Classic scripts, because a browser loads no ES module from file://.
"use strict";

const courseClaims = (() => {
  const { html } = courseElements;
  const place = document.querySelector(".claims");

  /** A button that stays pressed. */
  const toggle = (attributes, ...children) =>
    html("button", { type: "button", "aria-pressed": "false", ...attributes }, ...children);

  const press = (button, pressed) => button.setAttribute("aria-pressed", String(pressed));

  const words = (nodes) => [...nodes].map((node) => node.textContent).join(" ").toLowerCase();

  const claims = [...place.querySelectorAll(".claim")].map((element) => ({
    element,
    number: element.id.split("-")[1],
    words: words(element.querySelectorAll(".claim-text, .claim-found p:not(:last-child)")),
    parts: [...element.querySelectorAll(".claim-part")].map((part) => ({
      element: part, verdict: part.dataset.verdict, chapter: part.dataset.chapter,
    })),
  }));

  /** The words of the verdicts, by what stands in the page for them. */
  const verdicts = Object.fromEntries([...place.querySelectorAll(".verdicts > li")].map((item) =>
    [item.dataset.verdict, item.querySelector(".verdict-word").textContent.trim()]));

  /** The sign of a verdict, as it is drawn below the bar. */
  const sign = (verdict) =>
    place.querySelector(`.verdicts .verdict-${verdict}`).cloneNode(true);

  return { place, toggle, press, claims, verdicts, sign };
})();
