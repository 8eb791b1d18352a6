// The list of a page's sections names the one on the screen: that of the heading which passed the top
// last, or the one that a link leads to, where the end of the page keeps its heading from the top.
// The theme names the heading that came into the upper third of the window last. Where one goes back,
// or jumps, no heading comes in, and its name stays that of another section.
"use strict";

(() => {
  const list = document.querySelector("#pst-page-toc-nav");
  const links = [...(list?.querySelectorAll('a[href^="#"]') ?? [])];
  const heading = ({ hash }) =>
    document.getElementById(decodeURIComponent(hash.slice(1)))?.querySelector("h1, h2, h3, h4, h5, h6");
  const entries = links.map((link) => ({ link, heading: heading(link) })).filter((entry) => entry.heading);
  if (!entries.length) return;

  const root = document.documentElement;
  const NEAR = 8; // pixels below where a link stops
  let named = null, waiting = false;

  const place = (entry) => entry.heading.getBoundingClientRect().top;

  /** A heading below the first that has not passed is not asked: it may not be laid out yet. */
  function current() {
    const top = parseFloat(getComputedStyle(root).scrollPaddingTop) + NEAR;
    const next = entries.findIndex((entry) => place(entry) > top);
    const passed = next < 0 ? entries.length - 1 : Math.max(next - 1, 0);
    if (scrollY + innerHeight < root.scrollHeight - 1) return entries[passed].link;
    const led = entries.findIndex(({ link }) => link.hash === location.hash);
    return entries[led > passed && place(entries[led]) < innerHeight ? led : passed].link;
  }

  function name(link) {
    if (link === named) return;
    named = link;
    for (const one of links) {
      one.classList.toggle("active", one === link);
      if (one === link) one.setAttribute("aria-current", "true");
      else one.removeAttribute("aria-current");
    }
    for (const entry of list.querySelectorAll(".toc-entry")) {
      entry.classList.toggle("active", entry.contains(link)); // the theme shows the sections within
    }
  }

  /** Once for each picture, which is laid out then anyway. */
  function look() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      name(current());
    });
  }

  for (const event of ["scroll", "resize", "hashchange", "load"]) addEventListener(event, look, { passive: true });
  new ResizeObserver(look).observe(document.body); // something was unfolded
  look();
})();
