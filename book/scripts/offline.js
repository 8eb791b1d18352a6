// Keeps the book for reading without a network, once the page has come and nothing else is to do.
"use strict";
(() => {
  const saves = navigator.connection?.saveData; // the reader asked for few bytes
  if (!location.protocol.startsWith("http") || !navigator.serviceWorker || saves) return;
  const atRest = globalThis.requestIdleCallback ?? setTimeout;
  const keep = () => navigator.serviceWorker.register("service-worker.js").catch(() => {});
  addEventListener("load", () => atRest(keep));
})();
