// The network answers as long as there is one, so that nothing is out of date; without it, what was
// kept. Each file is kept under the hash of its content: a new version of the book fetches what has
// changed, and drops what it no longer has.
"use strict";

const FILES = {}; // path below the scope: hash; book/_ext/offline_reading.py fills it in
const KEPT = `kept for ${registration.scope}`;
const USED = `used in ${registration.scope}`; // large files that are kept once they were needed
const LARGE = "_static/pyodide/";

const key = (path) => new URL(`${path}?kept=${FILES[path]}`, registration.scope).href;

async function keep() {
  const cache = await caches.open(KEPT);
  const have = new Set((await cache.keys()).map((request) => request.url));
  const missing = Object.keys(FILES).filter((path) => !have.has(key(path)));
  await Promise.all(missing.map((path) => add(cache, path)));
}

// Past the browser's own cache, both ways: what is kept is new, and no visit finds an old page there.
async function add(cache, path) {
  const response = await fetch(new URL(path, registration.scope), { cache: "no-store" });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  // a copy: what came by a redirection may not answer for a page
  const { headers } = response;
  await cache.put(key(path), new Response(await response.blob(), { headers }));
}

async function drop() {
  const cache = await caches.open(KEPT);
  const wanted = new Set(Object.keys(FILES).map(key));
  const old = (await cache.keys()).filter((request) => !wanted.has(request.url));
  await Promise.all(old.map((request) => cache.delete(request)));
  await clients.claim();
}

async function answer(request, path) {
  try {
    const response = await fetch(request);
    if (response.ok && path.startsWith(LARGE)) {
      await (await caches.open(USED)).put(request, response.clone());
    }
    return response;
  } catch {
    return (await kept(request, path)) ?? Response.error();
  }
}

async function kept(request, path) {
  if (path.startsWith(LARGE)) return (await caches.open(USED)).match(request);
  const cache = await caches.open(KEPT);
  if (path in FILES) return cache.match(key(path));
  if (request.mode !== "navigate") return undefined;
  const page = await cache.match(key("404.html"));
  return page && new Response(page.body, { status: 404, headers: page.headers });
}

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(keep());
});
addEventListener("activate", (event) => event.waitUntil(drop()));
addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(registration.scope)) return;
  const path = new URL(request.url).href.slice(registration.scope.length).split(/[?#]/)[0];
  event.respondWith(answer(request, decodeURI(path) || "index.html"));
});
