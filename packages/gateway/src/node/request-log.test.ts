import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { createRequestLogReader } from "./request-log.ts";

const numbers = { timeMs: 1, durationMs: 1, usd: 0, directUsd: 0, unchanged: 0 };
const line = (kept: number, ...texts: string[]): string => {
  const items = texts.map((text) => ({ kind: "user", tokens: 1, text }));
  const rest = { session: "s", reported: {}, kept, items, shown: [] };
  return `\n${JSON.stringify({ ...numbers, ...rest })}\n`;
};

async function folderWithLog(): Promise<{ folder: string; path: string }> {
  const folder = await mkdtemp(join(tmpdir(), "ccl-requests-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return { folder, path: join(folder, "s.jsonl") };
}

it("reads each line once, also of two readings at a time, and one that is not whole when it is", async () => {
  const { folder, path } = await folderWithLog();
  const read = createRequestLogReader(folder);
  const texts = async () =>
    (await read()).get("s")?.map(({ items }) => items.map((one) => one.text));
  expect(await texts()).toBeUndefined();
  const next = line(1, "Привет 👋");
  await writeFile(path, line(0, "a") + next.slice(0, -12));
  expect(await Promise.all([texts(), texts()])).toEqual([[["a"]], [["a"]]]);
  const first = (await read()).get("s")?.[0];
  await appendFile(
    path,
    `${next.slice(-12)}no JSON\n${line(9, "refers to lines that are missing")}`,
  );
  expect(await texts()).toEqual([["a"], ["a", "Привет 👋"]]);
  expect((await read()).get("s")?.[0]).toBe(first);
});

it("begins anew where a log became shorter", async () => {
  const { folder, path } = await folderWithLog();
  const read = createRequestLogReader(folder);
  await writeFile(path, line(0, "a") + line(1, "b"));
  expect((await read()).get("s")).toHaveLength(2);
  await writeFile(path, line(0, "c"));
  expect((await read()).get("s")?.map(({ items }) => items[0]?.text)).toEqual(["c"]);
});
