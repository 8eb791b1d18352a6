// A reader's text to tokens: the words of the network, the line break, and what it does not know.
"use strict";

(() => {
  const BREAK = 1; // the token of a line break; 0 is the start
  const listed = (words) => `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

  /** Reads texts for a network: tokens with the start, or a sentence that says why there are none. */
  function reader({ words, names, cities, longest }) {
    const known = new Map(words.slice(BREAK + 1).map((word, at) => [word.toLowerCase(), at + BREAK + 1]));
    const others = words.slice(BREAK + 1).filter((word) => !names.includes(word) && !cities.includes(word));
    const unknown = (word) => `The network does not know “${word}”. Its names are ${listed(names)}, its cities ` +
      `${listed(cities)}, and its other words ${listed(others)}.`;

    return (text) => {
      const pieces = text.trimStart().match(/\n|\S+/g) || [];
      const once = pieces.filter((piece, at) => piece !== "\n" || pieces[at - 1] !== "\n");
      const strange = once.find((piece) => piece !== "\n" && !known.has(piece.toLowerCase()));
      if (strange) return { problem: unknown(strange) };
      const tokens = [0, ...once.map((piece) => (piece === "\n" ? BREAK : known.get(piece.toLowerCase())))];
      if (tokens.length <= longest) return { tokens };
      return { problem: `This text has ${tokens.length} tokens; the longest story of the training has ${longest}.` };
    };
  }

  /** The text with a word more. */
  function grown(text, word) {
    if (word === "\n") return `${text}\n`;
    return `${text}${/(^|\s)$/.test(text) ? "" : " "}${word}`;
  }

  const shown = (word) => (word === "\n" ? "↵" : word);

  /** Places of tokens, as the lines of the text; a line of more than five goes on below. */
  function lines(tokens) {
    const rows = [[0]];
    for (let at = 1; at < tokens.length; at += 1) {
      const row = rows.at(-1);
      if (row[0] === 0 || tokens[at - 1] === BREAK || row.length === 5) rows.push([at]);
      else row.push(at);
    }
    return rows;
  }

  Object.assign(courseTracing, { reader, grown, shown, lines });
})();
