import { createMemoryRecords } from "@ccl/records";
import { expect, it } from "vitest";

import { createRequestLogReader } from "./request-log.ts";

const numbers = { timeMs: 1, durationMs: 1, usd: 0, directUsd: 0, unchanged: 0 };
const entry = (kept: number, ...texts: string[]): object => {
  const items = texts.map((text) => ({ kind: "user", tokens: 1, text }));
  return { ...numbers, session: "s", reported: {}, kept, items, shown: [] };
};
const append = "gateway/requests/s";

it("reads each entry once, also of two readings at a time, and passes over what is none", async () => {
  const records = createMemoryRecords();
  const read = createRequestLogReader(records);
  const texts = async () =>
    (await read()).get("s")?.map(({ items }) => items.map((one) => one.text));
  expect(await texts()).toBeUndefined();
  await records.write([{ append, entries: [entry(0, "a")] }]);
  expect(await Promise.all([texts(), texts()])).toEqual([[["a"]], [["a"]]]);
  const first = (await read()).get("s")?.[0];
  await records.write([
    {
      append,
      entries: [entry(1, "Привет 👋"), {}, entry(9, "refers to entries that are missing")],
    },
  ]);
  expect(await texts()).toEqual([["a"], ["a", "Привет 👋"]]);
  expect((await read()).get("s")?.[0]).toBe(first);
});

it("begins anew where a log became shorter", async () => {
  const records = createMemoryRecords();
  const read = createRequestLogReader(records);
  await records.write([{ append, entries: [entry(0, "a"), entry(1, "b")] }]);
  expect((await read()).get("s")).toHaveLength(2);
  await records.write([{ removeLog: append }]);
  await records.write([{ append, entries: [entry(0, "c")] }]);
  expect((await read()).get("s")?.map(({ items }) => items[0]?.text)).toEqual(["c"]);
});
