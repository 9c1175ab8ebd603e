import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFixedClock, createSequentialIds } from "@ccl/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSession } from "../session/open-session.ts";
import type { Session } from "../session/session.ts";
import type { SessionStore } from "../session-store/session-store.ts";
import { openJsonlSessionStore } from "./open-jsonl-session-store.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-session-log-"));
  path = join(folder, "s.jsonl");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const openStore = (): Promise<SessionStore> => openJsonlSessionStore({ folder, durability: "off" });

async function writeSmallLog(): Promise<Session> {
  const store = await openStore();
  const session = await openSession({
    store,
    sessionId: "s",
    clock: createFixedClock(1),
    ids: createSequentialIds("e"),
  });
  await session.record("user_input", { content: "грёза 🙂\n" });
  const toolCalls = [{ id: "1", name: "t", arguments: "{}" }];
  await session.recordAll([
    { kind: "assistant_message", data: { content: "", toolCalls } },
    { kind: "tool_success", data: { callId: "1", content: "done" } },
  ]);
  await store.close();
  return session;
}

describe("a log that was cut by a crash", () => {
  it("has all whole events at whatever byte it was cut, and goes on", async () => {
    const whole = await writeSmallLog();
    const bytes = await readFile(path);
    const ends = [...bytes.keys()]
      .filter((index) => bytes[index] === 0x0a)
      .map((index) => index + 1);
    expect(ends).toHaveLength(4);
    for (let size = 0; size <= bytes.length; size += 1) {
      await writeFile(path, bytes.subarray(0, size));
      const wholeLines = ends.filter((end) => end <= size);
      const torn = size - (wholeLines.at(-1) ?? 0);
      const store = await openStore();
      const session = await openSession({ store, sessionId: "s" });
      const count = Math.max(0, wholeLines.length - 1);
      expect(session.eventLog.slice()).toEqual(whole.eventLog.slice(0, count));
      expect(session.tornBytes).toBe(torn === 0 ? undefined : torn);
      await session.record("user_input", { content: "after" });
      await store.close();
      const later = await openStore();
      const again = await openSession({ store: later, sessionId: "s" });
      expect(again.eventLog.slice()).toEqual(session.eventLog.slice());
      expect(again.tornBytes).toBeUndefined();
      await later.close();
    }
  });

  it("gives the same messages to the byte when it is read back", async () => {
    const whole = await writeSmallLog();
    const store = await openStore();
    const session = await openSession({ store, sessionId: "s" });
    expect(JSON.stringify(session.messages())).toBe(JSON.stringify(whole.messages()));
    await store.close();
  });

  it("is damaged when any byte of a whole line was changed", async () => {
    await writeSmallLog();
    const bytes = await readFile(path);
    const lastLine = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
    for (let at = 0; at < lastLine; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await writeFile(path, changed);
      const store = await openStore();
      await expect(openSession({ store, sessionId: "s" })).rejects.toMatchObject({
        code: "store_damaged",
      });
      await store.close();
    }
  });

  it.each<[string, (lines: string[]) => string[]]>([
    ["a line is missing", (lines) => lines.toSpliced(1, 1)],
    [
      "lines changed places",
      ([header = "", one = "", two = "", three = ""]) => [header, two, one, three],
    ],
    ["a line stands twice", (lines) => lines.toSpliced(1, 0, lines[1] ?? "")],
    [
      "it is another session's",
      ([header = "", ...rest]) => [header.replace('"s"', '"t"'), ...rest],
    ],
    ["it has no header", ([, ...rest]) => rest],
  ])("is damaged when %s", async (_name, change) => {
    await writeSmallLog();
    const lines = (await readFile(path, "utf8")).split("\n");
    await writeFile(path, `${change(lines.slice(0, -1)).join("\n")}\n`);
    const store = await openStore();
    await expect(openSession({ store, sessionId: "s" })).rejects.toMatchObject({
      code: "store_damaged",
    });
    await expect(store.append("s", [], { expectedVersion: 0 })).rejects.toMatchObject({
      code: "store_damaged",
    });
    expect(await store.deleteSession("s")).toBe(true);
    await store.close();
  });
});

describe("a log that an editor or version control has rewritten", () => {
  const rewrites: [name: string, change: (text: string) => string][] = [
    ["carriage returns before its line feeds", (text) => text.replaceAll("\n", "\r\n")],
    ["a byte order mark", (text) => `\uFEFF${text}`],
    ["blank lines", (text) => `\n \t\n${text.replaceAll("\n", "\n\n  \r\n")}`],
    ["all of these", (text) => `\uFEFF\r\n${text.replaceAll("\n", "\r\n\r\n")}`],
  ];

  it.each(rewrites)(
    "opens with %s, page by page too, and can be written to",
    async (_name, change) => {
      const whole = await writeSmallLog();
      await writeFile(path, change(await readFile(path, "utf8")));
      const store = await openStore();
      const session = await openSession({ store, sessionId: "s" });
      expect(session.eventLog.slice()).toEqual(whole.eventLog.slice());
      expect(session.tornBytes).toBeUndefined();
      const paged = [];
      let cursor: string | undefined;
      do {
        const page = await store.read("s", { limit: 1, cursor });
        paged.push(...page.events);
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(paged).toEqual(whole.eventLog.slice());
      await session.record("user_input", { content: "after" });
      await store.close();
      const later = await openStore();
      const again = await openSession({ store: later, sessionId: "s" });
      expect(again.eventLog.slice()).toEqual(session.eventLog.slice());
      expect((await later.listSessions()).sessionIds).toEqual(["s"]);
      await later.close();
    },
  );

  it.each(rewrites)("loses only an unfinished last line with %s", async (_name, change) => {
    const whole = await writeSmallLog();
    const text = change(await readFile(path, "utf8")).trimEnd();
    await writeFile(path, text.slice(0, -5));
    const store = await openStore();
    const session = await openSession({ store, sessionId: "s" });
    expect(session.eventLog.slice()).toEqual(whole.eventLog.slice(0, -1));
    expect(session.tornBytes).toBeGreaterThan(0);
    await store.close();
  });
});
