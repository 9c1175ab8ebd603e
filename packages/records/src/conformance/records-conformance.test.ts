import { describe, expect, it } from "vitest";

import { createMemoryKeyValue } from "../key-value/create-memory-key-value.ts";
import type { KeyValue } from "../key-value/key-value.ts";
import { openRecords } from "../open-records.ts";
import type { Records } from "../records/records.ts";
import { recordsConformance } from "./index.ts";

const databases = new WeakMap<Records, KeyValue>();

async function open(database: KeyValue): Promise<Records> {
  const records = await openRecords({ keyValue: database });
  databases.set(records, database);
  return records;
}

async function failures(fault: (sound: KeyValue) => Partial<KeyValue>): Promise<string[]> {
  const again = (records: Records) => open(databases.get(records) ?? createMemoryKeyValue());
  const rules = recordsConformance({
    open: async () => {
      const sound = createMemoryKeyValue();
      return open({ ...sound, ...fault(sound) });
    },
    reopen: async (records) => {
      await records.close();
      return again(records);
    },
    openSecond: again,
  });
  const failed: string[] = [];
  for (const { name, run } of rules) await run().catch(() => failed.push(name));
  return failed;
}

const cutBytes = 512 * 1024;
const cutText = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : Buffer.from(text).subarray(0, cutBytes).toString();
const all = { from: "", before: "\u007f", limit: Infinity };

/** A fault of a database, and the rule that names it. */
const faults: [name: string, rule: string, fault: (sound: KeyValue) => Partial<KeyValue>][] = [
  [
    "lists the first 1,000 keys only",
    "a list of 2,500 records has all of them",
    (sound) => ({
      list: async ({ from, before, limit }) =>
        (await sound.list({ ...all, limit: 1_000 }))
          .filter(([key]) => key >= from && key < before)
          .slice(0, limit),
    }),
  ],
  [
    "begins its pages of 100 keys at the start each time",
    "a page has as many records as were asked for",
    (sound) => ({
      list: async ({ from, before, limit }) => {
        const page = await sound.list({ from, before, limit: Math.min(limit, 100) });
        return page.length === 100 && from.length > 6 ? sound.list({ ...all, limit: 100 }) : page;
      },
    }),
  ],
  [
    "takes letters of either case for one",
    "names that look alike are apart",
    (sound) => withKeys(sound, (key) => key.toLowerCase()),
  ],
  [
    "cuts texts at 512 KiB",
    "a value of 3 MiB with characters of any length comes back whole",
    (sound) => ({
      get: async (keys) => (await sound.get(keys)).map(cutText),
    }),
  ],
  [
    "stores texts as Latin-1",
    "every JSON value comes back as it was",
    (sound) => ({
      get: async (keys) =>
        (await sound.get(keys)).map(
          (text) => text && Buffer.from(text, "latin1").toString("latin1"),
        ),
    }),
  ],
  [
    "resolves before it writes",
    "a read sees the write before it",
    (sound) => {
      let late: Promise<unknown> = Promise.resolve();
      return {
        commit: async (commit) => {
          const before = late;
          await before;
          const isDone = (await sound.get(commit.checks.map(([key]) => key))).every(
            (text, at) => text === commit.checks[at]?.[1],
          );
          if (isDone)
            late = new Promise((resolve) => setImmediate(() => resolve(sound.commit(commit))));
          return isDone;
        },
      };
    },
  ],
  [
    "loses every write without a check",
    "entries come back in their order, page by page",
    (sound) => ({
      commit: ({ checks, writes }) => {
        const keys = new Set(checks.map(([key]) => key));
        return sound.commit({ checks, writes: writes.filter(([key]) => keys.has(key)) });
      },
    }),
  ],
  [
    "does not look at checks",
    "of writers of one version at the same time one wins",
    (sound) => ({
      commit: ({ writes }) => sound.commit({ checks: [], writes }),
    }),
  ],
  [
    "writes in spite of a check that fails",
    "of writers of one version at the same time one wins",
    (sound) => ({
      commit: async ({ checks, writes }) => {
        const isDone = await sound.commit({ checks, writes });
        if (!isDone) await sound.commit({ checks: [], writes: writes.slice(0, 1) });
        return isDone;
      },
    }),
  ],
  [
    "caches what it has read",
    "a read sees the write before it",
    (sound) => {
      const cache = new Map<string, string | undefined>();
      return {
        get: async (keys) => {
          const texts = await sound.get(keys);
          for (const [at, key] of keys.entries())
            if (!cache.has(key) && texts[at] !== undefined) cache.set(key, texts[at]);
          return keys.map((key) => cache.get(key));
        },
      };
    },
  ],
  [
    "lists a stale copy",
    "two handles see each other's writes, and of two writers of one version one wins",
    (sound) => {
      let copy: ReturnType<KeyValue["list"]> | undefined;
      return {
        list: async ({ from, before, limit }) => {
          copy ??= Promise.resolve(sound.list(all));
          return (await copy).filter(([key]) => key >= from && key < before).slice(0, limit);
        },
      };
    },
  ],
  [
    "keeps removed keys as empty texts",
    "a removed record is gone, and begins at version 1 again",
    (sound) => ({
      commit: ({ checks, writes }) =>
        sound.commit({ checks, writes: writes.map(([key, text]) => [key, text ?? ""]) }),
    }),
  ],
  [
    "never removes",
    "a removed record is gone, and begins at version 1 again",
    (sound) => ({
      commit: ({ checks, writes }) =>
        sound.commit({ checks, writes: writes.filter(([, text]) => text !== undefined) }),
    }),
  ],
  [
    "lists backwards",
    "records are listed in the order of their code units, page by page",
    (sound) => ({
      list: async (range) => [...(await sound.list(range))].reverse(),
    }),
  ],
  [
    "leaves out the first key of a range",
    "entries come back in their order, page by page",
    (sound) => ({
      list: (range) => sound.list({ ...range, from: `${range.from} ` }),
    }),
  ],
  [
    "gives texts in the order of the sorted keys",
    "two handles see each other's writes, and of two writers of one version one wins",
    (sound) => ({
      get: (keys) => sound.get(keys.toSorted()),
    }),
  ],
];

function withKeys(sound: KeyValue, mapped: (key: string) => string): Partial<KeyValue> {
  const entries = (list: readonly (readonly [string, string | undefined])[]) =>
    list.map(([key, text]) => [mapped(key), text] as const);
  return {
    get: (keys) => sound.get(keys.map(mapped)),
    commit: ({ checks, writes }) =>
      sound.commit({ checks: entries(checks), writes: entries(writes) }),
  };
}

describe("recordsConformance", () => {
  it("finds nothing wrong with a sound database", async () => {
    expect(await failures(() => ({}))).toEqual([]);
  });

  it.each(faults)("a database that %s fails the rule that names it", async (_name, rule, fault) => {
    expect(await failures(fault)).toContain(rule);
  });
});
