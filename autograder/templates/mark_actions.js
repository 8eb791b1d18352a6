// What a grader does: each action makes the next state, shows it and says it.
"use strict";

(() => {
  const { data, cards, score, isDone, markOf, actions, html, say, points, plural, inWords } = marking;
  const id = (name) => document.getElementById(name);
  const view = { state: marking.begin(), question: 0, card: 0, named: false, unsaved: false, past: 0, future: 0 };
  let work = marking.newWork();
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

  const here = () => ({ state: view.state, question: view.question, card: view.card, work });

  /** Keep the work in the browser, and tell for as long as that does not go. */
  function keep() {
    id("unkept").hidden = marking.keep({ ...work, state: view.state, unsaved: view.unsaved });
  }

  function become(state, elsewhere = false) {
    const built = !elsewhere && state.apart === view.state.apart;
    Object.assign(view, { state, unsaved: true });
    draw({ built });
    keep();
  }

  /** Do what can be undone. */
  function act(state, said, other = work) {
    past.push(here());
    future.length = 0;
    work = other;
    become(state);
    say(said ?? `${inWords(view.state, question(), card())}.`);
  }

  /** Go to the state before or after, and to the answer where it was left. */
  function travel(from, to, said) {
    const other = from.pop();
    if (!other) return say(`There is nothing to ${said.toLowerCase()}.`);
    to.push(here());
    ({ work } = other);
    const elsewhere = other.question !== view.question;
    Object.assign(view, { question: other.question, card: other.card });
    become(other.state, elsewhere);
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
    document.querySelector(".sheets").scrollTop = 0;
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
    act(now, `${inWords(now, question(), card())}. ${on ? "Chosen" : "Taken away"}: ${beginning(item.text)}`);
  }

  /** Enough of an item's text to know it by. */
  const beginning = (text) => (text.length > 50 ? `${text.slice(0, 50).trimEnd()}\u2026` : text);

  /** Set the points of the answer; "" takes away what was set. Says what is wrong with any other text. */
  function setPoints(text) {
    const number = text.trim() === "" ? null : Number(text.replace(",", "."));
    const most = question().points;
    if (number !== null && !(number >= 0 && number <= most)) return say(`Points are a number from 0 to ${most}.`);
    if (card() && number !== markOf(view.state, card()).points) act(actions.setPoints(view.state, question(), card(), number));
    return undefined;
  }

  const zero = () => card() && setPoints(markOf(view.state, card()).points === 0 ? "" : "0");

  const changeItem = (item, change, said) => act(actions.changeItem(view.state, question(), item.id, change), said);
  const addItem = (item) => card() && act(actions.addItem(view.state, question(), card(), { ...item, id: newId(item.text) }));

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
    const { tree, saved } = marking.written(view.state, work);
    marking.download(tree);
    work.saved = saved; // also where this work is undone or done again
    view.unsaved = false;
    draw({ built: true });
    keep();
    say(`${plural(tree.marks.length, "mark")} saved in ${data.file}, among your downloads.`);
  }

  async function open(file) {
    try {
      const { state, ...other } = marking.read(await file.text());
      const opened = { ...marking.newWork(), ...other };
      act(marking.goOn(state, opened.saved), "", opened);
      move(0);
      say(`${file.name} is open. ${gone()}`);
    } catch (error) {
      say(error.message);
    }
  }

  function gone() {
    const count = marking.lost(view.state);
    return count ? `${plural(count, "of its marks")} are for answers that are not on this page any more.` : "";
  }

  /** Go on with what the browser kept, or begin. */
  function start() {
    const { state, unsaved, ...other } = marking.kept() ?? {};
    work = { ...work, ...other };
    if (state) Object.assign(view, { state: marking.goOn(state, work.saved), unsaved: Boolean(unsaved) });
    draw();
    marking.show(view);
    keep();
    say(state ? `You go on where you stopped. ${gone()}` : "Press ? for the keys.");
  }

  Object.assign(marking, {
    view, question, all, card, start, move, turn, finish, toggle, setPoints, zero, changeItem, addItem, takeOut, openWhose,
    names, save, open, undo: () => travel(past, future, "Undo"), redo: () => travel(future, past, "Redo"),
  });
})();
