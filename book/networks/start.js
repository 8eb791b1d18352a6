// Fetches what a place of the page names, once the page is there and the browser has nothing to do.
"use strict";

addEventListener("load", () => {
  const fetchAll = () => {
    for (const src of document.querySelector("[data-scripts]").dataset.scripts.split(" ")) {
      const script = document.createElement("script");
      script.async = false; // they run in this order
      script.src = src;
      document.body.append(script);
    }
  };
  if (window.requestIdleCallback) requestIdleCallback(fetchAll, { timeout: 2000 });
  else setTimeout(fetchAll, 200);
});
