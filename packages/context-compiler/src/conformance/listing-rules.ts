import assert from "node:assert/strict";
import { expectSameEvents, readAll } from "./expectations.ts";
import { sampleEvents } from "./sample-events.ts";
import type { StoreRule } from "./store-rule.ts";

/** Ids that a careless store takes for one another, or for a path or a pattern. */
const oddIds = [
  "s",
  "S",
  "s ",
  "s/1",
  "../s",
  "s%",
  "s_",
  "s'",
  "~s",
  "nul",
  "сессия 🙂",
  "x".repeat(200),
  "x".repeat(199),
];

/** Rules of several sessions, and of the state beside them. */
export const listingRules: readonly StoreRule[] = [
  {
    name: "sessions are apart, whatever their ids",
    async check(store) {
      for (const [index, id] of oddIds.entries()) {
        await store.append(id, sampleEvents(1, index), { expectedVersion: 0 });
        await store.saveState(id, { key: "key", json: String(index) });
      }
      for (const [index, id] of oddIds.entries()) {
        expectSameEvents(await readAll(store, id), sampleEvents(1, index));
        assert.equal(await store.loadState(id, "key"), String(index));
      }
    },
  },
  {
    name: "sessions are listed in the order of their code units, page by page",
    async check(store) {
      for (const id of oddIds) await store.append(id, sampleEvents(1), { expectedVersion: 0 });
      const listed: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.listSessions({
          limit: 4,
          cursor,
        });
        assert.ok(page.sessionIds.length <= 4, "a page is too long");
        listed.push(...page.sessionIds);
        ({ cursor } = page);
        assert.ok(cursor === undefined || page.sessionIds.length > 0, "an empty page has a cursor");
        assert.ok(listed.length <= oddIds.length, "the pages do not end");
      } while (cursor !== undefined);
      assert.deepEqual(listed, oddIds.toSorted());
      assert.equal((await store.listSessions({ limit: oddIds.length })).cursor, undefined);
    },
  },
  {
    name: "only sessions with events are listed",
    async check(store) {
      await store.saveState("stateful", { key: "key", json: "1" });
      await store.append("s", sampleEvents(1), { expectedVersion: 0 });
      assert.deepEqual(await store.listSessions(), { sessionIds: ["s"] });
    },
  },
  {
    name: "a deleted session is gone with its state, and can begin anew",
    async check(store) {
      await store.append("s", sampleEvents(3), { expectedVersion: 0 });
      await store.append("t", sampleEvents(2), { expectedVersion: 0 });
      await store.saveState("s", { key: "key", json: "1" });
      await store.saveState("t", { key: "key", json: "2" });
      assert.equal(await store.deleteSession("s"), true);
      assert.deepEqual(await store.read("s"), { events: [] });
      assert.equal(await store.loadState("s", "key"), undefined);
      assert.deepEqual(await store.listSessions(), { sessionIds: ["t"] });
      expectSameEvents(await readAll(store, "t"), sampleEvents(2));
      assert.equal(await store.loadState("t", "key"), "2");
      assert.equal(await store.append("s", sampleEvents(1, 9), { expectedVersion: 0 }), 1);
      expectSameEvents(await readAll(store, "s"), sampleEvents(1, 9));
    },
  },
  {
    name: "deleting says whether there was a session",
    async check(store) {
      assert.equal(await store.deleteSession("s"), false);
      await store.append("s", sampleEvents(1), { expectedVersion: 0 });
      assert.equal(await store.deleteSession("s"), true);
      assert.equal(await store.deleteSession("s"), false);
    },
  },
  {
    name: "state is kept under its key, and the last write wins",
    async check(store) {
      assert.equal(await store.loadState("s", "a"), undefined);
      await store.saveState("s", { key: "a", json: '{"грёза":"🙂"}' });
      await store.saveState("s", { key: "b", json: "" });
      await store.saveState("s", { key: "a", json: "[1]" });
      assert.equal(await store.loadState("s", "a"), "[1]");
      assert.equal(await store.loadState("s", "b"), "");
      assert.equal(await store.loadState("s", "c"), undefined);
    },
  },
  {
    name: "state that is set to undefined is gone",
    async check(store) {
      await store.saveState("s", { key: "a", json: "1" });
      await store.saveState("s", { key: "b", json: "2" });
      await store.saveState("s", { key: "a", json: undefined });
      assert.equal(await store.loadState("s", "a"), undefined);
      assert.equal(await store.loadState("s", "b"), "2");
    },
  },
  {
    name: "state changes no version",
    async check(store) {
      await store.append("s", sampleEvents(1), { expectedVersion: 0 });
      await store.saveState("s", { key: "a", json: "1" });
      assert.equal(await store.append("s", sampleEvents(1, 1), { expectedVersion: 1 }), 2);
      assert.equal(await store.loadState("s", "a"), "1");
    },
  },
];
