// What a grader does, by keys or buttons: each of them makes the next state and shows it.
"use strict";

(() => {
  const { data, cards, score, isDone, itemsOf, chosen, markOf, actions, html, say, points, plural, inWords } = marking;
  const id = (name) => document.getElementById(name);
  const view = { state: marking.begin(), question: 0, card: 0, named: false, unsaved: false, past: 0, future: 0 };
  let saved = {};
  const past = [];
  const future = [];

  const question = () => data.questions[view.question];
  const all = () => cards(question(), view.state);
  const card = () => all()[view.card];

  function draw({ built = false } = {}) {
    Object.assign(view, { past: past.length, future: future.length });
    if (!built) marking.build(view);
    marking.update(view);
  }

  const keep = () => marking.keep({ state: view.state, saved, unsaved: view.unsaved });

  function become(state) {
    const { apart } = view.state;
    Object.assign(view, { state, unsaved: true });
    draw({ built: state.apart === apart });
    keep();
  }

  /** Do what can be undone. */
  function act(state, said) {
    past.push({ state: view.state, question: view.question, card: view.card });
    future.length = 0;
    become(state);
    say(said ?? `${inWords(view.state, question(), card())}.`);
  }

  /** Go to the state before or after, and to the answer where it was left. */
  function travel(from, to, said) {
    const other = from.pop();
    if (!other) return say(`There is nothing to ${said.toLowerCase()}.`);
    to.push({ state: view.state, question: view.question, card: view.card });
    const elsewhere = other.question !== view.question;
    Object.assign(view, { question: other.question, card: other.card });
    if (elsewhere) marking.build(view);
    become(other.state);
    marking.show(view);
    return say(`${said}: ${card() ? inWords(view.state, question(), card()) : ""}.`);
  }

  function move(to) {
    const last = all().length - 1;
    view.card = Math.min(Math.max(to, 0), Math.max(last, 0));
    draw({ built: true });
    marking.show(view);
  }

  function turn(to, place = 0) {
    if (!data.questions[to]) return say("There is no other question.");
    Object.assign(view, { question: to, card: place });
    draw();
    window.scrollTo(0, 0);
    return marking.show(view);
  }

  /** The next answer that is not marked, from here to the end and then from the beginning. */
  function nextUnmarked() {
    const every = data.questions.flatMap((one, at) => cards(one, view.state).map((each, place) => ({ one, at, each, place })));
    const here = every.findIndex(({ at, place }) => at === view.question && place === view.card);
    return [...every.slice(here + 1), ...every.slice(0, here)].find(({ one, each }) => !isDone(view.state, one, each));
  }

  function finish() {
    const now = card();
    if (!now) return;
    const given = score(view.state, question(), now);
    if (given === null && !isDone(view.state, question(), now)) {
      say("Nothing is chosen yet. Choose an item, set the points, or press 0 for 0 points.");
      return;
    }
    if (!isDone(view.state, question(), now)) act(actions.finish(view.state, now), "");
    const next = nextUnmarked();
    const mark = given === null ? "" : `${given} of ${points(question().points)}. `;
    if (!next) return say(`${mark}All answers are marked. Save the file now.`);
    if (next.at === view.question) move(next.place); else turn(next.at, next.place);
    return say(`${mark}Now answer ${view.card + 1}.`);
  }

  function toggle(item) {
    if (!item || !card()) return;
    const now = actions.toggle(view.state, question(), card(), item);
    const on = markOf(now, card()).items.includes(item.id);
    act(now, `${item.text}: ${on ? "chosen" : "taken away"}. ${inWords(now, question(), card())}.`);
  }

  /** Set the points of the answer; "" takes away what was set. Says what is wrong with any other text. */
  function setPoints(text) {
    const number = text.trim() === "" ? null : Number(text.replace(",", "."));
    const most = question().points;
    if (number !== null && !(number >= 0 && number <= most)) return say(`Points are a number from 0 to ${most}.`);
    if (card() && number !== markOf(view.state, card()).points) act(actions.setPoints(view.state, card(), number));
    return undefined;
  }

  const zero = () => card() && setPoints(markOf(view.state, card()).points === 0 ? "" : "0");

  /** Ask for the text and points of an item, in a dialog: of a new one, or to change one. */
  function edit(item) {
    const dialog = id("item");
    const [text, worth, told] = [id("item-text"), id("item-points"), id("item-told")];
    id("item-title").textContent = item ? "Change this item everywhere" : "New comment";
    Object.assign(text, { value: item?.text ?? "" });
    Object.assign(worth, { value: item?.points ?? 0 });
    told.checked = item?.told ?? true;
    id("item-remove").hidden = !item;
    dialog.returnValue = "";
    dialog.onclose = () => {
      const change = { text: text.value.trim(), points: Number(worth.value), told: told.checked };
      if (dialog.returnValue === "keep" && change.text) keepItem(item, change);
      if (dialog.returnValue === "remove") act(actions.changeItem(view.state, question(), item.id, { gone: true }), "Removed.");
      marking.show(view);
    };
    dialog.showModal();
    text.focus();
  }

  function keepItem(item, change) {
    const had = chosen(view.state, question(), card() ?? all()[0]).length;
    if (item) act(actions.changeItem(view.state, question(), item.id, change));
    else if (card()) act(actions.addItem(view.state, question(), card(), { ...change, id: newId(change.text, had) }));
  }

  /** No item has had it; the same text again is another item. */
  function newId(text) {
    const used = new Set(view.state.items[question().name].map((item) => item.id));
    const names = [`comment: ${text}`, ...Array.from({ length: used.size + 1 }, (_, at) => `comment ${at + 2}: ${text}`)];
    return names.find((name) => !used.has(name));
  }

  function takeOut(student) {
    act(actions.takeOut(view.state, card(), student), "It is marked by itself now, below.");
    const at = all().findIndex((one) => one.id === `${one.group.id}/${student}`);
    if (at >= 0) move(at);
  }

  function openWhose() {
    const details = document.querySelector(".card.is-current .whose");
    if (!details || card().answers.length < 2) return say("This answer is alone, so nothing can be marked apart.");
    details.open = true;
    return details.querySelector("button").focus();
  }

  function names() {
    view.named = !view.named;
    draw();
    marking.show(view);
    say(view.named ? "Names are shown." : "Names are hidden.");
  }

  function save() {
    const { tree, saved: now } = marking.written(view.state, saved);
    marking.download(tree);
    saved = now;
    view.unsaved = false;
    draw({ built: true });
    keep();
    say(`${plural(tree.marks.length, "mark")} saved in ${data.file}, among your downloads.`);
  }

  async function open(file) {
    try {
      const work = marking.read(await file.text());
      saved = work.saved;
      view.card = 0;
      act(marking.begin(work.state), "");
      marking.build(view);
      marking.update(view);
      say(`${file.name} is open. ${gone()}`);
    } catch (error) {
      say(error.message);
    }
  }

  function gone() {
    const count = marking.lost(view.state);
    return count ? `${plural(count, "of its marks")} are for answers that are not on this page any more.` : "";
  }

  const KEYS = [
    { keys: ["j", "ArrowDown"], shown: ["j", "\u2193"], does: "next answer", button: "next", run: () => move(view.card + 1) },
    { keys: ["k", "ArrowUp"], shown: ["k", "\u2191"], does: "previous answer", button: "previous", run: () => move(view.card - 1) },
    { keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"], shown: ["1", "\u2026", "9"], does: "give this item, or take it away",
      run: (key) => toggle(itemsOf(view.state, question())[Number(key) - 1]) },
    { keys: ["0"], shown: ["0"], does: "0 points", button: "none", run: zero },
    { keys: ["s"], shown: ["s"], does: "set the points; Enter goes back", run: () => id("points").select() },
    { keys: ["c"], shown: ["c"], does: "new comment, which is an item from then on", button: "comment", run: () => edit() },
    { keys: ["Enter"], shown: ["Enter"], does: "done, and on to the next that is not marked", button: "done", run: finish },
    { keys: ["x"], shown: ["x"], does: "mark one of several answers apart", run: openWhose },
    { keys: ["u"], shown: ["u"], does: "undo", button: "undo", run: () => travel(past, future, "Undo") },
    { keys: ["r"], shown: ["r"], does: "redo", button: "redo", run: () => travel(future, past, "Redo") },
    { keys: ["n"], shown: ["n"], does: "next question", run: () => turn(view.question + 1) },
    { keys: ["p"], shown: ["p"], does: "previous question", run: () => turn(view.question - 1) },
    { keys: ["h"], shown: ["h"], does: "show or hide names", button: "names", run: names },
    { keys: ["?"], shown: ["?"], does: "this list", button: "help", run: () => id("keys").showModal() },
  ];
  id("key-list").replaceChildren(...[...KEYS, { shown: ["Ctrl S"], does: "save the marks as a file" }].flatMap(({ shown, does }) =>
    [html("dt", {}, ...shown.flatMap((key) => [html("kbd", {}, key), " "])), html("dd", {}, does)]));

  const typing = (element) => element.closest("dialog[open], textarea, input");
  const pressesIt = (element, key) => key === "Enter" && element.closest("button, summary, a");

  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (key.toLowerCase() === "s" && (event.ctrlKey || event.metaKey) && !event.altKey) {
      event.preventDefault();
      save();
    } else if (!event.ctrlKey && !event.metaKey && !event.altKey && !typing(target) && !pressesIt(target, key)) {
      const found = KEYS.find(({ keys }) => keys.includes(key));
      if (found) event.preventDefault();
      found?.run(key);
    }
  });

  /** A click of the mouse gives the focus back to the answer; a button that a key presses keeps it. */
  const onClick = (element, run) => element.addEventListener("click", (event) => {
    run(event);
    if (event.detail && !document.querySelector("dialog[open]")) marking.show(view);
  });
  for (const { button, run } of KEYS) if (button) onClick(id(button), run);
  onClick(id("save"), save);
  id("open").addEventListener("click", () => id("file").click());
  id("file").addEventListener("change", async ({ target }) => {
    if (target.files[0]) await open(target.files[0]);
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
    if (apart) takeOut(apart.dataset.apart);
  });
  id("points").addEventListener("change", ({ target }) => setPoints(target.value));
  id("points").addEventListener("keydown", ({ key }) => {
    if (key === "Enter" || key === "Escape") marking.show(view);
  });
  id("item-text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      event.target.form.requestSubmit();
    }
  });
  id("item-remove").addEventListener("click", () => id("item").close("remove"));
  id("item-cancel").addEventListener("click", () => id("item").close());
  window.addEventListener("beforeunload", (event) => {
    if (view.unsaved) event.preventDefault();
  });

  const work = marking.kept();
  if (work) {
    Object.assign(view, { state: marking.begin(work.state), unsaved: Boolean(work.unsaved) });
    saved = work.saved ?? {};
  }
  draw();
  marking.show(view);
  say(work ? `You go on where you stopped. ${gone()}` : "Press ? for the keys.");
})();
