// Paper is white and cannot be unfolded: before printing, the light theme, and every answer open.
"use strict";

(() => {
  const root = document.documentElement;
  let theme, folded;

  addEventListener("beforeprint", () => {
    theme = root.dataset.theme;
    root.dataset.theme = "light";
    folded = [...document.querySelectorAll("details:is(.sd-dropdown, .claim-quotes):not([open])")];
    for (const one of folded) one.open = true;
  });

  addEventListener("afterprint", () => {
    root.dataset.theme = theme;
    for (const one of folded) one.open = false;
  });
})();
