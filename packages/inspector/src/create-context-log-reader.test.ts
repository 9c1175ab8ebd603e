import {
  appendFile,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sha256Hex } from "@ccl/core";
import type { ContextPart, ContextRecord } from "@ccl/core/tracing";
import { array, assert, asyncProperty, constantFrom, option, record } from "fast-check";
import { expect, it, onTestFinished } from "vitest";

import { createContextLogReader } from "./create-context-log-reader.ts";
import { recordTo } from "./record-to.ts";

const partOf = (text: string): ContextPart => ({ kind: "user", tokens: text.length, text });
const recordOf = (id: string, ...texts: string[]): ContextRecord => ({
  id,
  session: "s",
  source: "fitMessages",
  timeMs: 1,
  parts: texts.map(partOf),
});
const line = (given: ContextRecord, kept: number, after?: string): string =>
  `\n${JSON.stringify({ ...given, parts: given.parts.slice(kept), kept, after })}\n`;

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "ccl-records-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

it("reads each line once, even during concurrent reads, and an incomplete line once it is complete", async () => {
  const folder = await createFolder();
  const path = join(folder, "s.jsonl");
  const read = createContextLogReader(folder);
  const texts = async () =>
    (await read()).get("s")?.map(({ parts }) => parts.map((one) => one.text));
  expect(await texts()).toBeUndefined();
  const next = line(recordOf("2", "a", "Привет 👋"), 1, "1");
  await writeFile(path, line(recordOf("1", "a"), 0) + next.slice(0, -12));
  expect(await Promise.all([texts(), texts()])).toEqual([[["a"]], [["a"]]]);
  const before = (await read()).get("s");
  expect((await read()).get("s")).toBe(before);
  const first = before?.[0];
  await appendFile(path, `${next.slice(-12)}no JSON\n${line(recordOf("3", "a", "b"), 1, "lost")}`);
  expect(await texts()).toEqual([["a"], ["a", "Привет 👋"]]);
  const grown = (await read()).get("s");
  expect(grown?.[0]).toBe(first);
  expect((await read()).get("s")).toBe(grown);
  await appendFile(path, line(recordOf("4", "d"), 0));
  expect((await read()).get("s")).not.toBe(grown);
  expect(grown).toHaveLength(2);
});

it("starts again if a log became shorter", async () => {
  const folder = await createFolder();
  const path = join(folder, "s.jsonl");
  const read = createContextLogReader(folder);
  await writeFile(path, line(recordOf("1", "a"), 0) + line(recordOf("2", "b"), 0));
  expect((await read()).get("s")).toHaveLength(2);
  await writeFile(path, line(recordOf("3", "c"), 0));
  expect((await read()).get("s")?.map(({ parts }) => parts[0]?.text)).toEqual(["c"]);
});

it("starts again if a log was replaced by a longer one, and skips a file that is gone", async () => {
  const folder = await createFolder();
  const read = createContextLogReader(folder);
  await writeFile(join(folder, "s.jsonl"), line(recordOf("1", "a"), 0));
  await symlink(join(folder, "gone"), join(folder, "t.jsonl"));
  expect([...(await read()).keys()]).toEqual(["s"]);
  await writeFile(join(folder, "new"), line(recordOf("2", "b".repeat(99)), 0).repeat(2));
  await rename(join(folder, "new"), join(folder, "s.jsonl"));
  expect((await read()).get("s")?.map(({ id }) => id)).toEqual(["2"]);
});

const text = constantFrom("a", "b", "c", "long ".repeat(99));
const part = record({
  kind: constantFrom("user" as const, "result" as const),
  tokens: constantFrom(1, 2),
  text,
  handle: option(text, { nil: undefined }),
  sent: option(record({ form: constantFrom("cut", "dropped"), tokens: constantFrom(0, 1), text }), {
    nil: undefined,
  }),
});

it("restores what two programs recorded, in any interleaving", async () => {
  const prompt = record({
    id: constantFrom("1", "2", "3", "4"),
    session: constantFrom("s", "S", "../up"),
    log: constantFrom(0, 1),
    parts: array(part, { maxLength: 6 }),
  });
  const run = asyncProperty(array(prompt, { maxLength: 12 }), async (prompts) => {
    const folder = await createFolder();
    const logs = [0, 1].map(() => recordTo(folder, { texts: true }));
    const wanted = new Map<string, Map<string, readonly ContextPart[]>>();
    for (const { log, parts, session, id: given } of prompts) {
      const id = `${session} ${given}`;
      logs[log]?.add({ id, session, source: "compile", timeMs: 1, parts });
      await logs[log]?.close();
      wanted.set(session, (wanted.get(session) ?? new Map()).set(id, parts));
    }
    const found = [...(await createContextLogReader(folder)()).values()].map(
      (records) =>
        [
          records[0]?.session,
          records.map(({ id, parts }) => [id, parts.map(withoutHashes)]),
        ] as const,
    );
    expect(new Map(found)).toEqual(
      new Map(
        [...wanted].map(([session, parts]) => [
          session,
          [...parts].map(([id, all]) => [id, all.map(withoutHashes)]),
        ]),
      ),
    );
  });
  await assert(run);
});

function withoutHashes(part: ContextPart): unknown {
  const { sent } = part;
  return JSON.parse(
    JSON.stringify({ ...part, hash: undefined, sent: sent && { ...sent, hash: undefined } }),
  );
}

it("stores only sizes and hashes by default, and never a secret with `texts`", async () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const given = recordOf("1", `the token is ${secret}`, "");
  for (const [texts, said] of [
    [false, undefined],
    [true, expect.stringContaining("the token is")],
  ] as const) {
    const folder = await createFolder();
    const log = recordTo(folder, { texts });
    log.add(given);
    expect(await log.close()).toBe(true);
    const [name = ""] = await readdir(folder);
    expect(await readFile(join(folder, name), "utf8")).not.toContain(secret);
    const [read] = (await createContextLogReader(folder)()).get("s") ?? [];
    expect(read?.parts[0]?.hash).toBe(sha256Hex(`the token is ${secret}`));
    expect(read?.parts[0]?.text).toEqual(said);
    expect(read?.parts[1]?.hash).toBeUndefined();
  }
});

it("reports a lost line, and starts again with the next one", async () => {
  const folder = await createFolder();
  const log = recordTo(folder, { texts: true });
  await rm(folder, { recursive: true });
  log.add(recordOf("1", "a"));
  expect(await log.close()).toBe(false);
  recordTo(folder);
  log.add(recordOf("2", "a", "b"));
  await log.close();
  expect((await createContextLogReader(folder)()).get("s")?.map(({ id }) => id)).toEqual(["2"]);
  const file = join(folder, "file");
  await writeFile(file, "");
  expect(() => recordTo(join(file, "below"))).toThrow("ENOTDIR");
});

it("restores what a program recorded after a record that another program replaced", async () => {
  const folder = await createFolder();
  const [one, other] = [recordTo(folder, { texts: true }), recordTo(folder, { texts: true })];
  one.add(recordOf("a", "first"));
  await one.close();
  other.add(recordOf("a"));
  await other.close();
  one.add(recordOf("b", "first", "second"));
  await one.close();
  const records = [...(await createContextLogReader(folder)()).values()].flat();
  expect(records.map(({ parts }) => parts.map(({ text }) => text))).toEqual([
    [],
    ["first", "second"],
  ]);
});
