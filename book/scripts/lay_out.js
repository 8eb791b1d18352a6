// A page is laid out piece by piece in the moments after it came: all at once, that would keep a phone
// from answering for more than a second. Until then what is off the screen has a height that is guessed
// (text.css); with the last piece, the page has the height that it keeps.
"use strict";

(() => {
  const pieces = [...document.querySelectorAll(".bd-article > section > section, .bd-article section section > *")];
  const SLICE = 80; // elements, which a slow phone lays out in less than a twentieth of a second

  /** A section comes before its blocks, which are guessed from then on. */
  function layOut(most = SLICE) {
    for (let size = 0; size < most && pieces.length;) {
      const piece = pieces.shift();
      piece.classList.add("is-laid-out");
      size += piece.matches("section") ? 1 : piece.getElementsByTagName("*").length + 1;
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
