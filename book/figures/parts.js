// Words that speak of a part of a figure light it while they are pointed at or have the focus, which
// a tap gives them: it stays lit while the reader scrolls to it. The page itself never scrolls. What
// the part says stands below the words where the part is off the screen, and is said in any case.
"use strict";

(() => {
  const { html, svg } = courseElements;
  const { points, visible } = courseCharts;
  const words = [...document.querySelectorAll("[data-figure]")];
  const reading = html("output", { class: "chart-reading" });

  const figureOf = (word) => document.getElementById(word.dataset.figure);

  /** What a part consists of: for each block its pane, the axes there, and its points. */
  function blocks(word) {
    const chart = figureOf(word).querySelector(".chart");
    const panes = JSON.parse(chart.querySelector(":scope > script").textContent);
    return JSON.parse(word.dataset.blocks).map(([at, row, column, rows, columns]) => ({
      pane: chart.querySelectorAll(".pane")[at],
      box: panes[at].box,
      points: points(panes[at]).slice(row, row + rows)
        .flatMap((line) => line.slice(column, column + columns)),
    }));
  }

  /** Around cells, around a point, or along a line and below it, as far as the axes go. */
  function light({ pane, box, points: found }) {
    const [first, last] = [found[0], found.at(-1)];
    if (first.wide) {
      pane.append(svg("rect", {
        class: "chart-light", x: first.x - first.wide / 2, y: first.y - first.high / 2,
        width: last.x - first.x + first.wide, height: last.y - first.y + first.high,
      }));
    } else if (first === last) {
      pane.append(svg("circle", { class: "chart-light", cx: first.x, cy: first.y, r: 8 }));
    } else {
      const [x, y, width, height] = box;
      const along = found.map((point) => `${point.x} ${point.y}`).join();
      pane.prepend(svg("svg", { class: "chart-light", x, y, width, height, viewBox: box.join(" ") },
        svg("polyline", { points: along })));
    }
  }

  /** In words: weights and what they share, or a point, or a line from end to end. */
  function told(found) {
    const [first, last] = [found[0], found.at(-1)];
    if (first.wide) {
      const shared = first.lines.filter((line) => found.every((point) => point.lines.includes(line)));
      return [...shared, found.map((point) => point.value).join(", ")];
    }
    const ends = [first, last].map((point) => point.lines.join(", "));
    return [first.value, ...(first === last ? first.lines : ends)];
  }

  /** Light the part of these words, and no other; without words, none. */
  function show(word) {
    for (const one of document.querySelectorAll(".chart-light")) one.remove();
    reading.replaceChildren();
    if (!word) return;
    const found = blocks(word), figure = figureOf(word);
    found.forEach(light);
    const name = figure.querySelector(".caption-number").textContent.trim();
    const after = word.compareDocumentPosition(figure) & Node.DOCUMENT_POSITION_FOLLOWING;
    const inside = found.flatMap(({ box, points: all }) => all.filter((one) => visible(one, box)));
    reading.append(html("b", {}, `${name}, ${after ? "below" : "above"}`), told(inside).join("\n"));
    place(word, figure.querySelector(".chart-light").getBoundingClientRect());
  }

  /** Below the words, within the column of the text; out of sight where the light is in sight. */
  function place(word, { top, bottom }) {
    const [column, around] = [reading.parentElement, reading.offsetParent]
      .map((one) => one.getBoundingClientRect());
    const line = [...word.getClientRects()].at(-1);
    const left = Math.max(column.left, Math.min(line.left, column.right - reading.offsetWidth));
    reading.style.left = `${left - around.left}px`;
    reading.style.top = `${line.bottom - around.top}px`; // so that the pointer gets there from the words
    const middle = (top + bottom) / 2;
    reading.classList.toggle("unseen", middle > 0 && middle < innerHeight);
  }

  const byMouse = (act) => (event) => {
    if (event.pointerType !== "touch") act(event); // a finger leaves after each tap
  };

  /** The pointer may go from words to what they say, and rest there. */
  const leave = byMouse(({ relatedTarget }) => {
    if (relatedTarget !== reading) show(words.find((one) => one === document.activeElement));
  });

  function listen(word) {
    word.addEventListener("pointerenter", byMouse(() => show(word)));
    word.addEventListener("pointerleave", leave);
    word.addEventListener("focus", () => show(word));
    word.addEventListener("blur", () => show());
    word.addEventListener("click", () => {
      word.focus({ preventScroll: true });
      show(word);
    });
    word.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      show(word);
    });
  }

  reading.classList.add("of-words");
  reading.addEventListener("pointerleave", leave);
  document.querySelector(".bd-article").append(reading);
  for (const word of words) {
    word.tabIndex = 0;
    word.setAttribute("role", "button");
    listen(word);
  }
  document.addEventListener("keydown", ({ key }) => key === "Escape" && show());
})();
