// The drawing of the opening: a row of characters, the date below it, an arc for each weight between.
// book/_ext/opening_drawing.py draws the same while the page is built; this takes over what stands there.
"use strict";

(() => {
  const ISO = ["year", "year", "year", "year", "mark", "month", "month", "mark", "day", "day"];
  const LEAST = { text: 18, iso: 12 }; // a cell is never wider than this share of the drawing
  const SEEN = 0.02; // the arc of a smaller weight cannot be seen

  const middle = (at, count, name) => 50 + ((at + 0.5 - count / 2) * 100) / Math.max(count, LEAST[name]);

  /** From a character of the date, at the bottom, up to one of the text's `count`. */
  function arc(step, key, count) {
    const [low, high] = [middle(step, ISO.length, "iso"), middle(key, count, "text")].map((x) => x.toFixed(2));
    return `M${low} 100C${low} 45 ${high} 55 ${high} 0`;
  }

  const path = (step, key, count) =>
    courseElements.svg("path", { class: `of-${ISO[step]}`, d: arc(step, key, count) });

  const cells = (row, signs, name) => {
    row.style.setProperty("--n", Math.max(signs.length, LEAST[name]));
    row.replaceChildren(...signs.map((sign, at) =>
      courseElements.html("span", { class: name === "iso" ? `of-${ISO[at]}` : "of-text" }, sign)));
  };

  /** Takes over the still drawing. `say(row, at)` tells of a character, `onPick` of what is picked. */
  function drawing(element, { say, onPick }) {
    const [text, arcs, iso] = ["text", "arcs", "iso"].map((name) => element.querySelector(`.opening-${name}`));
    let [paths, picked] = [[], null]; // [steps][keys]
    const weight = (step, key) => Number(paths[step][key].style.getPropertyValue("--w"));
    const chosen = (step, key) => picked && (picked.row === "iso" ? step : key) === picked.at;

    const mark = () => {
      element.classList.toggle("has-picked", picked !== null);
      paths.forEach((row, step) => row.forEach((one, key) => one.classList.toggle("is-picked", chosen(step, key))));
      [[text, "text"], [iso, "iso"]].forEach(([row, name]) => [...row.children].forEach((cell, at) => {
        cell.classList.toggle("is-picked", picked?.row === name && picked.at === at);
        cell.style.setProperty("--w", share(name, at));
        const step = name === "text" && picked?.row === "iso" ? picked.at : null;
        cell.dataset.of = step === null ? "" : ISO[step];
      }));
    };
    /** How much a cell of the other row has to do with what is picked. */
    const share = (name, at) => {
      if (!picked || picked.row === name) return 0;
      const [step, key] = name === "iso" ? [at, picked.at] : [picked.at, at];
      return paths[step] ? weight(step, key) : 0;
    };
    const pick = (where) => {
      if (element.classList.contains("is-writing")) return;
      picked = where;
      mark();
      onPick(where);
    };
    const rows = Object.entries({ text: "Characters of the text", iso: "Characters of the date" })
      .map(([row, name]) => courseOpening.slider({ text, iso }[row], { name, say: (at) => say(row, at),
        pick: (at) => pick(at === null ? null : { row, at }) }));
    element.setAttribute("role", "group");
    element.setAttribute("aria-label", "The text, the date, and the weights between them");

    /** A new text, and nothing written yet. */
    const begin = (signs) => {
      [paths, picked] = [[], null];
      cells(text, signs, "text");
      cells(iso, ISO.map(() => "\u00b7"), "iso");
      arcs.replaceChildren();
      element.classList.add("is-writing");
      rows.forEach(({ reset }) => reset());
      mark();
    };
    const weigh = (step, weights) => weights.forEach((one, key) => {
      const rounded = Number(one.toFixed(3));
      paths[step][key].style.setProperty("--w", rounded);
      paths[step][key].classList.toggle("is-faint", rounded < SEEN);
    });
    /** The next character, with its weights over the text. */
    const write = (sign, weights) => {
      const step = paths.length;
      paths.push(weights.map((_, key) => path(step, key, weights.length)));
      weigh(step, weights);
      iso.children[step].textContent = sign;
      arcs.append(...paths[step]);
      newest(step);
    };
    const newest = (step) => {
      for (const one of element.querySelectorAll(".is-newest")) one.classList.remove("is-newest");
      for (const one of [iso.children[step], ...(paths[step] || [])]) one?.classList.add("is-newest");
    };
    const end = () => {
      newest(null);
      element.classList.remove("is-writing");
      rows.forEach(({ tell }) => tell());
    };
    /** The weights of another head [steps][keys]. */
    const weighAll = (weights) => {
      weights.forEach((row, step) => weigh(step, row));
      mark();
      rows.forEach(({ tell }) => tell());
    };
    return { begin, write, end, weighAll };
  }

  Object.assign(courseOpening, { drawing, ISO });
})();
