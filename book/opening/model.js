// The forward pass of book/experiments/cross_model.py: an encoder layer, and a decoder layer that
// keeps keys and values, so that each new character costs one row. Vectors are Float32Arrays.
"use strict";

const courseOpening = (() => {
  const EPSILON = 1e-5; // of nn.LayerNorm

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

  /** The layers of the network, each a function, under the names that cross_model.py gives them. */
  function layers(of, heads) {
    const linear = (name) => {
      const [matrix, bias] = [of[`${name}.weight`], of[`${name}.bias`]];
      return (x) => bias.map((b, row) => b + dot(matrix[row], x, 0, x.length));
    };
    const norm = (name) => {
      const [scale, shift] = [of[`${name}.weight`], of[`${name}.bias`]];
      return (x) => {
        const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
        const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
        return x.map((value, at) => ((value - mean) / Math.sqrt(variance + EPSILON)) * scale[at] + shift[at]);
      };
    };
    const mlp = (name) => {
      const [normed, up, down] = [norm(`${name}.0`), linear(`${name}.1`), linear(`${name}.3`)];
      return (x) => down(up(normed(x)).map(gelu));
    };
    const attention = (name) => {
      const [query, key, value, out] = ["W_q", "W_k", "W_v", "W_o"].map((part) => linear(`${name}.${part}`));
      const keep = (x) => ({ key: key(x), value: value(x) });
      return { keep, attend: (x, kept) => mixed(query(x), kept, heads, out) };
    };
    return { linear, norm, mlp, attention };
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

  /** Text in, the keys and values of its memory out: what all steps of the decoder share. */
  function encoder(of, { norm, mlp, attention }, signs) {
    const { keep, attend } = attention("encoder.attend");
    const [before, after, further] = [norm("encoder.norm"), norm("norm_memory"), mlp("encoder.mlp")];
    const memory = attention("decoder.attend_memory");
    return (text) => {
      const places = [...text].map((sign, at) =>
        add(of["embed.0.weight"][1 + signs.indexOf(sign)], of["position.0"][at]));
      const kept = places.map((x) => keep(before(x)));
      return places.map((x) => {
        const mixedIn = add(x, attend(before(x), kept).output);
        return memory.keep(after(add(mixedIn, further(mixedIn))));
      });
    };
  }

  /** One step: the symbol written last and what is kept, to logits [symbols] and weights [heads][keys]. */
  function decoder(of, { linear, norm, mlp, attention }) {
    const [own, memory] = [attention("decoder.attend_self"), attention("decoder.attend_memory")];
    const [first, second, last] = [norm("decoder.norm_1"), norm("decoder.norm_2"), norm("readout.0")];
    const [further, readout] = [mlp("decoder.mlp"), linear("readout.1")];
    return (symbol, kept, past) => {
      const x = add(of["embed.1.weight"][symbol], of["position.1"][past.length]);
      const normed = first(x);
      past.push(own.keep(normed));
      const seen = add(x, own.attend(normed, past).output);
      const { output, weights } = memory.attend(second(seen), kept);
      const looked = add(seen, output);
      return { logits: readout(last(add(looked, further(looked)))), weights };
    };
  }

  /** A function that writes a text's date: a generator of steps, each its logits and its weights. */
  function translator(packed) {
    const of = tensors(packed);
    const parts = layers(of, packed.heads);
    const [encode, step] = [encoder(of, parts, packed.signs), decoder(of, parts)];
    return function* write(text) {
      const [kept, past] = [encode(text), []];
      let symbol = packed.digits.length; // the start sign
      while (past.length < of["position.1"].length) {
        const found = step(symbol, kept, past);
        symbol = found.logits.indexOf(Math.max(...found.logits));
        yield found;
      }
    };
  }

  return { translator };
})();
