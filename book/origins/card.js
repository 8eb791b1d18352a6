// A number, a term, a citation or a figure's name opens a card beside it. With a key held down, or
// in a browser without popovers, it is the link that it is without scripts.
"use strict";

(() => {
  if (!("popover" in HTMLElement.prototype)) return;
  const { html } = courseElements;
  const { number, term, citation, figure } = courseCards;
  const KINDS = {
    "a[data-measured]": number,
    "a:has(> .std-term)": term,
    "a:has(> .std-numref)": figure,
    ".bibtex-citation a": citation,
  };
  const [TITLE, MARGIN] = ["origin-title", 8];
  const closing = html("button", { type: "button", "aria-label": "Close" }, "×");
  const card = html("div", {
    id: "origin", class: "origin", popover: "auto", role: "dialog", tabindex: "-1",
    "aria-labelledby": TITLE,
  });
  const article = document.querySelector(".bd-article");
  let opener = null; // of the open card
  let pressed = null; // whose card was open when the pointer came down, which closes it

  function prepare() {
    for (const link of article.querySelectorAll(Object.keys(KINDS).join())) {
      link.setAttribute("aria-haspopup", "dialog");
      if (!link.title) continue;
      link.dataset.entry = link.title; // or the browser would show it over the card
      link.removeAttribute("title");
    }
  }

  function open(link, contents) {
    card.hidePopover();
    const [title, ...rest] = contents(link);
    card.replaceChildren(html("p", { id: TITLE }, title), closing, ...rest);
    link.after(card); // Tab goes on from the link into the card
    link.focus({ preventScroll: true }); // where Esc comes back to
    card.showPopover();
    opener = link;
    opener.setAttribute("aria-expanded", "true");
    opener.setAttribute("aria-controls", card.id);
    place();
    card.focus({ preventScroll: true });
    card.scrollTop = 0;
  }

  /** Below the link or above it, within the window; a narrow window has it at its lower edge. */
  function place() {
    const lines = opener.getClientRects();
    const [first, last] = [lines[0], lines[lines.length - 1]];
    const room = Math.max(first.top, innerHeight - last.bottom) - 2 * MARGIN;
    card.style.setProperty("--room", `${room}px`); // a taller card would cover its link
    const size = card.getBoundingClientRect();
    const within = (at, room) => Math.max(MARGIN, Math.min(at, room - MARGIN));
    const above = first.top - MARGIN - size.height;
    const below = last.bottom + MARGIN;
    const fits = below + size.height + MARGIN <= innerHeight;
    const top = within(fits || above < MARGIN ? below : above, innerHeight - size.height);
    const left = within(last.left, document.documentElement.clientWidth - size.width);
    card.style.setProperty("--left", `${left + scrollX}px`);
    card.style.setProperty("--top", `${top + scrollY}px`);
    uncover(last);
  }

  /** Where the card covers its link, as one at the lower edge may, the page moves up. */
  function uncover(line) {
    const size = card.getBoundingClientRect();
    if (getComputedStyle(card).position !== "fixed" || line.bottom + MARGIN < size.top) return;
    scrollBy({ top: line.bottom + MARGIN - size.top, behavior: "instant" });
  }

  function onClick(event) {
    const held = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    const link = event.target.closest("a");
    if (held || !link || card.contains(link)) return;
    const kind = Object.keys(KINDS).find((selector) => link.matches(selector));
    if (!kind) return;
    event.preventDefault();
    const again = event.detail > 0 && pressed === link; // a key has no pointer that came down
    if (again || opener === link) card.hidePopover();
    else open(link, KINDS[kind]);
  }

  prepare();
  article.addEventListener("click", onClick);
  addEventListener("pointerdown", () => { pressed = opener; }, true);
  addEventListener("keydown", ({ key }) => { // a script of Sphinx's keeps it from the browser
    if (key === "Escape" && opener) card.hidePopover();
  });
  addEventListener("resize", () => { if (opener) place(); });
  closing.addEventListener("click", () => card.hidePopover());
  card.addEventListener("click", ({ target }) => {
    if (target.closest("a[href*='#']")) card.hidePopover(); // it leads away
  });
  card.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && !card.contains(relatedTarget)) card.hidePopover();
  });
  card.addEventListener("beforetoggle", ({ newState }) => {
    if (newState === "open" || !opener) return;
    for (const name of ["aria-expanded", "aria-controls"]) opener.removeAttribute(name);
    opener = null;
  });
})();
