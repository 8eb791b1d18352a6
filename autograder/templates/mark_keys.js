// The keys and buttons of the page: which action each of them does, and the dialog for an item.
"use strict";

(() => {
  const { view, question, card, all, move, turn, toggle, setPoints, itemsOf, html } = marking;
  const id = (name) => document.getElementById(name);
  const item = (place) => itemsOf(view.state, question())[place];

  /** Ask for the text and points of an item: of a new one, or to change one. */
  function edit(old) {
    const dialog = id("item");
    const [text, worth, told] = [id("item-text"), id("item-points"), id("item-told")];
    id("item-title").textContent = old ? "Change this item everywhere" : "New comment";
    text.value = old?.text ?? "";
    worth.value = old?.points ?? 0;
    told.checked = old?.told ?? true;
    id("item-remove").hidden = !old;
    const close = (keep) => {
      dialog.close();
      keep();
      marking.show(view);
    };
    id("item-form").onsubmit = (event) => {
      event.preventDefault();
      const change = { text: text.value.trim(), points: Number(worth.value), told: told.checked };
      text.value = change.text; // of spaces alone nothing is left, which the browser refuses
      if (text.reportValidity()) close(() => (old ? marking.changeItem(old, change) : marking.addItem(change)));
    };
    id("item-remove").onclick = () => close(() => marking.changeItem(old, { gone: true }, "Removed from all answers."));
    id("item-cancel").onclick = () => close(() => {});
    dialog.showModal();
    text.focus();
  }

  const KEYS = [
    { keys: ["j", "ArrowDown"], shown: ["j", "\u2193"], does: "next answer", button: "next", run: () => move(view.card + 1) },
    { keys: ["k", "ArrowUp"], shown: ["k", "\u2191"], does: "previous answer", button: "previous", run: () => move(view.card - 1) },
    { keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"], shown: ["1", "\u2026", "9"], does: "give this item, or take it away",
      run: (key) => toggle(item(Number(key) - 1)) },
    { keys: ["0"], shown: ["0"], does: "0 points", button: "none", run: marking.zero },
    { keys: ["s"], shown: ["s"], does: "set the points; Enter keeps them, Esc does not", run: () => id("points").select() },
    { keys: ["c"], shown: ["c"], does: "new comment, which is an item from then on", button: "comment", run: () => edit() },
    { keys: ["Enter"], shown: ["Enter"], does: "done, and on to the next that is not marked", button: "done", run: marking.finish },
    { keys: ["x"], shown: ["x"], does: "mark one of several answers apart", run: marking.openWhose },
    { keys: ["u"], shown: ["u"], does: "undo", button: "undo", run: marking.undo },
    { keys: ["r"], shown: ["r"], does: "redo", button: "redo", run: marking.redo },
    { keys: ["n"], shown: ["n"], does: "next question", run: () => turn(view.question + 1) },
    { keys: ["p"], shown: ["p"], does: "previous question", run: () => turn(view.question - 1) },
    { keys: ["h"], shown: ["h"], does: "show or hide names", button: "names", run: marking.names },
    { keys: ["?"], shown: ["?"], does: "this list", button: "help", run: () => id("keys").showModal() },
  ];
  const OTHERS = [{ shown: ["Shift 1", "\u2026", "9"], does: "change this item everywhere" }, { shown: ["Ctrl S"], does: "save the marks as a file" }];
  id("key-list").replaceChildren(...[...KEYS, ...OTHERS].flatMap(({ shown, does }) =>
    [html("dt", {}, ...shown.flatMap((key) => [html("kbd", {}, key), " "])), html("dd", {}, does)]));

  const typing = (element) => element.closest("dialog[open], textarea, input");
  const pressesIt = (element, key) => key === "Enter" && element.closest("button, summary, a");

  /** Take the points as they were typed; a field whose text is no number has the value "". */
  const typed = ({ value, validity }) => setPoints(validity.badInput ? "no number" : value);

  function leavePoints({ key }) {
    if (key === "Escape") id("points").value = marking.markOf(view.state, card()).points ?? "";
    if (key === "Enter" || key === "Escape") marking.show(view);
  }

  /** Points that are being typed are set first; where they cannot be, nothing is saved. */
  function save() {
    const field = id("points");
    const inField = document.activeElement === field;
    if (inField && !field.validity.valid) return typed(field);
    if (inField) marking.show(view);
    return marking.save();
  }

  const isSave = (event) => event.key.toLowerCase() === "s" && (event.ctrlKey || event.metaKey) && !event.altKey;

  /** What a key does where it was pressed; undefined if it is not for us. */
  function meant(event) {
    const { key, code, target } = event;
    if (isSave(event)) return save;
    if (event.ctrlKey || event.metaKey || event.altKey || typing(target) || pressesIt(target, key)) return undefined;
    if (key.length === 1 && !id("single").checked) return undefined; // a spoken word is many keys
    const digit = event.shiftKey && /^Digit([1-9])$/.exec(code);
    if (digit) return () => item(digit[1] - 1) && edit(item(digit[1] - 1));
    const found = KEYS.find(({ keys }) => keys.includes(key));
    return found && (() => found.run(key));
  }

  document.addEventListener("keydown", (event) => {
    const run = meant(event);
    if (!run) return;
    event.preventDefault();
    run();
  });

  /** A click of the mouse gives the focus back to the answer; a button that a key presses keeps it. */
  const onClick = (element, run) => element.addEventListener("click", (event) => {
    run(event);
    if (event.detail && !document.querySelector("dialog[open]")) marking.show(view);
  });
  for (const { button, run } of KEYS) if (button) onClick(id(button), run);
  onClick(id("save"), marking.save);
  id("open").addEventListener("click", () => id("file").click());
  id("file").addEventListener("change", async ({ target }) => {
    if (target.files[0]) await marking.open(target.files[0]);
    target.value = "";
  });
  onClick(id("questions"), ({ target }) => {
    const button = target.closest("[data-question]");
    if (button) turn(Number(button.dataset.question));
  });
  onClick(id("items"), ({ target }) => {
    const find = (name) => itemsOf(view.state, question()).find((item) => item.id === name);
    const button = target.closest("button");
    if (button?.dataset.change) edit(find(button.dataset.change));
    else if (button) toggle(find(button.dataset.itemId));
  });
  document.querySelector(".sheets").addEventListener("click", ({ target }) => {
    const element = target.closest(".card");
    if (!element) return;
    const at = all().findIndex((one) => one.id === element.dataset.card);
    const apart = target.closest("[data-apart]");
    if (at !== view.card && !target.closest("a, summary")) move(at);
    if (apart) marking.takeOut(apart.dataset.apart);
  });
  id("points").addEventListener("change", ({ target }) => typed(target));
  id("points").addEventListener("keydown", leavePoints);
  id("item-text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      event.target.form.requestSubmit();
    }
  });
  window.addEventListener("beforeunload", (event) => {
    if (view.unsaved) event.preventDefault();
  });

  marking.start();
})();
