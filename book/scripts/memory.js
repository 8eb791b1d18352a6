// What the book remembers of its reader, in this browser alone: the sections read, the place to go
// on, drafts, what was solved and guessed. Each book has its own, by its path. A browser may forbid
// to keep anything: then `get` gives null and `set` does nothing.
"use strict";

(() => {
  const { html } = courseElements;
  const root = new URL(document.documentElement.dataset.content_root || "./", location.href).pathname;
  const PREFIX = `attention-measured ${root} `; // go_on.js has it too
  const KEPT = "This browser, and nobody else, keeps the sections that you have read, your warm-ups " +
    "and guesses, and the progress that you loaded.";

  function allowed(act) {
    try {
      return act();
    } catch {
      return null;
    }
  }

  const get = (name) => allowed(() => JSON.parse(localStorage.getItem(PREFIX + name)));
  const names = () =>
    allowed(() => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))) || [];
  const changed = () => document.dispatchEvent(new Event("course-memory"));

  /** Keep a value that JSON can hold; null takes it away. */
  function set(name, value) {
    allowed(() => (value === null ? localStorage.removeItem(PREFIX + name)
      : localStorage.setItem(PREFIX + name, JSON.stringify(value))));
    changed();
  }

  function forget() {
    for (const key of names()) allowed(() => localStorage.removeItem(key));
    changed();
  }

  /** Calls `tell` whenever something was kept or forgotten, in this tab or in another. */
  const listen = (tell) => document.addEventListener("course-memory", tell);

  /** Of a page, the ids of the sections that were read, and how many it has. */
  function sections(page) {
    const { ids, of } = (get("read") || {})[page] || {};
    return { ids: Array.isArray(ids) ? ids : [], of: Number(of) };
  }

  /** Put a sign behind a text, with its meaning in words; without a sign there is none. */
  function mark(node, sign, words) {
    node.querySelector(":scope > .memory-mark")?.remove();
    if (sign) node.append(html("span", { class: "memory-mark", role: "img", "aria-label": words, title: words }, sign));
  }

  function markMenu() {
    for (const link of document.querySelectorAll(".bd-sidebar-primary .toctree-l1 > a")) {
      const { ids, of } = sections(link.pathname.split("/").pop().replace(".html", ""));
      const all = ids.length >= of;
      mark(link, ids.length && (all ? "\u2713" : "\u25d0"), all ? "read" : `${ids.length} of ${of} sections read`);
    }
  }

  /** At the foot of the menu: what is kept, and the button that forgets it. */
  function addFoot() {
    const button = (text, onclick) => html("button", { type: "button", onclick }, text);
    const say = html("p", { tabindex: -1 }, KEPT);
    const buttons = html("p", {});
    const foot = html("div", { class: "memory-foot", role: "group", "aria-label": "What is remembered" }, say, buttons);
    const ask = button("Forget everything", () => {
      say.textContent = "Forget all of it? It cannot be brought back.";
      buttons.replaceChildren(yes, no);
      yes.focus();
    });
    const yes = button("Forget", () => {
      forget();
      buttons.replaceChildren();
      say.textContent = "All of it is forgotten.";
      say.focus();
    });
    const no = button("Keep", () => {
      offer();
      ask.focus();
    });
    const offer = () => {
      say.textContent = KEPT;
      buttons.replaceChildren(ask);
    };
    const show = () => {
      const any = names().length > 0;
      if (any && !buttons.hasChildNodes()) offer();
      foot.hidden = !any && !foot.contains(document.activeElement);
    };
    offer();
    show();
    listen(show);
    document.querySelector(".sidebar-primary-items__start")?.append(foot);
  }

  window.courseMemory = { get, set, forget, listen, sections, mark };
  addEventListener("storage", changed);
  addEventListener("pageshow", (event) => event.persisted && changed());
  document.addEventListener("DOMContentLoaded", () => {
    markMenu();
    addFoot();
    listen(markMenu);
  });
})();
