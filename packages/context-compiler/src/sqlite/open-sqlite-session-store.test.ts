import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { sessionStoreConformance } from "../conformance/index.ts";
import type { SessionStore } from "../session-store/session-store.ts";
import { openSqliteSessionStore } from "./index.ts";

let folder = "";
let count = 0;
const opened: SqliteDatabase[] = [];
const places = new WeakMap<SessionStore, { path: string; database: SqliteDatabase }>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-sessions-"));
});
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function openAt(path: string): Promise<SessionStore> {
  const database = await openSqlite({ path, durability: "off" });
  opened.push(database);
  const store = await openSqliteSessionStore({ database });
  places.set(store, { path, database });
  return store;
}
const pathOf = (store: SessionStore): string => places.get(store)?.path ?? "";

describe("openSqliteSessionStore", () => {
  const rules = sessionStoreConformance({
    open: async () => openAt(join(folder, `${(count += 1)}.db`)),
    async reopen(store) {
      await store.close();
      places.get(store)?.database.close();
      return openAt(pathOf(store));
    },
    openSecond: (store) => openAt(pathOf(store)),
    async damage(store) {
      const change = `UPDATE ccl_session_events SET event = replace(event, '"tokens":0', '"tokens":9')`;
      places.get(store)?.database.exec(change);
    },
  });
  it.each(rules)("$name", async ({ run }) => expect(await run()).toBeUndefined());

  it("notices an event that is gone", async () => {
    const store = await openAt(join(folder, "gap.db"));
    const data = { content: "x" };
    const events = ["1", "2", "3"].map((eventId) => ({
      kind: "user_input" as const,
      data,
      eventId,
      timestamp: 1,
      tokens: 1,
    }));
    await store.append("s", events, { expectedVersion: 0 });
    places.get(store)?.database.exec("DELETE FROM ccl_session_events WHERE position = 1");
    await expect(store.read("s")).rejects.toMatchObject({ code: "store_damaged" });
  });
});
