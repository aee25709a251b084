// Keeps a folder that `obook site` wrote for times without a network: the browser fetches it once, and anew while there is one.

/** Larger folders are kept as far as they were seen. */
const MOST = 128;

let parts = 0;
self.obook = (_, book) => { parts = book.parts; };
importScripts('book.js');

const kept = () => caches.open(`obook ${registration.scope}`);

async function keep() {
  const positions = Array.from({ length: parts > MOST ? 0 : parts }, (_, number) => `positions-${number.toString(16).padStart(4, '0')}.js`);
  const files = ['./', 'site.js', 'style.css', 'icon.svg', 'book.js', ...positions];
  // What the browser keeps for a while may be of a book that was written before.
  await (await kept()).addAll(files.map((file) => new Request(file, { cache: 'reload' })));
  await skipWaiting();
}

async function answer(request) {
  const cache = await kept();
  try {
    const found = await fetch(request, { cache: 'no-cache' });
    if (found.ok) await cache.put(request, found.clone());
    return found;
  } catch (error) {
    return (await cache.match(request)) ?? Promise.reject(error);
  }
}

addEventListener('install', (event) => event.waitUntil(keep()));
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => { if (event.request.method === 'GET') event.respondWith(answer(event.request)); });
