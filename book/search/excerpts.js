// What a search shows of a page is its text; a formula in it as one would type it, not as TeX. How
// many pages it found is read out.
"use strict";
(() => {
  const NO_TEXT = "script, style, .headerlink, .katex-html, annotation, button";
  const BETWEEN = { mfrac: "/", msub: "_", msup: "^" };

  function typed(element) {
    const name = element.localName;
    const parts = [...element.children].map(typed);
    if (!parts.length) return element.textContent;
    if (name === "msqrt") return `√${grouped(parts.join(""))}`;
    if (name === "msubsup") return `${parts[0]}_${grouped(parts[1])}^${grouped(parts[2])}`;
    if (name in BETWEEN) return parts.map(grouped).join(BETWEEN[name]);
    return parts.join("");
  }

  function grouped(text) {
    return /[\s+−/=∥-]/.test(text) ? `(${text})` : text;
  }

  Search.status?.setAttribute("role", "status"); // the search has begun, and waits for its index

  Search.htmlToText = (source, anchor) => {
    const page = new DOMParser().parseFromString(source, "text/html");
    for (const one of page.querySelectorAll(NO_TEXT)) one.remove();
    for (const one of page.querySelectorAll("math")) one.replaceWith(typed(one));
    const part = anchor && page.querySelector(`article ${anchor}`);
    return (part || page.querySelector("article") || page.body).textContent;
  };
})();
