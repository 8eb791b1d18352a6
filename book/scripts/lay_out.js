// A page is laid out piece by piece in the moments after it came: all at once, that would keep a phone
// from answering for more than a second. Until then what is off the screen has a height that is guessed
// (text.css); with the last piece, the page has the height that it keeps.
"use strict";

(() => {
  const pieces = [...document.querySelectorAll(".bd-article section section > :not(section)")];
  const ENOUGH = 12; // milliseconds, after which the page draws and answers

  function layOut(enough = ENOUGH) {
    const began = performance.now();
    while (pieces.length && performance.now() - began < enough) {
      pieces.shift().classList.add("is-laid-out");
      document.documentElement.getBoundingClientRect(); // lays it out now, so that its time counts
    }
    if (pieces.length) requestAnimationFrame(() => setTimeout(() => layOut())); // after the picture
  }

  /** Where a link leads, all above it must have its height. */
  function arrive() {
    if (!pieces.length) return;
    layOut(Infinity);
    document.querySelector(":target")?.scrollIntoView();
  }

  addEventListener("hashchange", arrive);
  addEventListener("load", () => setTimeout(() => (location.hash ? arrive() : layOut())));
})();
