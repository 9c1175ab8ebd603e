import { cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Records } from "../records/records.ts";
import { type NodeRecordsPlace, openRecords, salvageRecords } from "./index.ts";
import { byLength, isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

const runs = byLength({ test: 20, ci: 60, faults: 1_000 });
const entryCount = 120;
const recordCount = 60;
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-records-damage-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const textOf = (at: number): string => `${at} ${"ж🙂".repeat(at % 50)}`;

async function fill(records: Records): Promise<void> {
  for (let at = 0; at < entryCount; at += 4)
    await records.write([
      { append: "log", entries: [at, at + 1, at + 2, at + 3].map(textOf) },
      { put: `r${at % recordCount}`, value: textOf(at) },
      { put: `r${(at + 1) % recordCount}`, value: textOf(at + 1) },
    ]);
}

/** All that can be read, as JSON; each value that was never written fails. */
async function contentOf(records: Records): Promise<{ entries: unknown[]; records: unknown[] }> {
  const { entries } = await records.readLog("log");
  const found = (await records.list({ limit: 1_000 })).records;
  for (const value of [...entries, ...found.map((one) => one.value)])
    expect(value).toBe(textOf(Number.parseInt(String(value), 10)));
  return { entries, records: found.map(({ name, value }) => `${name}=${String(value)}`) };
}

const damage = fc.record({
  kind: fc.constantFrom("flip", "zeros", "cut", "gone"),
  place: fc.noBias(fc.nat({ max: 999_999 })).map((place) => place / 1_000_000),
  bytes: fc.integer({ min: 1, max: 64 }),
  bit: fc.nat({ max: 7 }),
});

function damaged(
  bytes: Buffer,
  { kind, place, bytes: length, bit }: { kind: string; place: number; bytes: number; bit: number },
): Buffer {
  const at = Math.floor(place * bytes.length);
  if (kind === "cut") return bytes.subarray(0, at);
  if (kind === "gone") return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
  const copy = Buffer.from(bytes);
  if (kind === "zeros") copy.fill(0, at, Math.min(at + length, copy.length));
  else copy[at] = (copy[at] ?? 0) ^ (1 << bit);
  return copy;
}

describe.each([
  [
    "SQLite",
    "state.db",
    (path: string): NodeRecordsPlace => ({
      sqlite: { path: join(path, "state.db"), durability: "off" },
    }),
  ],
  [
    "a folder",
    "records.log",
    (path: string): NodeRecordsPlace => ({ folder: path, durability: "off" }),
  ],
])("damage in %s", (kind, file, placeOf) => {
  let sound = "";
  let whole: { entries: unknown[]; records: unknown[] };
  beforeAll(async () => {
    sound = await mkdtemp(join(folder, "sound-"));
    const records = await openRecords(placeOf(sound));
    await fill(records);
    whole = await contentOf(records);
    await records.close();
  });

  it(
    "is reported, and everything that is whole comes back",
    { timeout: runs * 2_000 },
    async () => {
      const original = await readFile(join(sound, file));
      let [reported, unreachable] = [0, 0];
      await fc.assert(
        fc.asyncProperty(damage, async (how) => {
          const bytes = damaged(original, how);
          if (bytes.equals(original)) return;
          const broken = await mkdtemp(join(folder, "broken-"));
          const target = await mkdtemp(join(folder, "target-"));
          try {
            await cp(sound, broken, { recursive: true });
            await writeFile(join(broken, file), bytes);
            const outcome = await salvageRecords({
              from: placeOf(broken),
              to: { folder: target },
            }).catch((error: unknown) => error);
            if (outcome instanceof Error) {
              // SQLite itself can't open it.
              if (kind !== "SQLite") throw outcome;
              unreachable += 1;
              return;
            }
            const records = await openRecords({ folder: target });
            const copy = await contentOf(records);
            await records.close();
            const isSame = JSON.stringify(copy) === JSON.stringify(whole);
            const { lost } = Object(outcome);
            reported += lost.length > 0 ? 1 : 0;
            // Bytes that hold nothing may change without a loss.
            expect(isSame || lost.length > 0).toBe(true);
            // One place of up to 64 bytes lies in two entries or records, or in three with the head that counts them.
            const isLocal = kind === "a folder" && how.kind !== "cut";
            expect(!isLocal || copy.entries.length >= entryCount - 3).toBe(true);
          } finally {
            await rm(broken, { recursive: true });
            await rm(target, { recursive: true });
          }
        }),
        { numRuns: runs },
      );
      expect(reported).toBeGreaterThan(0);
      if (isAtLeast("faults"))
        console.log(`${kind}: ${runs} damages, ${reported} reported, ${unreachable} not opened`);
    },
  );

  it("is not found where there is none", async () => {
    const target = await mkdtemp(join(folder, "target-"));
    const report = await salvageRecords({ from: placeOf(sound), to: { folder: target } });
    expect(report).toEqual({ records: whole.records.length, entries: entryCount, lost: [] });
    await expect(
      salvageRecords({ from: placeOf(sound), to: { folder: target } }),
    ).rejects.toMatchObject({ code: "invalid_options" });
  });

  it("of a file that is empty is no new file", async () => {
    const empty = await mkdtemp(join(folder, "empty-"));
    await cp(sound, empty, { recursive: true });
    await truncate(join(empty, file), 0);
    await expect(openRecords(placeOf(empty))).rejects.toMatchObject({ code: "damaged" });
    expect((await stat(join(empty, file))).size).toBe(0);
    expect((await readdir(empty)).includes(file)).toBe(true);
  });
});
