// The marks as one value that never changes: each action makes the next one, so that undo is exact.
"use strict";

const marking = {};

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);

  /** What is marked at once: the answers of each group, then those that were taken out of it. */
  function cards(question, state) {
    return question.groups.flatMap((group) => {
      const apart = group.answers.filter((one) => state.apart[group.id]?.includes(one.student));
      const rest = group.answers.filter((one) => !apart.includes(one));
      const single = apart.map((one) => ({ id: `${group.id}/${one.student}`, group, answers: [one] }));
      return rest.length ? [{ id: group.id, group, answers: rest }, ...single] : single;
    });
  }

  const place = (question, answer) => JSON.stringify([question.name, answer.student]);
  const given = ({ points, comment: text }) => ({ points, comment: text });
  const same = (one, other) => one.points === other.points && one.comment === other.comment;
  const NOTHING = { points: null, comment: "" };

  /** What the gradebook had for an answer when a mark was given. */
  const had = (mark, answer) => mark.before?.[answer.student] ?? NOTHING;

  const commentId = (text) => `comment: ${text}`;

  /** The different marks that these answers had in the gradebook when the page was written. */
  function known(card) {
    const marked = card.answers.filter((one) => one.points !== null);
    return marked.filter((one, at) => marked.findIndex((other) => same(one, other)) === at);
  }

  /** The mark that a card begins with: what the gradebook had, if that was the same for all of it. */
  function before(card) {
    const [one, another] = known(card);
    if (another) return { items: [], points: null, done: card.answers.every((answer) => !answer.waiting) };
    const items = one?.comment ? [commentId(one.comment)] : [];
    const done = card.answers.every((answer) => !answer.waiting);
    return { items, points: one?.points ?? null, done };
  }

  const markOf = (state, card) => state.marks[card.id] ?? before(card);
  const itemsOf = (state, question) => state.items[question.name].filter((item) => !item.gone);
  const chosen = (state, question, card) =>
    itemsOf(state, question).filter((item) => markOf(state, card).items.includes(item.id));

  /** Points of an answer; null while nothing is chosen. Never below 0 or above what there is. */
  function score(state, question, card) {
    const { points } = markOf(state, card);
    const items = chosen(state, question, card);
    if (points !== null || !items.length) return points;
    const sum = items.reduce((total, item) => total + item.points, 0);
    return Math.round(Math.min(Math.max(sum, 0), question.points) * 1e6) / 1e6;
  }

  /** Tell whether it is marked. A mark from which everything was taken away is none. */
  const isDone = (state, question, card) =>
    markOf(state, card).done && (!state.marks[card.id] || score(state, question, card) !== null);

  /** What the student reads. */
  const comment = (state, question, card) =>
    chosen(state, question, card).filter((item) => item.told).map((item) => item.text).join("\n\n");

  /** A changed mark keeps what this page knows of the gradebook. */
  function withMark(state, card, change) {
    const before = Object.fromEntries(card.answers.map((one) => [one.student, given(one)]));
    const mark = { ...markOf(state, card), before, changed: false, ...change };
    return { ...state, marks: { ...state.marks, [card.id]: mark } };
  }
  const withItems = (state, question, items) =>
    ({ ...state, items: { ...state.items, [question.name]: items } });

  const actions = {
    /** Add an item to a mark or take it away. One that has points replaces points that were set. */
    toggle(state, question, card, item) {
      const { items, points } = markOf(state, card);
      const now = items.includes(item.id) ? items.filter((id) => id !== item.id) : [...items, item.id];
      return withMark(state, card, { items: now, points: item.points ? null : points });
    },
    /** Set points that replace those of items, so only comments stay. */
    setPoints(state, question, card, points) {
      const stays = chosen(state, question, card).filter((item) => item.told || !item.points);
      return withMark(state, card, { points, items: stays.map((item) => item.id) });
    },
    finish: (state, card) => withMark(state, card, { done: true }),
    addItem(state, question, card, item) {
      const added = withItems(state, question, [...state.items[question.name], item]);
      return actions.toggle(added, question, card, item);
    },
    /** Change an item for all answers that have it. */
    changeItem: (state, question, id, change) => withItems(state, question,
      state.items[question.name].map((item) => (item.id === id ? { ...item, ...change } : item))),
    /** Mark one answer of a group by itself, beginning with the mark of the group. */
    takeOut(state, card, student) {
      const apart = [...(state.apart[card.group.id] ?? []), student];
      const mark = { ...markOf(state, card), done: false };
      return { ...state, apart: { ...state.apart, [card.group.id]: apart },
        marks: { ...state.marks, [`${card.group.id}/${student}`]: mark } };
    },
  };

  /** The items that a question begins with: the author's, and comments that the gradebook has. */
  function firstItems(question) {
    const rubric = question.items.map(({ points, text }, place) =>
      ({ id: `rubric: ${text}`, points, text, told: false, place }));
    const said = question.groups.flatMap((group) => group.answers.map((one) => one.comment)).filter(Boolean);
    return [...rubric, ...[...new Set(said)].map((text) => ({ id: commentId(text), points: 0, text, told: true }))];
  }

  /** A mark to go on with. It is not done where the gradebook has got another one from elsewhere. */
  function looked(state, saved, question, card) {
    const mark = state.marks[card.id];
    const now = { points: score(state, question, card), comment: comment(state, question, card) };
    const changed = card.answers.some((answer) =>
      ![had(mark, answer), now, ...(saved[place(question, answer)] ?? [])].some((one) => same(one, answer)));
    return { ...mark, changed, done: mark.done && !changed };
  }

  /** A state to go on with, with what only this page knows; saved: marks so far, by answer. */
  function goOn(earlier, saved) {
    const state = begin(earlier);
    const marks = data.questions.flatMap((question) => cards(question, state)
      .filter((card) => state.marks[card.id])
      .map((card) => [card.id, looked(state, saved, question, card)]));
    return { ...state, marks: { ...state.marks, ...Object.fromEntries(marks) } };
  }

  /** The first state, or an earlier one with the items that only this page has. */
  function begin(earlier = { items: {}, marks: {}, apart: {} }) {
    const items = Object.fromEntries(data.questions.map((question) => {
      const had = earlier.items[question.name] ?? [];
      const ids = new Set(had.map((item) => item.id));
      return [question.name, [...had, ...firstItems(question).filter((item) => !ids.has(item.id))]];
    }));
    return { items: { ...earlier.items, ...items }, marks: { ...earlier.marks }, apart: { ...earlier.apart } };
  }

  /** Numbers of answers, marked and in all, of some questions. */
  function progress(state, questions) {
    const count = (some) => some.reduce((total, card) => total + card.answers.length, 0);
    const of = questions.map((question) => ({ question, all: cards(question, state) }));
    const done = of.flatMap(({ question, all }) => all.filter((card) => isDone(state, question, card)));
    return { done: count(done), all: count(of.flatMap(({ all }) => all)) };
  }

  Object.assign(marking, {
    data, place, given, same, had, cards, known, markOf, itemsOf, chosen, score, isDone, comment, actions, begin, goOn, progress,
  });
})();
