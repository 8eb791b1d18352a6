// Chapter 11: loss curves without names, and diagnoses to put on them: drag one, or press it and then a curve.
"use strict";

(() => {
  const { html, svg, set } = courseElements;
  const { text, write, namesAtEnds, sentence, define } = courseWidgets;
  const WIDTH = 330, HEIGHT = 190, LEFT = 34, RIGHT = 30, TOP = 20, BOTTOM = 34;
  const DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4"];

  /** How many curves have their own diagnosis; which look alike nobody can tell apart. */
  function score({ curves, near }, guesses) {
    const ends = curves.map(({ values }) => values[values.length - 1]);
    const alike = (one, other) => Math.abs(ends[one] - ends[other]) < near;
    const right = curves.filter(({ name }, at) => guesses[at] === name).length;
    const twins = curves.flatMap((_, one) => curves.map((__, other) => [one, other]))
      .filter(([one, other]) => one < other && alike(one, other));
    return { right, twins };
  }

  function drawing({ curves, every, floor }) {
    const top = 2.4; // losses begin above it, and are cut off there
    const steps = curves[0].values.length;
    const x = (at) => LEFT + ((WIDTH - LEFT - RIGHT) * (at + 1)) / steps;
    const y = (value) => HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * Math.min(value, top)) / top;
    const label = { class: "widget-label" };
    const ticks = [0, 1, 2].map((value) => svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, String(value)));
    const paths = curves.map(({ values }, at) => svg("path", { class: `widget-curve token-${at}`, "stroke-dasharray": DASHES[at],
      d: `M${values.map((value, step) => `${x(step).toFixed(1)} ${y(value).toFixed(1)}`).join("L")}` }));
    const numbers = namesAtEnds(WIDTH - RIGHT, curves.map(({ values }, at) =>
      ({ name: String(at + 1), kind: `token-${at}`, y: y(values[steps - 1]) })));
    return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", class: "widget-find",
      "aria-label": `Line chart of ${curves.length} training losses without names, against the step. ` +
        curves.map(({ values }, at) => `curve ${at + 1} ends at ${text(values[steps - 1])}`).join(", ") + " nats." },
      svg("text", { x: 0, y: 12, ...label }, "training loss (nats)"),
      svg("path", { class: "find-floor", d: `M${LEFT} ${y(floor)}H${WIDTH - RIGHT}` }),
      svg("text", { x: LEFT + 4, y: y(floor) + 13 }, "floor"),
      ...ticks, ...paths, ...numbers,
      svg("text", { x: LEFT, y: HEIGHT - 18, "text-anchor": "start" }, "0"),
      svg("text", { x: WIDTH - RIGHT, y: HEIGHT - 18, "text-anchor": "end" }, String(steps * every)),
      svg("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 4, "text-anchor": "middle", ...label }, "step"));
  }

  /** A diagnosis follows the pointer; where it is let go on a curve's place, it stays. */
  function draggable(chip, drop) {
    let from = null;
    chip.addEventListener("pointerdown", (event) => {
      from = [event.clientX, event.clientY];
      chip.setPointerCapture(event.pointerId);
    });
    chip.addEventListener("pointermove", (event) => {
      if (!from) return;
      chip.style.transform = `translate(${event.clientX - from[0]}px, ${event.clientY - from[1]}px)`;
    });
    const end = (event) => {
      if (!from) return;
      const moved = Math.hypot(event.clientX - from[0], event.clientY - from[1]) > 8;
      from = null;
      chip.style.transform = "";
      chip.style.visibility = "hidden"; // what lies below it?
      const below = document.elementFromPoint(event.clientX, event.clientY);
      chip.style.visibility = "";
      const slot = below && below.closest("[data-curve]");
      if (moved && event.type === "pointerup" && slot) drop(Number(slot.dataset.curve));
    };
    for (const kind of ["pointerup", "pointercancel"]) chip.addEventListener(kind, end);
  }

  function describe(data, guesses, open) {
    const { right, twins } = score(data, guesses);
    const left = guesses.filter((name) => !name).length;
    const pairs = twins.map(([one, other]) => `curves ${one + 1} and ${other + 1}`).join(", ");
    if (!open) {
      const alike = pairs ? ` At the end ${pairs} are less than ${text(data.near)} nats apart.` : "";
      return (left ? `${left} of ${data.curves.length} curves have no diagnosis yet.` : "All have one. Compare.") + alike;
    }
    return `${right} of ${data.curves.length} as it was. ` +
      (pairs ? `At the end ${pairs} are less than ${text(data.near)} nats apart: nobody can tell them by their loss.` : "");
  }

  function build(stage, data) {
    const guesses = data.curves.map(() => "");
    let held = "", open = false;
    const says = sentence();
    const names = data.names.map((name) => html("button", { type: "button", class: "find-name", "aria-pressed": "false" }, name));
    const slots = data.curves.map((_, at) => html("button", { type: "button", class: "find-slot", "data-curve": at }));
    const compare = html("button", { type: "button", class: "find-compare" }, "Compare");
    const update = () => {
      names.forEach((chip, at) => {
        set(chip, { "aria-pressed": String(held === data.names[at]) });
        chip.classList.toggle("is-placed", guesses.includes(data.names[at]));
      });
      slots.forEach((slot, at) => {
        const truth = open ? (guesses[at] === data.curves[at].name ? " ✓" : ` ✗ it is: ${data.curves[at].name}`) : "";
        write(slot, `curve ${at + 1}: ${guesses[at] || "…"}${truth}`);
      });
      write(says, describe(data, guesses, open));
    };
    const place = (name, at) => {
      const before = guesses.indexOf(name);
      if (before >= 0) guesses[before] = "";
      guesses[at] = name;
      held = "";
      open = false;
      update();
    };
    names.forEach((chip, at) => {
      const name = data.names[at];
      chip.addEventListener("click", () => { held = held === name ? "" : name; update(); });
      draggable(chip, (curve) => place(name, curve));
    });
    slots.forEach((slot, at) => slot.addEventListener("click", () => {
      if (held) place(held, at);
      else if (guesses[at]) { guesses[at] = ""; open = false; update(); }
    }));
    compare.addEventListener("click", () => { open = true; update(); });
    stage.append(drawing(data),
      html("div", { class: "find-names", role: "group", "aria-label": "diagnoses" }, ...names),
      html("div", { class: "find-slots", role: "group", "aria-label": "curves" }, ...slots), compare, says);
    update();
  }

  define("find_curve", score, build);
})();
