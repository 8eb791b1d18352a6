// What is on the screen of a state of the marks. Nothing here changes a mark.
"use strict";

(() => {
  const { data, cards, known, markOf, itemsOf, chosen, score, isDone, progress } = marking;
  const id = (name) => document.getElementById(name);
  const sheets = [...document.querySelectorAll(".sheet")];

  function html(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== undefined));
    return element;
  }

  const plural = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
  const points = (number) => plural(number, "point");
  const say = (text) => { id("said").textContent = text; };

  /** "1.5 of 2 points", or that there are none. */
  function inWords(state, question, card) {
    const given = score(state, question, card);
    if (given !== null) return `${given} of ${points(question.points)}`;
    if (!isDone(state, question, card)) return "No points yet";
    return known(card).length ? "Different marks" : `0 of ${points(question.points)}`;
  }

  const stateOf = (state, question, card) => (isDone(state, question, card) ? "marked" : "not marked");

  /** The text of an item; the author's with its formulas while nobody has changed it. */
  function itemText(question, item) {
    const made = sheets[data.questions.indexOf(question)].querySelector(`template[data-item="${item.place}"]`);
    const unchanged = made && question.items[item.place].text === item.text;
    return html("span", { class: "text" }, unchanged ? made.content.cloneNode(true) : item.text);
  }

  function whose(card, named) {
    if (card.answers.length === 1 && !named) return undefined;
    const people = card.answers.map((answer, place) => html("li", {},
      named ? answer.name : `Student ${place + 1}`, " ",
      card.answers.length > 1
        ? html("button", { type: "button", "data-apart": answer.student }, "Mark it apart")
        : undefined));
    const shown = card.answers.length > 1 ? plural(card.answers.length, "answer") : "Whose it is";
    return html("details", { class: "whose", open: named }, html("summary", {}, shown), html("ul", {}, ...people));
  }

  function cardElement(question, card, place, named) {
    const texts = new Set(card.answers.map((answer) => answer.text));
    const [text] = texts;
    const made = document.querySelector(`template[data-text="${text}"]`).content.cloneNode(true);
    const title = `card-${place}`;
    return html("article", { class: "card", tabindex: "-1", "data-card": card.id, "aria-labelledby": `${title} ${title}-mark` },
      html("header", {}, html("h3", { id: title }, `Answer ${place + 1}`,
        card.answers.length > 1 ? html("span", { class: "many" }, ` ×${card.answers.length}`) : undefined),
      html("span", { class: "mark", id: `${title}-mark` })),
      card.group.empty ? html("p", { class: "quiet" }, "Nothing was written.") : html("div", { class: "written" }, made),
      texts.size > 1 ? html("p", { class: "quiet" }, "Some of these differ in capitals or spaces.") : undefined,
      html("ul", { class: "given", "aria-label": "Chosen for this answer" }), whose(card, named));
  }

  /** Put the answers of a question on the page. */
  function build(view) {
    sheets.forEach((sheet, place) => {
      sheet.hidden = place !== view.question;
      sheet.querySelector(".cards").replaceChildren();
    });
    const question = data.questions[view.question];
    const all = cards(question, view.state);
    const elements = all.map((card, place) => cardElement(question, card, place, view.named));
    const none = html("p", {}, "There is no answer to mark here.");
    sheets[view.question].querySelector(".cards").replaceChildren(...(elements.length ? elements : [none]));
  }

  /** Bring the answers up to date. One that looks as before is left alone, since a class may have a thousand. */
  function updateCards(view, question, all) {
    const elements = sheets[view.question].querySelectorAll(".card");
    all.forEach((card, place) => {
      const done = isDone(view.state, question, card);
      const items = chosen(view.state, question, card);
      const mark = done || items.length || markOf(view.state, card).points !== null ? inWords(view.state, question, card) : "";
      const looks = { done, current: place === view.card, mark: [mark, !done && "not marked"].filter(Boolean).join(", "), items };
      const key = JSON.stringify(looks);
      if (elements[place].looks !== key) updateCard(elements[place], question, looks);
      elements[place].looks = key;
    });
  }

  function updateCard(element, question, { done, current, mark, items }) {
    element.classList.toggle("is-done", done);
    element.classList.toggle("is-current", current);
    element.tabIndex = current ? 0 : -1;
    if (current) element.setAttribute("aria-current", "true"); else element.removeAttribute("aria-current");
    element.querySelector(".mark").textContent = mark;
    element.querySelector(".given").replaceChildren(...items.map((item) =>
      html("li", {}, html("b", {}, signed(item.points)), " ", itemText(question, item))));
  }

  const signed = (number) => (number < 0 ? `\u2212${-number}` : `${number ? "+" : ""}${number}`);

  function updateItems(view, question, card) {
    const has = new Set(card ? chosen(view.state, question, card) : []);
    id("items").replaceChildren(...itemsOf(view.state, question).map((item, place) => html("li", {},
      html("button", { type: "button", id: `item-${place}`, "aria-pressed": String(has.has(item)), "data-item-id": item.id },
        html("kbd", {}, place < 9 ? String(place + 1) : ""), html("b", {}, signed(item.points)), itemText(question, item),
        item.told ? html("span", { class: "told" }, "students read it") : undefined),
      html("button", { type: "button", id: `change-${place}`, class: "change", "data-change": item.id, title: "Change this item", "aria-label": `Change item ${place + 1}` }, "\u2026"))));
  }

  function updatePanel(view, question, card) {
    id("panel").classList.toggle("is-empty", !card);
    id("which").textContent = card ? `Answer ${view.card + 1} of ${view.cards}` : "";
    id("score").textContent = card ? inWords(view.state, question, card) : "";
    id("state").textContent = card ? stateOf(view.state, question, card) : "";
    id("note").textContent = card ? note(view, card) : "";
    const set = card ? markOf(view.state, card).points : null;
    if (document.activeElement !== id("points")) id("points").value = set ?? "";
    id("points").max = question.points;
  }

  /** What a grader should know of the marks that were there before. */
  function note(view, card) {
    const own = view.state.marks[card.id];
    const each = known(card).map((one) => `${points(one.points)}${one.comment ? " with a comment" : ""}`).join("; ") || "no mark";
    if (own?.changed) return `The gradebook has changed since you gave this mark, to ${each}. Enter keeps yours.`;
    if (own) return own.points === null ? "" : "These points were set; those of items do not count.";
    const marked = card.answers.filter((answer) => answer.points !== null);
    if (!marked.length) return card.answers.every((answer) => !answer.waiting) ? "Nothing was written, which gives 0 points." : "";
    if (known(card).length > 1) return `These answers have different marks: ${each}. A mark here replaces them all.`;
    if (marked.some((one) => one.waiting)) return "The answer has changed since it got this mark.";
    return card.answers.some((one) => one.waiting) ? "Some of these answers have this mark in the gradebook." : "This mark is in the gradebook.";
  }

  function updateTop(view) {
    const { done, all } = progress(view.state, data.questions);
    id("count").textContent = `${done} of ${all} marked`;
    Object.assign(id("bar"), { max: Math.max(all, 1), value: done });
    id("names").setAttribute("aria-pressed", String(view.named));
    id("save").classList.toggle("is-due", view.unsaved);
    id("undo").disabled = !view.past;
    id("redo").disabled = !view.future;
    id("questions").replaceChildren(...data.questions.map((question, place) => {
      const own = progress(view.state, [question]);
      return html("button", { type: "button", id: `to-${place}`, "data-question": place, "aria-current": place === view.question && "true" },
        html("span", {}, question.name), ` ${own.done}/${own.all}`);
    }));
  }

  /** Bring all but the texts of the answers up to date; whatever had the focus keeps it. */
  function update(view) {
    const question = data.questions[view.question];
    const all = cards(question, view.state);
    const focused = document.activeElement?.id;
    updateCards(view, question, all);
    updateItems(view, question, all[view.card]);
    updatePanel({ ...view, cards: all.length }, question, all[view.card]);
    updateTop(view);
    if (focused && document.activeElement?.id !== focused) id(focused)?.focus();
  }

  /** Move the focus to the current answer, and the answer into sight. */
  function show(view) {
    const element = sheets[view.question].querySelector(".card.is-current");
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "nearest" });
  }

  Object.assign(marking, { html, say, points, plural, inWords, build, update, show });
})();
