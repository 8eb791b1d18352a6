// What text.css leaves out of the first layout follows here, a section at a time, when there is
// nothing else to do: no task is long, and soon the whole page is as if nothing had been left out.
"use strict";

(() => {
  const later = [...document.querySelectorAll(".bd-article > section > section")];
  const atRest = globalThis.requestIdleCallback ?? setTimeout;
  const next = () => {
    const section = later.shift();
    if (!section) return;
    section.classList.add("is-laid-out");
    section.getBoundingClientRect(); // now, not together with the next one
    atRest(next);
  };
  addEventListener("load", () => atRest(next));
})();
