// A warm-up: an editor, Python in a worker, and what the judge says. Nothing is fetched before the
// reader begins: with the first edit, so that Python is there when the code is, or the first run.
// A classic script, because a browser loads no ES module from file://.
"use strict";

(() => {
  const { html } = courseElements;
  const LIMIT = 5; // seconds that the reader's code may take
  const WORKER = new URL("warm_up_worker.mjs", document.currentScript.src);
  const MARKS = { passed: "\u2713", missing: "\u25cb" };

  /** Why Python cannot run here, or "". */
  function obstacle() {
    if (location.protocol === "file:") {
      return "This page was opened from a file, and a browser starts no Python there. On a site it " +
        "runs; `make serve` shows the book as a site.";
    }
    if (typeof WebAssembly !== "object" || typeof Worker !== "function") {
      return "This browser cannot run Python: it has no WebAssembly. Copy the code into any Python.";
    }
    return "";
  }

  /** Python for one warm-up; started once, and again after it had to be stopped. */
  class Python {
    constructor(name) {
      this.name = name;
      this.started = null;
    }

    start() {
      if (this.started) return this.started;
      this.started = new Promise((resolve, reject) => {
        const worker = new Worker(WORKER, { type: "module", name: this.name });
        worker.onmessage = ({ data }) => (data.ready ? resolve(worker) : reject(Error(data.failed)));
        worker.onerror = (event) => {
          event.preventDefault();
          reject(Error(event.message || "the worker did not start"));
        };
      });
      this.started.catch(() => (this.started = null)); // the next run tries again
      return this.started;
    }

    /** The judge's verdict on the code; `tell` is called when Python is there. */
    async run(code, tell) {
      let worker;
      try {
        worker = await this.start();
      } catch (error) {
        return stopped("not run", "Python could not be loaded from this site. Run again to try once " +
          `more. (${error.message})`);
      }
      tell();
      return this.verdict(worker, code);
    }

    verdict(worker, code) {
      return new Promise((resolve) => {
        const giveUp = (sentence) => {
          worker.terminate();
          this.started = null;
          this.start();
          resolve(stopped("stopped", sentence));
        };
        const timer = setTimeout(giveUp, 1000 * LIMIT,
          `Your code was still running after ${LIMIT} seconds. Does one of its loops never end?`);
        worker.onmessage = ({ data }) => {
          clearTimeout(timer);
          if (data.verdict) resolve(data.verdict);
          else giveUp("Python gave up on your code: it may have called itself too often, or filled " +
            "the memory. It was started again.");
        };
        worker.postMessage(code);
      });
    }
  }

  const stopped = (headline, sentence) =>
    ({ kind: "raised", headline, parts: [["What happened", sentence]], printed: "", line: 0 });

  /** Text, with what stands between backticks as code. */
  function rich(text) {
    return text.split("`").map((part, at) => (at % 2 ? html("code", {}, part) : part));
  }

  /** Put text in the place of a range, so that the browser can undo it. */
  function replace(area, from, to, text) {
    area.setSelectionRange(from, to);
    if (!document.execCommand("insertText", false, text)) area.setRangeText(text, from, to, "end");
  }

  const lineStart = (area, at) => area.value.lastIndexOf("\n", at - 1) + 1;

  /** Tab moves the lines of the selection by four spaces, or the cursor to the next stop. */
  function indent(area, back) {
    const { selectionStart: from, selectionEnd: to, value } = area;
    const start = lineStart(area, from);
    if (!back && from === to) return replace(area, from, to, " ".repeat(4 - ((from - start) % 4)));
    const lines = value.slice(start, to).split("\n");
    const moved = lines.map((line) => (back ? line.replace(/^ {1,4}/, "") : `    ${line}`));
    if (moved.join() === lines.join()) return;
    replace(area, start, to, moved.join("\n"));
    const first = Math.max(start, from + moved[0].length - lines[0].length);
    area.setSelectionRange(first, start + moved.join("\n").length);
  }

  /** A new line begins where the last one did, and further in behind a colon. */
  function breakLine(area) {
    const { selectionStart: from, selectionEnd: to } = area;
    const line = area.value.slice(lineStart(area, from), from);
    const deeper = line.trimEnd().endsWith(":") ? "    " : "";
    replace(area, from, to, `\n${line.match(/^ */)[0]}${deeper}`);
  }

  function selectLine(area, number) {
    const lines = area.value.split("\n");
    if (number > lines.length) return; // they have changed since
    const from = lines.slice(0, number - 1).reduce((sum, line) => sum + line.length + 1, 0);
    area.focus();
    area.setSelectionRange(from, from + lines[number - 1].length);
  }

  const GROWS = CSS.supports("field-sizing: content"); // warm_up.css; other browsers lay out all to measure it

  /** The text area: grows with its text; Escape lets the next Tab leave it. */
  function editor(code, id, onRun) {
    const area = html("textarea", { id, spellcheck: false, autocapitalize: "off", autocomplete: "off",
      autocorrect: "off", "aria-describedby": `${id}-keys` });
    const grow = () => {
      if (GROWS) return;
      area.style.height = "auto";
      area.style.height = `${area.scrollHeight + 4}px`;
    };
    let leaving = false;
    area.value = code;
    area.addEventListener("input", grow);
    area.addEventListener("blur", () => (leaving = false));
    area.addEventListener("keydown", (event) => {
      if (event.key === "Shift" || event.isComposing) return;
      const act = {
        Tab: () => indent(area, event.shiftKey),
        Enter: () => (event.ctrlKey || event.metaKey ? onRun() : breakLine(area)),
      }[event.key];
      if (act && !(event.key === "Tab" && leaving)) {
        event.preventDefault();
        act();
      }
      leaving = event.key === "Escape";
    });
    addEventListener("resize", grow);
    return { area, grow };
  }

  function show(place, name, verdict, area) {
    const mark = html("span", { "aria-hidden": true }, MARKS[verdict.kind] || "\u2717");
    const head = html("p", { class: "warm-up-headline" },
      mark, " ", html("code", {}, name), " ", html("strong", {}, verdict.headline));
    const rows = verdict.parts.flatMap(([label, text]) =>
      [html("dt", {}, label), html("dd", {}, ...rich(text))]);
    if (verdict.printed) {
      rows.push(html("dt", {}, "Printed"), html("dd", {}, html("pre", {}, verdict.printed)));
    }
    place.dataset.kind = verdict.kind;
    place.replaceChildren(head, html("dl", {}, ...rows));
    if (verdict.line) {
      const button = html("button", { type: "button" }, `Show line ${verdict.line}`);
      button.addEventListener("click", () => selectLine(area, verdict.line));
      place.append(button);
    }
  }

  function build(host) {
    const name = host.dataset.warmUp;
    const code = host.querySelector(".warm-up-static pre").textContent.trimEnd() + "\n";
    const python = new Python(name);
    const memory = window.courseMemory;
    const draft = `draft ${name}`;
    const result = html("div", { class: "warm-up-result", "aria-live": "polite" });
    const run = html("button", { type: "button", class: "warm-up-run" }, "Run");
    const reset = html("button", { type: "button" }, "Reset");
    const note = html("span", { class: "warm-up-note" },
      `Nothing to install: when you begin, Python (${host.dataset.megabytes}\u00a0MB) comes from this site.`);
    const id = `warm-up-${name}`;
    let busy = false;

    const say = (text) => {
      delete result.dataset.kind;
      result.replaceChildren(text && html("p", {}, text));
    };
    const onRun = async () => {
      if (busy) return;
      busy = true;
      run.setAttribute("aria-disabled", true); // not `disabled`: it would lose the focus
      say("Loading Python, which takes some seconds the first time \u2026");
      const verdict = await python.run(area.value, () => {
        note.remove();
        say("Running \u2026");
      });
      show(result, name, verdict, area);
      if (verdict.kind === "passed") memory.set(`solved ${name}`, true);
      busy = false;
      run.removeAttribute("aria-disabled");
    };
    const { area, grow } = editor(memory.get(draft) ?? code, id, onRun);
    area.addEventListener("input", () => memory.set(draft, area.value));
    area.addEventListener("input", () => python.start(), { once: true });
    run.addEventListener("click", onRun);
    reset.addEventListener("click", () => {
      area.focus();
      replace(area, 0, area.value.length, code);
      memory.set(draft, null);
      say("");
    });
    const label = html("label", { for: id }, "Your code");
    const markSolved = () => memory.mark(title, memory.get(`solved ${name}`) && "\u2713 solved", "solved");
    const title = html("p", { class: "warm-up-title" }, label);
    markSolved();
    memory.listen(markSolved);
    host.append(
      title, area,
      html("p", { class: "warm-up-keys", id: `${id}-keys` },
        "Ctrl+Enter runs it. Tab indents; to leave the code, press Escape and then Tab."),
      html("div", { class: "warm-up-buttons" }, run, reset, note), result);
    host.classList.add("warm-up-ready"); // hides the code that stands in where no script runs
    grow();
  }

  const why = obstacle();
  for (const host of document.querySelectorAll("[data-warm-up]")) {
    if (!why) {
      build(host);
      continue;
    }
    host.classList.add("warm-up-still");
    host.querySelector(".warm-up-static > p").replaceChildren(...rich(why));
  }
})();
