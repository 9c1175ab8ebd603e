import { expect, it } from "vitest";

import { createMemoryKeyValue } from "../key-value/create-memory-key-value.ts";
import type { KeyValue } from "../key-value/key-value.ts";
import { salvageRecords } from "../node/index.ts";
import { createRecords } from "./create-records.ts";
import { entryKey, keyOf } from "./stored-key.ts";

async function change(
  database: KeyValue,
  key: string,
  by: (text: string) => string | undefined,
): Promise<void> {
  const [text = ""] = await database.get([key]);
  await database.commit({ checks: [], writes: [[key, by(text)]] });
}

const damage = (text: string): string => `${text}?`;

it("replaces or removes a damaged record only where no version is expected", async () => {
  const database = createMemoryKeyValue();
  const records = createRecords(database);
  await records.write(["a", "b", "c"].map((put) => ({ put, value: put })));
  for (const name of ["a", "b"]) await change(database, keyOf("record", name), damage);
  const refused = [
    { put: "a", value: 1, expectedVersion: 0 },
    { put: "a", value: 1, expectedVersion: 1 },
    { remove: "a", expectedVersion: 1 },
  ];
  for (const one of refused)
    await expect(records.write([{ put: "c", value: 2 }, one])).rejects.toMatchObject({
      code: "damaged",
    });
  const outcomes = await records.write([{ put: "a", value: 1 }, { remove: "b" }]);
  expect(outcomes).toEqual([
    { before: 0, after: 1 },
    { before: 0, after: 0 },
  ]);
  expect(await records.getMany(["a", "b", "c"])).toEqual([
    { name: "a", version: 1, value: 1 },
    undefined,
    { name: "c", version: 1, value: "c" },
  ]);
});

it("lets no change hide a damaged log", async () => {
  const database = createMemoryKeyValue();
  const records = createRecords(database);
  await records.write([{ append: "log", entries: [1, 2] }]);
  await change(database, keyOf("log", "log"), damage);
  for (const one of [{ append: "log", entries: [3] }, { removeLog: "log" }])
    await expect(records.write([one])).rejects.toMatchObject({ code: "damaged" });
});

it("reads a log without its head as empty, and salvages its entries", async () => {
  const database = createMemoryKeyValue();
  const records = createRecords(database);
  await records.write([{ append: "log", entries: [1, 2] }]);
  await change(database, keyOf("log", "log"), () => undefined);
  expect(await records.readLog("log")).toEqual({ entries: [], version: 0 });
  expect(await database.get([entryKey("log", 1)])).not.toEqual([undefined]);
  const to = createMemoryKeyValue();
  const { entries, lost } = await salvageRecords({
    from: { keyValue: database },
    to: { keyValue: to },
  });
  expect({ entries, lost }).toEqual({
    entries: 2,
    lost: ['The head of the log "log" is missing.'],
  });
  expect((await createRecords(to).readLog("log")).entries).toEqual([1, 2]);
});
