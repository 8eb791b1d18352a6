// Filters by verdict, chapter and text. The part of the address after # says what is shown:
// #verdict=false&chapter=3&text=softmax, or #claim-7, which shows everything and leads there.
"use strict";

(() => {
  const { html } = courseElements;
  const { place, toggle, press, claims, verdicts, guessing } = courseClaims;
  const chapters = [...new Set(claims.flatMap(({ parts }) => parts.map(({ chapter }) => chapter)))].sort((one, other) => one - other);
  const nothing = () => ({ verdict: [], chapter: [], text: "", guess: false });
  let state = nothing();

  function read(hash) {
    const found = new URLSearchParams(hash.slice(1));
    return {
      verdict: found.getAll("verdict").filter((name) => name in verdicts),
      chapter: found.getAll("chapter").filter((name) => chapters.includes(name)),
      text: found.get("text") ?? "",
      guess: found.has("guess"),
    };
  }

  function written({ verdict, chapter, text, guess }) {
    const named = [...verdict.map((name) => ["verdict", name]), ...chapter.map((name) => ["chapter", name])];
    if (text) named.push(["text", text]);
    if (guess) named.push(["guess", "first"]);
    return `#${new URLSearchParams(named)}`;
  }

  const fits = (chosen, name) => chosen.length === 0 || chosen.includes(name);

  /** Each word of the text stands in the claim, and one of its parts has a verdict and a chapter that were chosen. */
  function matches(claim) {
    const wanted = state.text.toLowerCase().split(/\s+/);
    return wanted.every((word) => claim.words.includes(word)) && claim.parts.some((part) =>
      fits(state.verdict, part.verdict) && fits(state.chapter, part.chapter));
  }

  const flipped = (chosen, name) =>
    chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name];

  /** A step that the back button takes back; while a word is typed, there is only one. */
  function change(what, replace = false) {
    state = { ...state, ...what };
    if (state.guess) state.verdict = []; // it would tell
    history[replace ? "replaceState" : "pushState"](null, "", written(state));
    show();
  }

  function verdictToggle(item) {
    const name = item.dataset.verdict;
    const shown = item.querySelector(".verdict-name");
    const button = toggle({ onclick: () => change({ verdict: flipped(state.verdict, name) }) },
      ...shown.childNodes);
    shown.replaceWith(button);
    return [name, button];
  }

  const verdictToggles = [...place.querySelectorAll(".verdicts > li")].map(verdictToggle);
  const chapterToggles = chapters.map((name) => [name, toggle({ "aria-label": `Chapter ${name}`,
    onclick: () => change({ chapter: flipped(state.chapter, name) }) }, name)]);
  const field = html("input", { type: "search", id: "claims-text", autocomplete: "off",
    oninput: () => change({ text: field.value.trim() }, state.text !== "") });
  const guess = toggle({ onclick: () => change({ guess: !state.guess }) }, "Guess first");
  const all = html("button", { type: "button", onclick: () => { change({ ...nothing(), guess: state.guess }); field.focus(); } }, "Show all");
  const count = html("output", { "aria-live": "polite" });

  function show() {
    for (const [name, button] of verdictToggles) {
      press(button, state.verdict.includes(name));
      button.disabled = state.guess;
    }
    for (const [name, button] of chapterToggles) press(button, state.chapter.includes(name));
    for (const segment of bar.children) segment.classList.toggle("is-left-out", !fits(state.verdict, segment.dataset.verdict));
    press(guess, state.guess);
    guessing.set(state.guess);
    if (field.value.trim() !== state.text) field.value = state.text;
    for (const claim of claims) claim.element.hidden = !matches(claim);
    const shown = claims.filter(({ element }) => !element.hidden).length;
    count.textContent = `${shown} of ${claims.length} shown`;
    all.hidden = shown === claims.length;
  }

  /** What the address says. An address of another place on the page changes nothing. */
  function follow() {
    const target = /^#claim-\d+$/.test(location.hash) ? document.querySelector(location.hash) : null;
    if (!target && location.hash.length > 1 && !location.hash.includes("=")) return;
    place.querySelector(".is-here")?.classList.remove("is-here");
    state = target ? nothing() : read(location.hash);
    show();
    target?.classList.add("is-here");
    target?.scrollIntoView();
  }

  const bar = place.querySelector(".claims-bar");
  bar.classList.add("is-control"); // for the pointer; the buttons below are for all
  bar.addEventListener("click", ({ target }) => {
    const segment = target.closest("[data-verdict]");
    if (segment) change({ verdict: flipped(state.verdict, segment.dataset.verdict) });
  });
  place.querySelector(".claims-head").before(
    html("div", { class: "claims-filters" },
      html("div", { role: "group", "aria-label": "Chapter" }, html("span", { class: "claims-label" }, "Chapter"), ...chapterToggles.map(([, button]) => button)),
      html("div", {}, html("label", { class: "claims-label", for: "claims-text" }, "Words of the claim or of what was measured"), field)),
    html("div", { class: "claims-status" }, count, all, guess, guessing.score));
  addEventListener("popstate", follow);
  follow();
})();
