// Dates as people write them, in the forms of book/experiments/cross_calendar.py.
"use strict";

(() => {
  const FIRST_DAY = Date.UTC(1950, 0, 1);
  const DAYS = 36525;
  const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December"];
  const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

  function ordinal(day) {
    const special = { 1: "st", 2: "nd", 3: "rd" }[day % 10] || "th";
    return `${day}${day > 10 && day < 20 ? "th" : special}`;
  }

  const iso = (year, month, day) => [year, month, day].map((n) => String(n).padStart(2, "0")).join("-");

  /** Of the days that were kept from training, as text, and each date that the text can mean. */
  function another(next) {
    const pick = (list) => list[Math.floor(next() * list.length)];
    const apart = courseOpening.network.held_out;
    const when = new Date(FIRST_DAY + apart * Math.floor((next() * DAYS) / apart) * 86400e3);
    const [year, month, day] = [when.getUTCFullYear(), when.getUTCMonth() + 1, when.getUTCDate()];
    const short = String(year).slice(2);
    const name = pick([MONTHS[month - 1], MONTHS[month - 1].slice(0, 3)]);
    const number = pick([String(day), ordinal(day)]);
    const written = pick([String(year), `'${short}`]);
    const slashes = `${month}/${day}/${pick([year, short])}`;
    const text = pick([`${name} ${number}, ${written}`, `${number} ${name} ${written}`,
      `the ${ordinal(day)} of ${name} ${written}`, `${WEEKDAYS[when.getUTCDay()]} ${number} ${name} ${written}`,
      `${written}, ${name} ${number}`, `${day}.${month}.${pick([year, short])}`, slashes]);
    const both = text === slashes && day <= 12 && day !== month;
    const readings = [iso(year, month, day), ...(both ? [iso(year, day, month)] : [])];
    return { text: pick([text, text, text.toLowerCase()]), readings };
  }

  Object.assign(courseOpening, { another });
})();
