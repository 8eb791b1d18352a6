// The forward pass of book/experiments/lm_model.py, which keeps what each part makes of each token.
"use strict";

const courseTracing = (() => {
  const { add, dot, gelu, tensors, linear, attention } = courseLayers;
  const EPSILON = 2 ** -23; // of nn.RMSNorm

  /** Pairs of numbers within each head, turned by an angle that grows with the place. */
  function rotated(x, place, heads) {
    const [turned, width] = [new Float32Array(x.length), x.length / heads];
    for (let first = 0; first < x.length; first += width) {
      for (let pair = 0; pair < width / 2; pair += 1) {
        const angle = place * 10000 ** (-pair / (width / 2));
        const [one, other] = [first + pair, first + pair + width / 2];
        turned[one] = x[one] * Math.cos(angle) - x[other] * Math.sin(angle);
        turned[other] = x[one] * Math.sin(angle) + x[other] * Math.cos(angle);
      }
    }
    return turned;
  }

  /** Divided by the root of the mean square, then scaled. */
  function norm(of, name) {
    const scale = of[`${name}.weight`];
    return (x) => {
      const root = Math.sqrt(dot(x, x, 0, x.length) / x.length + EPSILON);
      return x.map((value, at) => (value / root) * scale[at]);
    };
  }

  /** Streams in [tokens], what the block adds and the streams that go on out. */
  function block(of, name, heads) {
    const { keep, attend } = attention(of, `${name}.parts.0`, heads, (x, place) => rotated(x, place, heads));
    const [before, between] = [norm(of, `${name}.norms.0`), norm(of, `${name}.norms.1`)];
    const [up, down] = [linear(of, `${name}.parts.1.0`), linear(of, `${name}.parts.1.2`)];
    return (streams) => {
      const kept = [];
      return streams.map((came, place) => {
        const normed = before(came);
        kept.push(keep(normed, place));
        const { output, weights } = attend(normed, kept, place);
        const looked = add(came, output);
        const mlp = down(up(between(looked)).map(gelu));
        return { came, weights, attention: output, mlp, sum: add(looked, mlp) };
      });
    };
  }

  /** `run` takes tokens to what each block makes of each: [blocks][tokens]; `read` a stream to logits. */
  function transformer(network) {
    const of = tensors(network);
    const table = of["embed.weight"];
    const last = norm(of, "norm");
    const blocks = Array.from({ length: network.layers }, (_, at) => block(of, `blocks.${at}`, network.heads));
    const run = (tokens) => {
      let streams = tokens.map((token) => table[token]);
      return blocks.map((through) => {
        const found = through(streams);
        streams = found.map(({ sum }) => sum);
        return found;
      });
    };
    const read = (stream) => {
      const normed = last(stream);
      return table.map((row) => dot(row, normed, 0, row.length));
    };
    return { run, read };
  }

  return { transformer };
})();
