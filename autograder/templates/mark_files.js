// Marks outside the page: the file that is saved and opened, and what the browser keeps by itself.
"use strict";

(() => {
  const { data, place, given, same, had, cards, score, isDone, comment } = marking;
  const KEPT = `attn mark ${location.pathname}`;
  const MADE_BY = "attn mark";

  /** All answers that were marked on this page, with what each gets. */
  function marks(state) {
    return data.questions.flatMap((question) => cards(question, state)
      .filter((card) => state.marks[card.id] && isDone(state, question, card))
      .flatMap((card) => card.answers.map((answer) => ({
        question: question.name, student: answer.student, digest: answer.digest,
        points: score(state, question, card), comment: comment(state, question, card),
        before: had(state.marks[card.id], answer), place: place(question, answer),
      }))));
  }

  /** The marks that were saved so far, by answer, and those that are saved now. */
  function remembered(saved, now) {
    const all = { ...saved };
    for (const mark of now) {
      const earlier = all[mark.place] ?? [];
      const last = earlier.at(-1);
      if (!last || !same(last, mark)) all[mark.place] = [...earlier, given(mark)];
    }
    return all;
  }

  /** Work of which nothing is saved yet. Its id tells a grader's files from those of others. */
  function newWork() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return { id: [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(""), saved: {} };
  }

  /** The file, as a tree; and what to remember as saved. */
  function written(state, { id, saved }) {
    const now = marks(state);
    const { format, chapter, part } = data;
    const all = remembered(saved, now);
    const rows = now.map(({ place: at, ...mark }) => ({ ...mark, earlier: saved[at] ?? [] }));
    const work = { state, id, saved: all };
    return { tree: { made_by: MADE_BY, format, chapter, part, work_id: id, marks: rows, work }, saved: all };
  }

  function download(tree) {
    const blob = new Blob([`${JSON.stringify(tree, null, 1)}\n`], { type: "application/json" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = data.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  const isItem = (item) => [item?.id, item?.text].every((one) => typeof one === "string") && Number.isFinite(item.points);
  const isPoints = (points) => points === null || Number.isFinite(points);
  const isGiven = (one) => isPoints(one?.points) && typeof one.comment === "string";
  const isMark = (mark) => Array.isArray(mark?.items) && isPoints(mark.points) && Object.values(mark.before ?? {}).every(isGiven);
  const isItems = (items) => Array.isArray(items) && items.every(isItem);
  const PARTS = { items: isItems, marks: isMark, apart: Array.isArray };

  /** Tell whether a tree can be a state of the marks; anybody may have written it. */
  const isState = (state) => Object.entries(PARTS).every(([name, fits]) =>
    state?.[name]?.constructor === Object && Object.values(state[name]).every(fits));

  /** Whether it is the marks that were saved so far, by answer. */
  const isSaved = (saved) => Object.values(saved).every((some) => Array.isArray(some) && some.every(isGiven));

  const isWork = (work) => isState(work?.state) && isSaved(work.saved ?? {}) && typeof (work.id ?? "") === "string";

  const advice = () => `Open one that was saved here, such as ${data.file}.`;

  /** The work in a saved file. Throws an Error whose message says why it cannot be used here. */
  function read(text) {
    let tree;
    try {
      tree = JSON.parse(text);
    } catch {
      throw new Error(`This file is damaged, or was not saved by this page. ${advice()}`);
    }
    if (tree?.made_by !== MADE_BY || tree.format !== data.format || !isWork(tree.work)) {
      throw new Error(`Another page has saved this file, or another version of this one. ${advice()}`);
    }
    if (tree.chapter !== data.chapter || tree.part !== data.part) {
      const whose = [tree.chapter, tree.part].filter(Boolean).join(", ");
      throw new Error(`This file is of another page: ${whose}. ${advice()}`);
    }
    return tree.work;
  }

  /** Keep the work in the browser; false where it does not allow that. */
  function keep(work) {
    try {
      localStorage.setItem(KEPT, JSON.stringify(work));
      return true;
    } catch {
      return false;
    }
  }

  /** What the browser has kept of this page, if anything. */
  function kept() {
    try {
      const work = JSON.parse(localStorage.getItem(KEPT));
      return isWork(work) ? work : undefined;
    } catch {
      return undefined;
    }
  }

  /** Marks in the work for answers that this page does not show. */
  const lost = (state) => {
    const here = new Set(data.questions.flatMap((question) => cards(question, state)).map((card) => card.id));
    return Object.keys(state.marks).filter((id) => !here.has(id) && state.marks[id].done).length;
  };

  Object.assign(marking, { newWork, written, download, read, keep, kept, lost });
})();
