// Damages what an artifact store wrote, one place at a time, and tells what its readers notice. Used by tests of the stores.
import fc from "fast-check";

/** Contents of several sizes, one of them long enough to be staged. */
const contents = [
  ["", 1],
  ["one", 2],
  ["Grüße, 世界 ".repeat(300), 1],
  ["{}".repeat(40_000), 1],
  [Buffer.alloc(1_100_000, "0123456789abcdef-"), 1],
];

async function* inPieces(bytes) {
  for (let at = 0; at < bytes.length; at += 300_000) yield bytes.subarray(at, at + 300_000);
}

/** Fills a store and closes it. Returns its handles and contents. */
export async function fillStore(store) {
  const bytesById = new Map();
  for (const [content, times] of contents) {
    for (let time = 0; time < times; time += 1) {
      const bytes = Buffer.from(content);
      const given = bytes.length > 1_000_000 ? inPieces(bytes) : new Uint8Array(bytes);
      const { artifactId } = await store.store(given, { source: `tool:${time}`, sessionId: "s" });
      bytesById.set(artifactId, bytes);
    }
  }
  const { handles } = await store.listHandles();
  await store.close();
  return { handles, bytesById };
}

const damage = fc.record({
  kind: fc.constantFrom("flip", "zeros", "cut", "gone"),
  file: fc.nat({ max: 999_999 }),
  place: fc.noBias(fc.nat({ max: 999_999 })),
  length: fc.integer({ min: 1, max: 64 }),
  bit: fc.nat({ max: 7 }),
});

function damaged(bytes, { kind, place, length, bit }) {
  const at = Math.floor((place / 1_000_000) * bytes.length);
  if (kind === "cut") return bytes.subarray(0, at);
  if (kind === "gone") return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
  const copy = Buffer.from(bytes);
  if (kind === "zeros") copy.fill(0, at, Math.min(at + length, copy.length));
  else copy[at] ^= 1 << bit;
  return copy;
}

/** Damages `runs` times one of the files, and reads everything. `open` opens a store over the given files. */
export async function tryDamages({ files, filled, runs, open }) {
  const names = [...files.keys()].filter((name) => files.get(name).length > 0).sort();
  const counts = {
    runs: 0,
    notOpened: 0,
    reported: 0,
    mostLost: 0,
    wrongContents: 0,
    wrongHandles: 0,
  };
  await fc.assert(
    fc.asyncProperty(damage, async (how) => {
      const name = names[how.file % names.length];
      const bytes = damaged(files.get(name), how);
      if (bytes.equals(files.get(name))) return;
      counts.runs += 1;
      let store;
      try {
        store = await open(new Map([...files, [name, bytes]]));
      } catch {
        counts.notOpened += 1;
        return;
      }
      try {
        await readAll(store, filled, counts);
      } finally {
        await store.close();
      }
    }),
    { numRuns: runs },
  );
  return counts;
}

async function readAll(store, { handles, bytesById }, counts) {
  let lost = 0;
  for (const [artifactId, expected] of bytesById) {
    const [read] = await Promise.allSettled([store.retrieve(artifactId)]);
    if (read.status === "rejected") lost += 1;
    else if (read.value === undefined || !expected.equals(read.value)) counts.wrongContents += 1;
  }
  counts.mostLost = Math.max(counts.mostLost, lost);
  const [listed] = await Promise.allSettled([store.listHandles()]);
  const isListed = listed.status === "fulfilled";
  if (isListed && JSON.stringify(listed.value.handles) !== JSON.stringify(handles))
    counts.wrongHandles += 1;
  if (lost > 0 || !isListed) counts.reported += 1;
}
