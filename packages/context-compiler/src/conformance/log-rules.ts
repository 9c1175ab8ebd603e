import { ContextCompilerError } from "../context-compiler-error.ts";
import { rejectsWith } from "@ccl/core/conformance";
import assert from "node:assert/strict";
import { expectSameEvents, readAll } from "./expectations.ts";
import { sampleEvents } from "./sample-events.ts";
import type { StoreRule } from "./store-rule.ts";

/** Rules of the log of one session. */
export const logRules: readonly StoreRule[] = [
  {
    name: "a session that is not there is empty",
    async check(store) {
      assert.deepEqual(await store.read("s"), { events: [] });
    },
  },
  {
    name: "events come back to the byte and in order",
    async check(store) {
      await store.append("s", sampleEvents(7), { expectedVersion: 0 });
      await store.append("s", sampleEvents(7, 7), { expectedVersion: 7 });
      expectSameEvents(await readAll(store, "s"), sampleEvents(14));
    },
  },
  {
    name: "append gives the new number of events",
    async check(store) {
      assert.equal(await store.append("s", sampleEvents(3), { expectedVersion: 0 }), 3);
      assert.equal(await store.append("s", sampleEvents(1, 3), { expectedVersion: 3 }), 4);
    },
  },
  {
    name: "an append at another version than the session's is refused whole",
    async check(store) {
      await store.append("s", sampleEvents(3), { expectedVersion: 0 });
      for (const expectedVersion of [0, 2, 4]) {
        await rejectsWith(ContextCompilerError, "conflict", () =>
          store.append("s", sampleEvents(2, 3), { expectedVersion }),
        );
      }
      await rejectsWith(ContextCompilerError, "conflict", () =>
        store.append("new", sampleEvents(1), { expectedVersion: 1 }),
      );
      expectSameEvents(await readAll(store, "s"), sampleEvents(3));
      assert.deepEqual(await store.read("new"), { events: [] });
    },
  },
  {
    name: "of appends at the same version at the same time one wins",
    async check(store) {
      const writers = [1, 2, 3, 4, 5].map((writer) => sampleEvents(2, writer * 10));
      const done = await Promise.allSettled(
        writers.map((own) => store.append("s", own, { expectedVersion: 0 })),
      );
      const winners = writers.filter((_, index) => done[index]?.status === "fulfilled");
      assert.equal(winners.length, 1, "the number of writers that won");
      expectSameEvents(await readAll(store, "s"), winners[0] ?? []);
      for (const outcome of done) {
        if (outcome.status === "rejected")
          await rejectsWith(ContextCompilerError, "conflict", () => Promise.reject(outcome.reason));
      }
    },
  },
  {
    name: "an append of no events changes nothing and creates nothing",
    async check(store) {
      assert.equal(await store.append("s", [], { expectedVersion: 0 }), 0);
      assert.deepEqual((await store.listSessions()).sessionIds, []);
      await store.append("s", sampleEvents(1), { expectedVersion: 0 });
      assert.equal(await store.append("s", [], { expectedVersion: 1 }), 1);
      await rejectsWith(ContextCompilerError, "conflict", () =>
        store.append("s", [], { expectedVersion: 0 }),
      );
    },
  },
  {
    name: "pages hold as many events as asked for, and the last has no cursor",
    async check(store) {
      await store.append("s", sampleEvents(9), { expectedVersion: 0 });
      for (const limit of [1, 3, 4, 9, 10]) {
        expectSameEvents(await readAll(store, "s", limit), sampleEvents(9));
        const first = await store.read("s", { limit });
        assert.equal(first.events.length, Math.min(limit, 9));
        assert.equal(first.cursor === undefined, limit >= 9, `a cursor after ${limit} of 9`);
      }
    },
  },
  {
    name: "a cursor goes on where its page ended, though events were added",
    async check(store) {
      await store.append("s", sampleEvents(4), { expectedVersion: 0 });
      const first = await store.read("s", { limit: 3 });
      await store.append("s", sampleEvents(4, 4), { expectedVersion: 4 });
      assert.ok(first.cursor !== undefined);
      const second = await store.read("s", { limit: 10, cursor: first.cursor });
      expectSameEvents([...first.events, ...second.events], sampleEvents(8));
    },
  },
  {
    name: "a page without a limit holds 1,000 events",
    async check(store) {
      await store.append("s", sampleEvents(1_001), { expectedVersion: 0 });
      assert.equal((await store.read("s")).events.length, 1_000);
      expectSameEvents(await readAll(store, "s"), sampleEvents(1_001));
    },
  },
  {
    name: "an event of a megabyte comes back whole",
    async check(store) {
      const [event] = sampleEvents(1);
      assert.ok(event?.kind === "user_input");
      const large = { ...event, data: { content: "грёза\n".repeat(100_000) } };
      await store.append("s", [large], { expectedVersion: 0 });
      expectSameEvents(await readAll(store, "s"), [large]);
    },
  },
  {
    name: "what the caller does with its lists reaches no log",
    async check(store) {
      const given = sampleEvents(2);
      await store.append("s", given, { expectedVersion: 0 });
      given.length = 0;
      (await store.read("s")).events.pop();
      expectSameEvents(await readAll(store, "s"), sampleEvents(2));
    },
  },
  {
    name: "an event that was changed behind the store's back is reported",
    needs: "damage",
    async check(store, { damage }) {
      await store.append("s", sampleEvents(3), { expectedVersion: 0 });
      await damage(store, "s");
      await rejectsWith(ContextCompilerError, "store_damaged", () => readAll(store, "s"));
    },
  },
];
