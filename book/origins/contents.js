// What a card says: of a measured number, a term, a citation, a figure on this page or another.
"use strict";

const courseCards = (() => {
  const { numbers, records, elsewhere } =
    JSON.parse(document.getElementById("origins-data").textContent);
  const MINUS = "\u2212";
  const [WIDTH, EDGE, RADIUS, LEVELS] = [300, 8, 4.5, 6]; // of the drawing of a sample

  /** An element with attributes and children; text becomes a node of it. */
  function make(name, attributes, ...children) {
    const svg = ["svg", "path", "circle", "text"].includes(name);
    const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name)
      : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  }

  const link = (text, href, attributes = {}) => make("a", { href, ...attributes }, text);
  const file = (path) => link(path.split("/").pop(), path, { download: "" });

  function paragraphs(html) {
    const node = make("div", { class: "origin-text" });
    node.innerHTML = html; // of the page's own data
    return node;
  }

  /** Prints values with as many decimals as the finest of them has. */
  function printer(values, percent) {
    const sizes = values.filter(Boolean).map(Math.abs);
    const decimals = Math.max(...values.map((value) => (String(value).split(".")[1] || "").length));
    const tiny = sizes.length > 0 && Math.min(...sizes) < 1e-4;
    return (value) => {
      const fixed = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
      const text = tiny && value ? power(value) : value.toLocaleString("en", tiny ? {} : fixed);
      return text.replace("-", MINUS) + (percent ? "%" : "");
    };
  }

  function power(value) {
    const [mantissa, exponent] = value.toExponential(1).split("e");
    const raised = [...String(Number(exponent))].map((sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]);
    return `${mantissa}·10${raised.join("")}`;
  }

  /** How high each dot stands, so that none hides another as long as there is room. */
  function stacked(places) {
    const taken = [];
    return places.map((place) => {
      const free = (level) => !(taken[level] || []).some((one) => Math.abs(one - place) < 2 * RADIUS);
      let level = 0;
      while (level < LEVELS - 1 && !free(level)) level += 1;
      (taken[level] = taken[level] || []).push(place);
      return level;
    });
  }

  /** A dot for each value on the line from `low` to `high`; a bar for mean and spread. */
  function dots(values, [low, high], print, { mean, spread = 0 }, name) {
    const place = (value) => (high > low
      ? EDGE + ((WIDTH - 2 * EDGE) * (value - low)) / (high - low) : WIDTH / 2);
    const levels = stacked(values.map(place));
    const line = 10 + 2 * RADIUS * Math.max(...levels);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const label = `${values.length} dots, from ${print(least)} to ${print(most)}`;
    const drawing = make("svg", { viewBox: `0 0 ${WIDTH} ${line + 28}`, role: "img", "aria-label": label });
    drawing.append(make("path", { class: "origin-line", d: `M0 ${line + 8}H${WIDTH}` }));
    if (spread) drawing.append(make("path", {
      class: "origin-spread", d: `M${place(mean - spread)} ${line + 8}H${place(mean + spread)}` }));
    if (mean !== undefined && most > least) drawing.append(make("path", {
      class: "origin-mean", d: `M${place(mean)} ${line + 3}v10` }));
    values.forEach((value, at) => drawing.append(make("circle", {
      cx: place(value), cy: line - 2 * RADIUS * levels[at], r: RADIUS - 0.5,
    }, make("title", {}, name(at) + print(value)))));
    const ends = most > least ? [[least, "start", -RADIUS], [most, "end", RADIUS]] : [[least, "middle", 0]];
    for (const [value, anchor, shift] of ends) drawing.append(make("text", {
      x: place(value) + shift, y: line + 26, "text-anchor": anchor }, print(value)));
    return drawing;
  }

  const all = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

  function sample(found, { seeds }) {
    const { sample: values, mean, spread, percent } = found;
    const bySeed = values.length === seeds.length;
    const ends = [...values, mean - spread, mean + spread];
    const print = printer([...values, mean], percent);
    const name = (at) => (bySeed ? `seed ${seeds[at]}: ` : "");
    const of = all(values.length, bySeed ? "seed" : "value");
    return [
      make("p", {}, spread ? `Mean of ${of} ± one standard deviation` : `Mean of ${of}, all alike`),
      dots(values, [Math.min(...ends), Math.max(...ends)], print, found, name),
    ];
  }

  function onMachines(found, { machines }) {
    const values = Object.values(found.on).flat();
    const ends = [Math.min(...values), Math.max(...values)];
    const print = printer(values, found.percent);
    const what = `${all(values.length, "measurement")} on ${all(Object.keys(found.on).length, "machine")}`;
    const rows = Object.entries(found.on).flatMap(([at, one]) => [
      make("p", { class: "origin-machine" }, machines[at]), dots(one, ends, print, {}, () => "")]);
    return [make("p", {}, values.length > 1 ? `Least and most of ${what}` : `One measurement`), ...rows];
  }

  function single({ seeds }) {
    const why = seeds.length > 1 ? `not a sample over the ${seeds.length} seeds` : "which no seed changes";
    return [make("p", {}, `One value, ${why}`)];
  }

  /** Where the number comes from, a row each. */
  function facts(name, key, found, record) {
    const command = `make measure${name === "measure" ? "" : ` ${name}`}`;
    const rows = {
      Record: [file(record.record), ", ", make("code", {}, key)],
      Script: [file(record.script)],
      "Made with": [found.on ? record.by : `${record.by}; ${record.machine}`],
      "Run it again": [make("code", {}, command)],
    };
    if (found.claims) rows.Claim = found.claims.flatMap((claim, at) => [
      at ? ", " : "", link(`${claim}`, `claims.html#claim-${claim}`), `: ${record.verdicts[claim]}`]);
    return make("dl", {}, ...Object.entries(rows).flatMap(([head, parts]) => [
      make("dt", {}, head), make("dd", {}, ...parts)]));
  }

  function number(trigger) {
    const origin = trigger.dataset.measured;
    const [name, key] = origin.split(":");
    const [found, record] = [numbers[origin], records[name]];
    const show = found.on ? onMachines : found.sample ? sample : single;
    return [found.text, ...show(found, record), facts(name, key, found, record)];
  }

  function term(trigger) {
    const id = trigger.hash.slice(1);
    const name = id.replace("term-", "").replaceAll("-", " ");
    const more = link("In the glossary", trigger.href);
    return [name, paragraphs(elsewhere[id]), make("p", {}, more)];
  }

  /** The entry as the bibliography prints it; its address becomes a link. */
  function citation(trigger) {
    const whole = trigger.closest(".bibtex-citation");
    const alone = whole.querySelectorAll("a").length === 1;
    const name = alone ? whole.textContent.replace(/^\[(.*)\]$/, "$1") : trigger.textContent;
    const [, text, doi, url] = trigger.dataset.entry.match(/^(.*?)(?:doi:(\S+?)|URL: (\S+?))?\.?$/);
    const entry = make("p", { class: "origin-text" }, text);
    if (doi) entry.append(link(`doi:${doi}`, `https://doi.org/${doi}`));
    if (url) entry.append(link(url.replace("https://", ""), url));
    return [name, entry, make("p", {}, link("In the bibliography", trigger.href))];
  }

  /** A copy of a figure of this page, without what may be there once only. */
  function copy(figure) {
    const node = figure.cloneNode(true);
    node.querySelectorAll(".headerlink, .caption-number, script").forEach((one) => one.remove());
    for (const one of [node, ...node.querySelectorAll("*")]) {
      for (const name of ["id", "tabindex"]) one.removeAttribute(name);
    }
    for (const one of node.querySelectorAll("a")) one.replaceWith(...one.childNodes);
    return node;
  }

  function figure(trigger) {
    const id = trigger.hash.slice(1);
    const shown = id in elsewhere ? paragraphs(elsewhere[id]) : copy(document.getElementById(id));
    return [trigger.textContent, shown, make("p", {}, link("Go to it", trigger.href))];
  }

  return { make, number, term, citation, figure };
})();
