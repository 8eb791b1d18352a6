// A page is laid out piece by piece in the moments after it came: all at once, that would keep a phone
// from answering for more than a second. Until then what is off the screen has a height that is guessed
// (text.css); with the last piece, the page has the height that it keeps.
"use strict";

(() => {
  const pieces = [...document.querySelectorAll(".bd-article > section > section, .bd-article section section > *")];
  const SHORT = 35; // milliseconds, with the picture that follows: nobody notices them
  const LEAST = 60; // elements at a time; more where the device is fast
  let most = LEAST;

  /** A section comes before its blocks, which are guessed from then on. */
  function layOut() {
    const began = performance.now();
    for (let size = 0; size < most && pieces.length;) {
      const piece = pieces.shift();
      piece.classList.add("is-laid-out");
      size += piece.matches("section") ? 1 : piece.getElementsByTagName("*").length + 1;
    }
    requestAnimationFrame(() => setTimeout(() => {
      most = Math.max(LEAST, performance.now() - began < SHORT ? most * 2 : most / 2);
      if (pieces.length) layOut();
    }));
  }

  if (document.readyState === "complete") layOut();
  else addEventListener("load", () => setTimeout(layOut));
})();
