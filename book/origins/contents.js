// What a card says: of a measured number, a term, a citation, a figure on this page or another.
"use strict";

const courseCards = (() => {
  const { html, svg } = courseElements;
  const data = document.getElementById("origins-data").textContent;
  const { numbers, records, elsewhere } = JSON.parse(data);
  const MINUS = "\u2212";
  const [WIDTH, EDGE, HEIGHT] = [300, 8, 80]; // of the drawing of a sample, at most
  const [FEW, LARGE, SMALL] = [30, 4.5, 2]; // so many dots have that radius, more the other

  const link = (text, href, attributes = {}) => html("a", { href, ...attributes }, text);
  const file = (path) => link(path.split("/").pop(), path, { download: "" });

  function paragraphs(text) {
    const node = html("div", { class: "origin-text" });
    node.innerHTML = text; // of the page's own data
    return node;
  }

  /** Prints values with as many decimals as the finest of them has. */
  function printer(values, percent) {
    const sizes = values.filter(Boolean).map(Math.abs);
    const places = (value) => (String(value).split(".")[1] || "").length;
    const decimals = Math.max(...values.map(places));
    const tiny = sizes.length > 0 && Math.max(...sizes) < 1e-3;
    return (value) => {
      const fixed = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
      const text = tiny && value ? power(value) : value.toLocaleString("en", fixed);
      return text.replace("-", MINUS) + (percent ? "%" : "");
    };
  }

  function power(value) {
    const [mantissa, exponent] = value.toExponential(1).split("e");
    const raise = (sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)];
    return `${mantissa}·10${[...String(Number(exponent))].map(raise).join("")}`;
  }

  /** How high each dot stands, so that none hides another as long as there is room. */
  function stacked(places, size) {
    const levels = Array.from({ length: Math.floor(HEIGHT / size) }, () => []);
    return places.map((place) => {
      const free = levels.findIndex((level) => level.every((one) => Math.abs(one - place) >= size));
      const level = free < 0 ? levels.length - 1 : free;
      levels[level].push(place);
      return level;
    });
  }

  const radiusOf = (values) => (values.length > FEW ? SMALL : LARGE);

  /** A dot for each value on the line from `low` to `high`; a bar for mean and spread. */
  function dots(values, [low, high], print, { mean, spread, radius }, name) {
    const span = WIDTH - 2 * EDGE;
    const share = (value) => (high > low ? (value - low) / (high - low) : 0.5);
    const place = (value) => EDGE + span * share(value);
    const levels = stacked(values.map(place), 2 * radius);
    const top = 6 + 2 * radius * Math.max(...levels); // of the lowest dots
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const path = (kind, d) => svg("path", { class: `origin-${kind}`, d });
    const text = (value, anchor) => svg("text", {
      x: place(value), y: top + 26, "text-anchor": anchor }, print(value));
    const parts = [path("line", `M0 ${top + 8}H${WIDTH}`)];
    if (spread) {
      parts.push(path("spread", `M${place(mean - spread)} ${top + 8}H${place(mean + spread)}`));
      parts.push(path("mean", `M${place(mean)} ${top + 3}v10`));
    }
    const circles = values.map((value, at) => svg("circle", {
      cx: place(value), cy: top - 2 * radius * levels[at], r: radius - 0.3,
    }, svg("title", {}, name(at) + print(value))));
    const ends = most > least ? [text(least, "start"), text(most, "end")] : [text(least, "middle")];
    return svg("svg", {
      viewBox: `0 0 ${WIDTH} ${top + 30}`,
      role: "img",
      "aria-label": `${all(values.length, "value")} from ${print(least)} to ${print(most)}`,
    }, ...parts, ...circles, ...ends);
  }

  const all = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

  function sample({ sample: values, mean, spread, percent }, { seeds }) {
    const bySeed = values.length === seeds.length;
    const extremes = [...values, mean - spread, mean + spread];
    const name = (at) => (bySeed ? `seed ${seeds[at]}: ` : "");
    const of = bySeed ? `${all(seeds.length, "seed")} (${seeds[0]} to ${seeds[seeds.length - 1]})`
      : all(values.length, "value");
    const line = [Math.min(...extremes), Math.max(...extremes)];
    const radius = radiusOf(values);
    return [
      html("p", {}, spread ? `Mean of ${of} ± standard deviation` : `Mean of ${of}, all alike`),
      dots(values, line, printer([...values, mean], percent), { mean, spread, radius }, name),
    ];
  }

  function onMachines({ on, percent }, { machines }) {
    const values = Object.values(on).flat();
    const line = [Math.min(...values), Math.max(...values)];
    const count = all(values.length, "measurement");
    const rows = Object.entries(on).flatMap(([at, found]) => [
      html("p", { class: "origin-machine" }, machines[at]),
      dots(found, line, printer(values, percent), { radius: radiusOf(values) }, () => "")]);
    const where = all(rows.length / 2, "machine");
    return [html("p", {}, `Least and most of ${count} on ${where}`), ...rows];
  }

  function single(_, { seeds }) {
    const why = seeds.length > 1 ? `, not a sample over the ${seeds.length} seeds`
      : `; the script has ${seeds.length ? "one" : "no"} seed`;
    return [html("p", {}, `One value${why}`)];
  }

  /** Where the number comes from, a row each. */
  function facts(name, key, found, record) {
    const command = `make measure${name === "measure" ? "" : ` ${name}`}`;
    const rows = {
      Record: [file(record.record), " under ", html("code", {}, key)],
      Script: [file(record.script)],
      "Made with": [found.on ? record.by : `${record.by}; ${record.machine}`],
      "Run it again": [html("code", {}, command)],
    };
    if (found.claims) rows.Claim = found.claims.flatMap((claim, at) => [
      at ? ", " : "", link(`${claim}: ${record.verdicts[claim]}`, `claims.html#claim-${claim}`)]);
    if (found.tried) rows.Tried = [found.tried.join(", ")];
    const controls = (found.claims || []).map((claim) => record.controls[claim]).filter(Boolean);
    if (controls.length) rows.Control = [controls.join(" ")];
    return html("dl", {}, ...Object.entries(rows).flatMap(([head, parts]) => [
      html("dt", {}, head), html("dd", {}, ...parts)]));
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
    return [name, paragraphs(elsewhere[id]), html("p", {}, more)];
  }

  /** The entry as the bibliography prints it; its address becomes a link. */
  function citation(trigger) {
    const whole = trigger.closest(".bibtex-citation");
    const alone = whole.querySelectorAll("a").length === 1;
    const name = alone ? whole.textContent.replace(/^\[(.*)\]$/, "$1") : trigger.textContent;
    const parts = /^(.*?)(?:doi:(\S+?)|URL: (\S+?))?\.?$/;
    const [, text, doi, url] = trigger.dataset.entry.match(parts);
    const entry = html("p", { class: "origin-text" }, text);
    if (doi) entry.append(link(`doi:${doi}`, `https://doi.org/${doi}`));
    if (url) entry.append(link(url.replace("https://", ""), url));
    return [name, entry, html("p", {}, link("In the bibliography", trigger.href))];
  }

  /** A copy of a figure of this page, without what may be there once only. */
  function copy(figure) {
    const node = figure.cloneNode(true);
    const once = ".headerlink, .caption-number, script, .chart-reading, .chart-ring, .chart-light";
    node.querySelectorAll(once).forEach((one) => one.remove());
    node.querySelectorAll(".chart").forEach((one) => {
      one.setAttribute("role", "img"); // without the script that tells its values
      one.removeAttribute("aria-roledescription");
    });
    for (const one of [node, ...node.querySelectorAll("*")]) {
      for (const name of ["id", "tabindex"]) one.removeAttribute(name);
    }
    for (const one of node.querySelectorAll("a, [data-figure]")) one.replaceWith(...one.childNodes);
    return node;
  }

  function figure(trigger) {
    const id = trigger.hash.slice(1);
    const shown = id in elsewhere ? paragraphs(elsewhere[id]) : copy(document.getElementById(id));
    return [trigger.textContent, shown, html("p", {}, link("Go to it", trigger.href))];
  }

  return { number, term, citation, figure };
})();
