// Damages what an artifact store wrote, one place at a time, and checks that readers notice. Used by tests of the
// stores.
import fc from "fast-check";

/** Contents of several sizes; one is long enough to be staged. */
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

/**
 * Damages one of the files `runs` times, and reads everything each time. `open` opens a store over the given files.
 * `unseen` counts the damages that lose or change something although neither a read nor `verify` reports it.
 */
export async function tryDamages({ files, filled, runs, open }) {
  const names = [...files.keys()].filter((name) => files.get(name).length > 0).sort();
  const counts = { runs: 0, notOpened: 0, reported: 0, unseen: 0 };
  const worst = { mostContents: 0, mostHandles: 0, wrongContents: 0, wrongHandles: 0 };
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
        const { isTold, lostContents, lostHandles, wrongContents, wrongHandles } = await readAll(
          store,
          filled,
        );
        worst.mostContents = Math.max(worst.mostContents, lostContents);
        worst.mostHandles = Math.max(worst.mostHandles, lostHandles);
        worst.wrongContents += wrongContents;
        worst.wrongHandles += wrongHandles;
        if (isTold) counts.reported += 1;
        else if (lostContents + lostHandles + wrongContents + wrongHandles > 0) counts.unseen += 1;
      } finally {
        await store.close();
      }
    }),
    { numRuns: runs },
  );
  return { ...counts, ...worst };
}

async function readAll(store, { handles, bytesById }) {
  const found = {
    isTold: false,
    lostContents: 0,
    lostHandles: 0,
    wrongContents: 0,
    wrongHandles: 0,
  };
  const told = async (call) => {
    try {
      return await call();
    } catch {
      found.isTold = true;
      return undefined;
    }
  };
  for (const [artifactId, expected] of bytesById) {
    const bytes = await told(() => store.retrieve(artifactId));
    if (bytes === undefined) found.lostContents += 1;
    else if (!expected.equals(bytes)) found.wrongContents += 1;
  }
  const written = new Set(handles.map((handle) => JSON.stringify(handle)));
  const page = await told(() => store.listHandles());
  const whole = (page?.handles ?? []).map((handle) => JSON.stringify(handle));
  found.wrongHandles = whole.filter((handle) => !written.has(handle)).length;
  found.lostHandles = handles.length - whole.length + found.wrongHandles;
  const report = await told(() => store.verify());
  const { damaged = [], missing = [], damagedHandles = [] } = report ?? {};
  found.isTold ||= page?.damaged !== undefined;
  found.isTold ||= damaged.length + missing.length + damagedHandles.length > 0;
  return found;
}
