import { spawnSync } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

/** A megabyte that looks like noise and is the same on every run. */
const noise = Buffer.concat(
  Array.from({ length: 2 ** 14 }, (_, index) =>
    createHmac("sha512", "noise").update(String(index)).digest(),
  ),
);

/** Bytes that differ for each index and size, with their SHA-256. */
export function contentOf(index, sizeBytes) {
  const bytes = Buffer.allocUnsafeSlow(sizeBytes);
  for (let at = 0; at < sizeBytes; at += noise.length)
    noise.copy(bytes, at, 0, Math.min(noise.length, sizeBytes - at));
  bytes.write(`${index}/${sizeBytes}/`);
  return { bytes, id: createHash("sha256").update(bytes).digest("hex") };
}

export function median(samples) {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)];
}

/** The median of the pairwise ratios of two series of times. Other load on the machine affects both alike. */
export function ratioOf(times, base) {
  return median(times.map((ms, index) => ms / base[index]));
}

/** Flushes pending writes, so that subjects that sync do not pay for those that do not. */
export function settleDisk() {
  if (process.platform !== "win32") spawnSync("sync");
}

// Some subjects run in a few rounds only, because they take most of the time. A server is compared only with its own
// floor.
const hasTurn = ({ isServer, isSynced }, { round, isLong }) =>
  round < 0 || round % (isServer ? 10 : isLong && !isSynced ? 4 : 1) === 0;

/** Groups each row with its floor. Subjects that do not sync come last, by themselves. */
function groupsOf(subjects) {
  const groups = new Map();
  for (const subject of subjects) {
    const key = subject.isSynced ? (subject.group ?? subject.name) : subject.name;
    groups.set(key, [...(groups.get(key) ?? []), subject]);
  }
  return [...groups.values()].sort((a, b) => Number(b[0].isSynced) - Number(a[0].isSynced));
}

/**
 * Puts, then gets, `count` contents of one size, in rounds. Returns `{ put, get }` by name, in milliseconds per call.
 */
export async function measureSize(subjects, { folder, sizeBytes, count, rounds, isFresh }) {
  const results = new Map(subjects.map(({ name }) => [name, { put: [], get: [] }]));
  const perRound = Math.max(1, Math.round(count / rounds));
  const itemsOf = (round) =>
    Array.from({ length: perRound }, (_, at) => contentOf(round * perRound + at, sizeBytes));
  const run = { subjects, results, itemsOf, folder };
  if (isFresh) for (let round = -1; round < rounds; round += 1) await freshRound(run, round);
  else await lastingRounds(run, rounds);
  return results;
}

// Round -1 warms up and is not counted.
async function lastingRounds({ subjects, folder, ...run }, rounds) {
  const opened = await openAll(subjects, folder);
  for (const kind of ["put", "get"]) {
    for (let round = -1; round < rounds; round += 1) {
      const present = subjects.filter((subject) => hasTurn(subject, { round, isLong: false }));
      await oneRound({ ...run, subjects: present, opened, kind }, round);
    }
  }
  await closeAll(opened, folder);
}

// Each round uses a separate store, because long contents would otherwise fill the disk.
async function freshRound({ subjects, folder, ...run }, round) {
  const present = subjects.filter((subject) => hasTurn(subject, { round, isLong: true }));
  const opened = await openAll(present, folder);
  for (const kind of ["put", "get"])
    await oneRound({ ...run, subjects: present, opened, kind }, round);
  await closeAll(opened, folder);
}

async function oneRound({ subjects, opened, results, itemsOf, kind }, round) {
  const items = itemsOf(round);
  const groups = groupsOf(subjects);
  for (const group of groups) {
    // Within a group, the subjects take turns call by call, so that other load affects all alike.
    for (const [index, item] of items.entries()) {
      for (const { name } of (index + round) % 2 === 0 ? group : group.toReversed()) {
        results.get(name)[kind].push(await timeOf(opened.get(name), { kind, item }));
      }
    }
  }
  settleDisk();
  if (round >= 0) return;
  for (const samples of results.values()) samples[kind] = [];
}

async function timeOf(store, { kind, item }) {
  const startedAt = performance.now();
  const value = await (kind === "put" ? store.put(item) : store.get(item.id));
  const ms = performance.now() - startedAt;
  if (kind === "get" && Buffer.compare(value, item.bytes) !== 0)
    throw new Error("Other bytes came back");
  return ms;
}

async function openAll(subjects, folder) {
  const opened = new Map();
  for (const [index, { name, open }] of subjects.entries())
    opened.set(name, await open(path.join(folder, `s${index}`)));
  return opened;
}

async function closeAll(opened, folder) {
  for (const store of opened.values()) {
    await store.close();
    await store.erase?.();
  }
  fs.rmSync(folder, { recursive: true, force: true });
}
