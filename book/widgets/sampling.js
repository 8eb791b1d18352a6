// Chapter 12: from the logits of a trained model to the token that is drawn.
"use strict";

(() => {
  const { html } = courseElements;
  const { softmax, text, write, showWeight, slider, choice, table, sentence, define } = courseWidgets;
  const visible = (token) => token.replace(/ /g, "␣").replace(/\n/g, "↵");

  /** Logits, highest first: probabilities at a temperature, and those of the tokens that top-p leaves. */
  function draw(logits, temperature, topP) {
    const weights = softmax(logits.map((logit) => logit / temperature));
    let before = 0;
    const kept = weights.map((weight) => {
      const stays = topP >= 1 || before < topP; // rounding leaves nobody out
      before += weight;
      return stays ? weight : 0;
    });
    const left = kept.reduce((sum, weight) => sum + weight, 0);
    const bits = weights.reduce((sum, weight) => (weight > 0 ? sum - weight * Math.log2(weight) : sum), 0);
    return { weights, kept: kept.map((weight) => weight / left), count: kept.filter((weight) => weight > 0).length, bits };
  }

  const others = (weights, named) => weights.slice(named).reduce((sum, weight) => sum + weight, 0);

  function build(stage, data) {
    const state = { which: 0, temperature: 1, topP: 1 };
    const named = data[0].tokens.length;
    const names = data[0].tokens.map(() => "");
    const grid = table("The likeliest next tokens and their probabilities", ["as trained", "with T", "left by top-p"], [...names, "all others"]);
    const heads = [...grid.element.querySelectorAll("tbody th")];
    const says = sentence();
    const update = () => {
      const { prompt, tokens, logits } = data[state.which];
      const given = logits.map((logit) => logit / 100);
      const trained = softmax(given);
      const { weights, kept, count, bits } = draw(given, state.temperature, state.topP);
      tokens.forEach((token, at) => write(heads[at], visible(token)));
      grid.cells.forEach((row, at) => [trained, weights, kept].forEach((shares, column) =>
        showWeight(row[column], at < named ? shares[at] : others(shares, named))));
      write(says, `After “${prompt}”, ${count} of ${logits.length} tokens ${count === 1 ? "is" : "are"} left. `
        + `At this temperature a draw has ${text(bits, 1)} bits before top-p.`);
    };
    const change = (what) => { Object.assign(state, what); update(); };
    stage.append(html("div", { class: "widget-controls" },
      choice({ legend: "prompt", options: Object.fromEntries(data.map(({ prompt }, at) => [at, prompt])), value: "0",
        onChange: (which) => change({ which: Number(which) }) }),
      slider({ label: "temperature T", min: -2, max: 2, step: 0.25, value: 0, say: (power) => text(2 ** power),
        onInput: (power) => change({ temperature: 2 ** power }) }),
      slider({ label: "top-p", min: 0.05, max: 1, step: 0.05, value: 1, say: (share) => text(share),
        onInput: (topP) => change({ topP }) })),
    grid.element, says);
    update();
  }

  define("sampling", draw, build);
})();
