// Arithmetic of small networks in the browser: weights of a byte each (book/experiments/packed.py),
// linear layers, and attention that keeps keys and values. Vectors are Float32Arrays.
"use strict";

const courseLayers = (() => {
  const dot = (one, other, start, length) => {
    let sum = 0;
    for (let at = 0; at < length; at += 1) sum += one[start + at] * other[start + at];
    return sum;
  };
  const add = (one, other) => one.map((x, at) => x + other[at]);

  /** Weights of one row of scores; the largest score is subtracted, so nothing overflows. */
  function softmax(scores) {
    const largest = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - largest));
    const sum = powers.reduce((one, other) => one + other, 0);
    return powers.map((power) => power / sum);
  }

  /** Abramowitz and Stegun, 7.1.26: the error is below 2e-7, that of a float32. */
  function erf(x) {
    const t = 1 / (1 + 0.3275911 * Math.abs(x));
    const series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t +
      0.254829592) * t;
    return Math.sign(x) * (1 - series * Math.exp(-x * x));
  }

  const gelu = (x) => (x * (1 + erf(x / Math.SQRT2))) / 2;

  /** The bytes of a text in base64. */
  function decoded(text) {
    const signs = atob(text);
    const bytes = new Uint8Array(signs.length); // a loop: `from` takes several times as long
    for (let at = 0; at < signs.length; at += 1) bytes[at] = signs.charCodeAt(at);
    return bytes.buffer;
  }

  function scaled(row, scale) {
    const floats = new Float32Array(row);
    for (let at = 0; at < floats.length; at += 1) floats[at] *= scale;
    return floats;
  }

  /** Tensors by name: rows of whole numbers times their scales, and vectors as they are. */
  function tensors({ shapes, bytes }) {
    const content = decoded(bytes);
    const first = Object.values(shapes).reduce((sum, [rows]) => sum + rows, 0);
    let [float, whole] = [0, 4 * first];
    const entries = Object.entries(shapes).map(([name, [rows, columns]]) => {
      const scales = new Float32Array(content, 4 * float, rows);
      float += rows;
      if (columns === undefined) return [name, scales];
      const matrix = Array.from(scales, (scale, row) =>
        scaled(new Int8Array(content, whole + row * columns, columns), scale));
      whole += rows * columns;
      return [name, matrix];
    });
    return Object.fromEntries(entries);
  }

  /** A linear layer of these tensors, with a bias where there is one. */
  function linear(of, name) {
    const [matrix, bias] = [of[`${name}.weight`], of[`${name}.bias`]];
    return (x) => Float32Array.from(matrix, (row, at) => dot(row, x, 0, x.length) + (bias ? bias[at] : 0));
  }

  /** What a token keeps, and how another looks at what was kept. `turn` rotates a vector to its place. */
  function attention(of, name, heads, turn = (x) => x) {
    const [query, key, value, out] = ["W_q", "W_k", "W_v", "W_o"].map((part) => linear(of, `${name}.${part}`));
    const keep = (x, place) => ({ key: turn(key(x), place), value: value(x) });
    return { keep, attend: (x, kept, place) => mixed(turn(query(x), place), kept, heads, out) };
  }

  /** Of one query over kept keys and values: the output, and the weights [heads][keys]. */
  function mixed(query, kept, heads, out) {
    const width = query.length / heads;
    const output = new Float32Array(query.length);
    const weights = Array.from({ length: heads }, (_, head) => {
      const start = head * width;
      const row = softmax(kept.map(({ key }) => dot(query, key, start, width) / Math.sqrt(width)));
      kept.forEach(({ value }, at) => {
        for (let i = start; i < start + width; i += 1) output[i] += row[at] * value[i];
      });
      return row;
    });
    return { output: out(output), weights };
  }

  return { dot, add, softmax, gelu, tensors, linear, attention };
})();
