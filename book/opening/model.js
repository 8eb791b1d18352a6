// The forward pass of book/experiments/cross_model.py: an encoder layer, and a decoder layer that
// keeps keys and values, so that each new character costs one row.
"use strict";

const courseOpening = (() => {
  const { add, gelu, tensors } = courseLayers;
  const EPSILON = 1e-5; // of nn.LayerNorm

  /** The layers of the network, each a function, under the names that cross_model.py gives them. */
  function layers(of, heads) {
    const linear = (name) => courseLayers.linear(of, name);
    const attention = (name) => courseLayers.attention(of, name, heads);
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
    return { linear, norm, mlp, attention };
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
