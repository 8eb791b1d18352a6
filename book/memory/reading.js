// Which sections of a chapter were read. A section, from its heading to the next one, counts when
// both of these were in view for a moment: whoever flies past them, or stops half way, has not read it.
"use strict";

(() => {
  const MOMENT = 700; // milliseconds
  const memory = window.courseMemory;
  const page = location.pathname.split("/").pop().replace(".html", "");
  const headings = [...document.querySelectorAll("article section[id] > :is(h2, h3)")];
  const ids = headings.map((heading) => heading.parentElement.id);
  const places = [...headings, document.querySelector(".prev-next-footer")];
  const seen = new Set();
  const timers = new Map();

  const known = () => memory.sections(page).ids.filter((id) => ids.includes(id));

  function finish(at) {
    const read = [...new Set([...known(), ids[at]])];
    memory.set("read", { ...memory.get("read"), [page]: { of: ids.length, ids: read } });
    const next = ids.findIndex((id, later) => later > at && !read.includes(id));
    memory.set("place", next < 0 ? nextPage() : section(next));
  }

  /** The text of a node without the signs that are put there. */
  function words(node) {
    const copy = node.cloneNode(true);
    for (const sign of copy.querySelectorAll(".headerlink, .memory-mark")) sign.remove();
    copy.querySelector(".chapter-number")?.append(".");
    return copy.textContent.trim();
  }

  const section = (at) => ({
    href: `${page}.html#${ids[at]}`,
    text: `${words(document.querySelector(".bd-sidebar-primary .current > a"))}: ${words(headings[at])}`,
  });

  function nextPage() {
    const link = document.querySelector("a.right-next");
    return { href: link.getAttribute("href"), text: words(link.querySelector(".prev-next-title")) };
  }

  function meet(at) {
    seen.add(at);
    for (const start of [at - 1, at]) {
      if (seen.has(start) && seen.has(start + 1)) finish(start);
    }
  }

  function markContents() {
    const read = known();
    for (const link of document.querySelectorAll(".page-toc a[href^='#']")) {
      memory.mark(link, read.includes(link.hash.slice(1)) && "\u2713", "read");
    }
  }

  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      clearTimeout(timers.get(target));
      if (isIntersecting) timers.set(target, setTimeout(meet, MOMENT, places.indexOf(target)));
    }
  });
  for (const place of places) watcher.observe(place);
  markContents();
  memory.listen(markContents);
})();
