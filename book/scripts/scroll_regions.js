// What is wider than its place scrolls there. While it does, the keyboard can reach it, and it has a
// name; what fits is no stop on the way.
"use strict";

(() => {
  const KINDS = { "div.math": "Formula", ".highlight pre": "Code", ".output pre": "Output",
    ".pst-scrollable-table-container": "Table", figure: "Figure" };
  const names = new Map();

  for (const [selector, kind] of Object.entries(KINDS)) {
    const found = [...document.querySelectorAll(`.bd-article :is(${selector})`)];
    found.filter((place) => !names.has(place))
      .forEach((place, at) => names.set(place, `${kind} ${at + 1} of this page, scrolls sideways`));
  }

  function tell([place, scrolls]) {
    if (scrolls) {
      for (const [name, value] of [["tabindex", 0], ["role", "region"], ["aria-label", names.get(place)]]) {
        place.setAttribute(name, value);
      }
    } else if (place.getAttribute("role") === "region") {
      for (const name of ["tabindex", "role", "aria-label"]) place.removeAttribute(name);
    }
  }

  /** Everything is read before anything is written: the page is laid out once. */
  const scrolls = (place) =>
    place.scrollWidth > place.clientWidth + 1 && getComputedStyle(place).overflowX !== "visible";
  const sizes = new ResizeObserver((entries) =>
    entries.map(({ target }) => [target, scrolls(target)]).forEach(tell));
  for (const place of names.keys()) sizes.observe(place);
})();
