import { copyFile, cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createMemoryRecords } from "@ccl/records";
import { type NodeRecordsPlace, openRecords } from "@ccl/records/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { SessionEvent } from "../event/session-event.ts";
import { createMemorySessionStore, createSessionStore } from "./create-session-store.ts";

const fixtures = join(import.meta.dirname, "__fixtures__");
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-sessions-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function eventsOf(count: number): SessionEvent[] {
  return Array.from({ length: count }, (_, at) => ({
    kind: "user_input",
    data: { content: `question ${at} 🙂 ж` },
    eventId: `e${at}`,
    timestamp: at,
    tokens: at,
  }));
}

describe("createSessionStore", () => {
  it("rejects ids and keys that are empty, too long, or contain control characters", async () => {
    const store = createMemorySessionStore();
    const refused = { code: "invalid_options" };
    for (const name of ["", "x".repeat(201), "a\nb", "a\u0000b", "\ud83d"]) {
      const calls = [
        store.append(name, eventsOf(1), { expectedVersion: 0 }),
        store.read(name),
        store.saveState("s", { key: name, json: "1" }),
        store.loadState("s", name),
        store.deleteSession(name),
      ];
      for (const call of calls) await expect(call).rejects.toMatchObject(refused);
    }
  });

  it("lists sessions with events, and no other records", async () => {
    const records = createMemoryRecords();
    const store = createSessionStore(records);
    await records.write([
      { append: "other", entries: [1] },
      { append: "session", entries: [1] },
    ]);
    await store.saveState("state alone", { key: "a", json: "1" });
    for (const id of ["b", "a/1", "a"]) await store.append(id, eventsOf(1), { expectedVersion: 0 });
    const first = await store.listSessions({ limit: 2 });
    expect(first).toEqual({ sessionIds: ["a", "a/1"], cursor: "a/1" });
    expect(await store.listSessions({ cursor: first.cursor })).toEqual({ sessionIds: ["b"] });
  });

  it("deletes a session with its state, and returns whether there was one", async () => {
    const store = createMemorySessionStore();
    await store.append("s", eventsOf(3), { expectedVersion: 0 });
    await store.saveState("s", { key: "a", json: "1" });
    expect(await store.deleteSession("s")).toBe(true);
    expect(await store.deleteSession("s")).toBe(false);
    expect(await store.read("s")).toEqual({ events: [] });
    expect(await store.loadState("s", "a")).toBeUndefined();
    expect(await store.append("s", eventsOf(1), { expectedVersion: 0 })).toBe(1);
  });

  it("keeps states of a session that are saved concurrently", async () => {
    const store = createMemorySessionStore();
    const keys = ["a", "b", "__proto__", "toString", "d"];
    await Promise.all(keys.map((key) => store.saveState("s", { key, json: `"${key}"` })));
    expect(await Promise.all(keys.map((key) => store.loadState("s", key)))).toEqual(
      keys.map((key) => `"${key}"`),
    );
    await store.saveState("s", { key: "a", json: undefined });
    expect(await store.loadState("s", "a")).toBeUndefined();
    expect(await store.loadState("s", "b")).toBe('"b"');
  });

  it("returns events page by page, and rejects an invalid entry", async () => {
    const records = createMemoryRecords();
    const store = createSessionStore(records);
    await store.append("s", eventsOf(3), { expectedVersion: 0 });
    expect(await store.read("s", { limit: 2 })).toEqual({
      events: eventsOf(2),
      cursor: "2",
    });
    expect(await store.read("s", { cursor: "2" })).toEqual({ events: eventsOf(3).slice(2) });
    await records.write([{ append: "session/s", entries: [{ kind: "none" }] }]);
    await expect(store.read("s")).rejects.toMatchObject({ code: "invalid_event" });
  });
});

// Files that earlier versions of this package wrote, before sessions were records.
describe.each([
  [
    "SQLite file",
    "1",
    async (): Promise<NodeRecordsPlace> => {
      const path = join(folder, "sessions.db");
      await copyFile(join(fixtures, "sessions.db"), path);
      return { sqlite: { path } };
    },
  ],
  [
    "folder of JSON lines",
    // Its file name does not reveal the session.
    undefined,
    async (): Promise<NodeRecordsPlace> => {
      const own = join(folder, "sessions");
      await cp(join(fixtures, "sessions"), own, { recursive: true });
      return { folder: own };
    },
  ],
])("sessions of an earlier %s", (_kind, stateAlone, prepare) => {
  it("are migrated once, on open, and damage is still reported", async () => {
    const place = await prepare();
    for (const count of [3, 4]) {
      const records = await openRecords(place);
      const store = createSessionStore(records);
      const { sessionIds } = await store.listSessions();
      expect(sessionIds).toEqual(["damaged", "plain", "Сессия / 1"]);
      expect(await store.read("plain")).toEqual({ events: eventsOf(5) });
      expect(await store.loadState("plain", "cut")).toBe('{"of":"plain"}');
      expect(await store.loadState("only state", "a")).toBe(stateAlone);
      await expect(store.read("damaged")).rejects.toMatchObject({
        code: "damaged",
        details: { position: 2 },
      });
      expect((await store.read("damaged", { limit: 2 })).events).toEqual(eventsOf(2));
      expect((await store.read("damaged", { cursor: "3" })).events).toEqual(eventsOf(4).slice(3));
      expect((await store.read("Сессия / 1")).events).toEqual(eventsOf(count));
      await store.append("Сессия / 1", eventsOf(count + 1).slice(count), {
        expectedVersion: count,
      });
      await records.close();
    }
    expect(
      (await readdir(folder, { recursive: true })).filter((name) => name.endsWith("jsonl")),
    ).toEqual([]);
  });
});
