import fs from "node:fs";
import path from "node:path";

import { contentOf, median, ratioOf, settleDisk } from "./artifact-rounds.mjs";

const sizeBytes = 1024;
const handle = { source: "tool:bench" };

async function elapsed(action) {
  const startedAt = performance.now();
  const value = await action();
  return { ms: performance.now() - startedAt, value };
}

/** Single puts and one `storeMany` of as many contents: `{ singleMs, batchMs }` per item, and the factor. */
export async function measureBatches(subjects, { folder, rounds, batch = 100 }) {
  const results = new Map();
  for (const [index, { name, openStore, isServer }] of subjects.entries()) {
    const { store, erase } = await openStore(path.join(folder, `b${index}`));
    const times = { single: [], batch: [] };
    for (let round = -1; round < (isServer ? Math.ceil(rounds / 4) : rounds); round += 1) {
      const itemsOf = (half) =>
        Array.from(
          { length: batch },
          (_, at) => contentOf(((round + 1) * 2 + half) * batch + at, sizeBytes).bytes,
        );
      const [singles, many] = [itemsOf(0), itemsOf(1).map((content) => ({ ...handle, content }))];
      const single = await elapsed(async () => {
        for (const content of singles) await store.store(content, handle);
      });
      const together = await elapsed(() => store.storeMany(many));
      if (round < 0) continue;
      times.single.push(single.ms / batch);
      times.batch.push(together.ms / batch);
    }
    await store.close();
    await erase?.();
    const factor = ratioOf(times.single, times.batch);
    results.set(name, { singleMs: median(times.single), batchMs: median(times.batch), factor });
  }
  fs.rmSync(folder, { recursive: true, force: true });
  return results;
}

const perRound = 20;
/** The calls to both stores in each round, in milliseconds per call. */
const questions = {
  put: (store, { fresh }) => inSequence(fresh, (content) => store.store(content, handle)),
  get: (store, { ids }) => inSequence(ids, (id) => store.retrieve(id)),
  "first page": (store) => inSequence([1, 2, 3], () => store.listHandles({ limit: 100 })),
  "page in the middle": (store, { cursor }) =>
    inSequence([1, 2, 3], () => store.listHandles({ limit: 100, cursor })),
};

async function inSequence(items, call) {
  const { ms } = await elapsed(async () => {
    for (const item of items) await call(item);
  });
  return ms / items.length;
}

/** The same calls to a store of few and to one of many artifacts: `{ fewMs, manyMs, factor }` by call. */
export async function measureGrowth({ name, openStore }, { folder, counts, rounds }) {
  const stores = [];
  for (const count of counts) {
    stores.push(
      await openFilled({ name, openStore }, { folder: path.join(folder, `g${count}`), count }),
    );
  }
  const times = [newTimes(), newTimes()];
  for (let round = -1; round < rounds; round += 1) {
    for (const which of round % 2 === 0 ? [0, 1] : [1, 0]) {
      await askAll(stores[which], { round, times: round < 0 ? newTimes() : times[which] });
    }
  }
  for (const { store, erase } of stores) {
    await store.close();
    await erase?.();
  }
  fs.rmSync(folder, { recursive: true, force: true });
  return Object.keys(questions).map((question) => {
    const [few, many] = times.map((one) => one[question]);
    return { question, fewMs: median(few), manyMs: median(many), factor: ratioOf(many, few) };
  });
}

const newTimes = () => Object.fromEntries(Object.keys(questions).map((question) => [question, []]));

async function askAll({ store, ids, cursor }, { round, times }) {
  const fresh = Array.from(
    { length: perRound },
    (_, at) => contentOf(`${round}-${at}`, sizeBytes).bytes,
  );
  const some = Array.from(
    { length: perRound },
    (_, at) => ids[((round + 1) * 7919 + at * 104_729) % ids.length],
  );
  for (const [question, ask] of Object.entries(questions)) {
    times[question].push(await ask(store, { fresh, ids: some, cursor }));
  }
}

// Files and SQLite are filled without syncs, then reopened.
async function openFilled({ name, openStore }, { folder, count }) {
  const canFillFirst = name === "fs" || name === "SQLite";
  const first = await openStore(folder, { durability: "off" });
  const ids = await fill(first.store, count);
  const opened = canFillFirst ? await reopen(first, () => openStore(folder)) : first;
  settleDisk();
  return { ...opened, ids, cursor: await middleOf(opened.store, count) };
}

async function middleOf(store, count) {
  const limit = Math.min(1000, Math.floor(count / 2));
  let page = {};
  for (let seen = 0; seen < count / 2; seen += limit) {
    const { cursor } = await store.listHandles({ limit, ...page });
    page = { cursor };
  }
  return page.cursor;
}

async function reopen(first, open) {
  await first.store.close();
  return open();
}

async function fill(store, count) {
  const ids = [];
  for (let at = 0; at < count; at += 16) {
    const size = Math.min(16, count - at);
    const some = Array.from({ length: size }, (_, index) =>
      store.store(contentOf(at + index, sizeBytes).bytes, handle),
    );
    ids.push(...(await Promise.all(some)).map(({ artifactId }) => artifactId));
  }
  return ids;
}
