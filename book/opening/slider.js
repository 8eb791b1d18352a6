// A row of characters of which one can be picked: by mouse, by finger, by arrow keys.
"use strict";

(() => {
  /** A row of cells as a slider: its value is the character under the pointer or the arrow keys.
   *
   * `pick` gets a place, or null where the reader has left. A click keeps what it picks. */
  function slider(row, { name, say, pick }) {
    let [at, kept] = [0, null];
    const last = () => row.children.length - 1;
    const tell = () => {
      row.setAttribute("aria-valuemax", last() + 1);
      row.setAttribute("aria-valuenow", at + 1);
      row.setAttribute("aria-valuetext", say(at));
    };
    const go = (to) => {
      at = Math.min(Math.max(to, 0), last());
      pick(at);
      tell();
    };
    const keep = (to) => {
      kept = to;
      if (to === null) pick(null);
      else go(to);
    };
    const under = ({ clientX }) => {
      const box = row.firstElementChild.getBoundingClientRect();
      return Math.min(Math.max(Math.floor((clientX - box.left) / box.width), 0), last());
    };
    const keys = { ArrowLeft: () => at - 1, ArrowRight: () => at + 1, Home: () => 0, End: last,
      Escape: () => null };
    row.addEventListener("keydown", (event) => {
      if (!keys[event.key]) return;
      event.preventDefault();
      keep(keys[event.key]());
    });
    row.addEventListener("pointermove", (event) => go(under(event)));
    row.addEventListener("pointerdown", (event) => keep(kept === under(event) ? null : under(event)));
    row.addEventListener("pointerleave", () => keep(kept));
    row.addEventListener("focus", () => row.matches(":focus-visible") && keep(at));
    row.addEventListener("blur", () => keep(null));
    const reset = () => {
      [at, kept] = [0, null];
      tell();
    };
    const attributes = { role: "slider", tabindex: 0, "aria-label": name, "aria-valuemin": 1 };
    for (const [key, value] of Object.entries(attributes)) row.setAttribute(key, value);
    return { tell, reset };
  }

  Object.assign(courseOpening, { slider });
})();
