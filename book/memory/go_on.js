// Stands in the landing page itself, behind its place: filled before the page is painted, it moves
// nothing. Whoever comes for the first time sees nothing of it.
(() => {
  const place = document.currentScript.previousElementSibling;
  const root = new URL(document.documentElement.dataset.content_root || "./", location.href).pathname;
  const show = () => {
    try {
      const { href, text } = JSON.parse(localStorage.getItem(`attention-measured ${root} place`));
      if (!/^\w+\.html(#[\w-]+)?$/.test(href)) throw Error("not a page of this book");
      const link = Object.assign(document.createElement("a"), { href, textContent: text });
      place.replaceChildren("Go on at ", link);
      place.hidden = false;
    } catch {
      place.hidden = true; // nothing is kept, or the browser forbids to look
    }
  };
  show();
  document.addEventListener("course-memory", show);
})();
