// Chapter 6: a date written character by character, and where each step's weights lie in the text.
"use strict";

(() => {
  const { html } = courseElements;
  const { rounded, fromThousandths, showRounded, write, slider, choice, table, heatmap, sentence, define } =
    courseWidgets;
  const SHOWN = 4; // weights given as numbers
  const SPACE = "\u2423"; // as in the figures
  const PARTS = { year: 4, month: 2, day: 2 };
  const PLACES = Object.entries(PARTS).flatMap(([part, size]) => // what an ISO date has at each step
    [...Array.from({ length: size }, (_, at) => `digit ${at + 1} of the ${part}`), "a dash"]);

  /** Which characters written so far agree with no reading of the date, or not with the nearest. */
  function mistakes(readings, made, step) {
    const places = [...Array(made.length).keys()];
    const wrong = readings.map((iso) => places.filter((at) => made[at] !== iso[at]));
    return wrong.reduce((best, one) => (one.length < best.length ? one : best))
      .filter((at) => at < step);
  }

  /** The row of the character that was written last: weights [steps][keys].
   *
   * The largest weights, as [key, weight], the sum of the others, and all mistakes so far. */
  function alignment({ readings, made, weights }, step) {
    const row = weights[step - 1];
    const order = [...row.keys()].sort((one, other) => row[other] - row[one]);
    const rest = order.slice(SHOWN).reduce((sum, key) => sum + row[key], 0);
    const largest = order.slice(0, SHOWN).map((key) => [key, row[key]]);
    return { largest, rest, mistakes: mistakes(readings, made, step) };
  }

  const visible = (sign) => (sign === " " ? SPACE : sign);
  const quoted = (sign) => (sign === " " ? "the space" : `“${sign}”`);

  /** What is written so far, a box for each character; mistakes are struck out. */
  function output() {
    const element = html("p", { class: "widget-written" });
    const show = (made, step, wrong) => {
      element.replaceChildren("written: ", ...[...made].map((sign, at) => {
        const box = html(wrong.includes(at) ? "s" : "span", {}, at < step ? sign : "\u00b7");
        box.classList.toggle("is-newest", at === step - 1);
        return box;
      }));
    };
    return { element, show };
  }

  function numbers() {
    const heads = [...Array.from({ length: SHOWN }, () => ""), "rest"];
    const grid = table("The largest weights of this step, mean over heads", heads, ["weight"]);
    const show = (signs, { largest, rest }) => {
      largest.forEach(([key, weight], at) => {
        const head = grid.element.tHead.rows[0].cells[at + 1];
        head.replaceChildren(html("strong", {}, visible(signs[key])), `no. ${key + 1}`);
        showRounded(grid.cells[0][at], weight);
      });
      showRounded(grid.cells[0][SHOWN], rest);
    };
    return { element: grid.element, show };
  }

  function describe({ text, readings, made, network }, step, { largest, mistakes: wrong }) {
    const [key, weight] = largest[0];
    const did = `Network ${network} writes ${quoted(made[step - 1])}, ${PLACES[step - 1]}, and looks most ` +
      `at ${quoted(text[key])}, character ${key + 1} of the text (${rounded(weight)}).`;
    const either = readings.join(" or ");
    if (wrong.includes(step - 1)) return `${did} That is a mistake: the date is ${either}.`;
    if (step < made.length) return did;
    const count = `${wrong.length} of ${made.length}`;
    if (wrong.length) return `${did} Mistakes: ${count} characters. The date is ${either}.`;
    if (readings.length === 1) return `${did} The date is right.`;
    return `${did} The text can mean ${either}, and nothing in it says which.`;
  }

  /** Previous and Next move the slider, which knows the step. */
  function stepper(steps, onInput) {
    const element = slider({ label: `characters written, of ${steps}`, min: 1, max: steps, step: 1,
      value: 1, say: String, onInput });
    const input = element.querySelector("input");
    const buttons = [["Previous", -1], ["Next", 1]].map(([name, by]) => {
      const button = html("button", { type: "button" }, name);
      button.addEventListener("click", () => set(Number(input.value) + by));
      return button;
    });
    const set = (step) => {
      input.value = step;
      input.dispatchEvent(new Event("input"));
    };
    const row = html("div", { class: "widget-row" }, ...buttons);
    return { element: html("div", {}, element, row), set };
  }

  function pickers(data, change) {
    const listed = (key, before = "") =>
      Object.fromEntries(data.map((one) => [one[key], before + one[key]]));
    return [
      choice({ legend: "text", options: listed("text"), value: data[0].text,
        onChange: (text) => change({ text }) }),
      choice({ legend: "written by", options: listed("network", "network "), value: data[0].network,
        onChange: (network) => change({ network }) }),
    ];
  }

  function build(stage, data) {
    for (const one of data) one.weights = fromThousandths(one.weights);
    const state = { text: data[0].text, network: data[0].network, step: 1 };
    const steps = stepper(data[0].made.length, (step) => change({ step }));
    const map = heatmap({ name: "alignment", onPick: (query) => steps.set(query + 1),
      label: "Heatmap of weights: a row for each character written, a column for each of the text." });
    const [written, grid, says] = [output(), numbers(), sentence()];
    const change = (what) => {
      Object.assign(state, what);
      const shown = data.find(({ text, network }) => text === state.text && network === state.network);
      const now = alignment(shown, state.step);
      written.show(shown.made, state.step, now.mistakes);
      map.show({ keys: [...shown.text].map(visible), queries: [...shown.made], weights: shown.weights,
        known: state.step, picked: state.step - 1 });
      grid.show(shown.text, now);
      write(says, describe(shown, state.step, now));
    };
    stage.append(html("div", { class: "widget-controls" }, ...pickers(data, change), steps.element),
      html("div", {}, written.element, map.element), html("div", { class: "widget-wide" }, grid.element), says);
    change({});
  }

  define("alignment", alignment, build);
})();
