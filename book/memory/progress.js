// What was solved in the notebooks: marks in the tables of exercises, from the `progress.json` that
// `check` writes beside a notebook. The files are read here and sent nowhere.
"use strict";

(() => {
  const LARGEST = 1e6; // bytes; a chapter's file has about a thousand
  const memory = window.courseMemory;
  const WHERE = "Choose the progress.json that lies beside your notebook.";
  const tables = [...document.querySelectorAll("table.exercise-table")];
  const rows = tables.map((table) => [...table.querySelectorAll("tr[id^=exercise-]")]);
  const known = new Set(rows.flat().map((row) => nameOf(row)));

  function nameOf(row) {
    return row.id.slice("exercise-".length);
  }

  const right = (entry) => typeof entry?.passed === "boolean" && typeof entry.points === "number" &&
    typeof entry.when === "string";

  /** The entries of a file by exercise. Throws an Error whose message the reader is to see. */
  function entriesOf(text) {
    let found;
    try {
      found = JSON.parse(text);
    } catch {
      throw Error(`is not what a notebook's check writes. ${WHERE}`);
    }
    const entries = Array.isArray(found) ? [] : Object.entries(Object(found));
    if (!entries.length) throw Error(`has no exercise in it. ${WHERE}`);
    if (!entries.every(([, entry]) => right(entry))) {
      throw Error("is in a form that this edition of the book does not read; it may be of a newer " +
        `course, whose own page reads it. ${WHERE}`);
    }
    const ours = entries.filter(([name]) => known.has(name));
    if (!ours.length) throw Error(`names no exercise of this book. ${WHERE}`);
    return ours;
  }

  /** Keep what is newer than what is known; several files add up. */
  function keep(entries) {
    const kept = { ...memory.get("progress") };
    for (const [name, { passed, when }] of entries) {
      if (!right({ ...kept[name], points: 0 }) || kept[name].when <= when) kept[name] = { passed, when };
    }
    memory.set("progress", kept);
    show(kept); // also where the browser keeps nothing
  }

  async function take(file) {
    try {
      if (file.size > LARGEST) throw Error(`is too large to be one. ${WHERE}`);
      const entries = entriesOf(await file.text());
      keep(entries);
      const solved = entries.filter(([, { passed }]) => passed).length;
      return `${file.name}: ${solved} of its ${entries.length} exercises are solved.`;
    } catch (error) {
      return `${file.name} ${error.message}`;
    }
  }

  function pointsIn(row) {
    const heads = [...row.closest("table").querySelectorAll("thead th")].map((head) => head.textContent.trim());
    return heads.includes("points") ? Number(row.cells[heads.indexOf("points")].textContent) : 0;
  }

  /** A chapter's count, behind its table: "5 of 8 exercises solved, 12 of their 20 points." */
  function count(table, all, solved) {
    const box = table.closest(".pst-scrollable-table-container") || table;
    const sum = (some) => some.reduce((total, row) => total + pointsIn(row), 0);
    if (box.nextElementSibling?.matches(".exercise-count")) box.nextElementSibling.remove();
    if (!solved.length) return;
    const points = sum(all) ? `, ${sum(solved)} of their ${sum(all)} points` : "";
    const text = `${solved.length} of ${all.length} exercises solved${points}.`;
    box.after(courseElements.html("p", { class: "exercise-count is-laid-out" }, text)); // lay_out.js is done
  }

  function show(kept) {
    tables.forEach((table, at) => {
      const solved = rows[at].filter((row) => kept?.[nameOf(row)]?.passed === true);
      for (const row of rows[at]) {
        memory.mark(row.cells[0].querySelector("p") || row.cells[0], solved.includes(row) && "\u2713", "solved");
      }
      count(table, rows[at], solved);
    });
  }

  const box = document.querySelector("[data-exercise-progress]");
  if (box) {
    const says = box.querySelector("[role=status]");
    const takeAll = async (files) => {
      says.textContent = "";
      const said = [];
      for (const file of files) said.push(await take(file)); // in turn: each reads what the last one kept
      says.textContent = said.join("\n");
    };
    const input = box.querySelector("input");
    input.addEventListener("change", async () => {
      await takeAll([...input.files]);
      input.value = ""; // so that the same file can be chosen again
    });
    const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
    addEventListener("dragover", (event) => carriesFiles(event) && event.preventDefault());
    addEventListener("drop", (event) => {
      if (!carriesFiles(event)) return;
      event.preventDefault(); // the browser would open the file
      takeAll([...event.dataTransfer.files]);
    });
  }
  const showKept = () => show(memory.get("progress"));
  showKept();
  memory.listen(showKept);
})();
