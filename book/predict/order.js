// Put a few things in order with a button up and one down.
"use strict";

(() => {
  const { define, note } = coursePredict;
  const PLACES = ["first", "second", "third", "fourth", "fifth", "sixth"];
  const named = (item) => item.querySelector(".predict-item").textContent.split(":")[0].trim();

  function move(list, button, say) {
    const item = button.closest("li");
    const items = [...list.children];
    const to = items.indexOf(item) + Number(button.dataset.by);
    if (to < 0 || to >= items.length) return;
    if (Number(button.dataset.by) < 0) items[to].before(item);
    else items[to].after(item);
    button.focus();
    say(`${PLACES[to]}: ${named(item)}`);
  }

  define("order", (place, say) => {
    const list = place.querySelector("ol");
    list.addEventListener("click", ({ target }) => {
      if (target.matches(".predict-move")) move(list, target, say);
    });
    return (guessed) => {
      const items = [...list.children];
      const measured = [...items].sort((one, other) => other.dataset.value - one.dataset.value);
      for (const item of items) {
        note(item, `measured ${PLACES[measured.indexOf(item)]}, ${item.dataset.shown}`, "note-measured");
      }
      const best = `“${named(measured[0])}” is first, with ${measured[0].dataset.shown}.`;
      if (!guessed) return `Measured: ${best}`;
      const same = items.filter((item, at) => item === measured[at]).length;
      const mine = same === items.length ? "Your order is the measured one" : `You put “${named(items[0])}” first`;
      return `${mine}; measured: ${best} ${same} of ${items.length} places as measured.`;
    };
  });
})();
