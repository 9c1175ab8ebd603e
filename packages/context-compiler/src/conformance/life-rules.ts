import { ContextCompilerError } from "../context-compiler-error.ts";
import { rejectsWith } from "@ccl/core/conformance";
import assert from "node:assert/strict";
import { expectSameEvents, readAll } from "./expectations.ts";
import { sampleEvents } from "./sample-events.ts";
import type { StoreRule } from "./store-rule.ts";

const badNames = ["", "x".repeat(201), "a\nb", "a\u0000b", "\uD83D"];

/** Rules of input, cancelling, closing, and of what outlives a store. */
export const lifeRules: readonly StoreRule[] = [
  {
    name: "ids and keys that are empty, too long, or hold control characters are refused",
    async check(store) {
      for (const name of badNames) {
        await rejectsWith(ContextCompilerError, "invalid_options", () =>
          store.append(name, sampleEvents(1), { expectedVersion: 0 }),
        );
        await rejectsWith(ContextCompilerError, "invalid_options", () => store.read(name));
        await rejectsWith(ContextCompilerError, "invalid_options", () =>
          store.saveState("s", { key: name, json: "1" }),
        );
        await rejectsWith(ContextCompilerError, "invalid_options", () =>
          store.loadState("s", name),
        );
        await rejectsWith(ContextCompilerError, "invalid_options", () => store.deleteSession(name));
      }
    },
  },
  {
    name: "versions, limits and cursors out of bounds are refused",
    async check(store) {
      for (const expectedVersion of [-1, 0.5, Number.NaN]) {
        await rejectsWith(ContextCompilerError, "invalid_options", () =>
          store.append("s", sampleEvents(1), { expectedVersion }),
        );
      }
      await store.append("s", sampleEvents(1), { expectedVersion: 0 });
      for (const limit of [0, -1, 1.5, 10_001])
        await rejectsWith(ContextCompilerError, "invalid_options", () =>
          store.read("s", { limit }),
        );
      for (const limit of [0, 1_001])
        await rejectsWith(ContextCompilerError, "invalid_options", () =>
          store.listSessions({ limit }),
        );
      await rejectsWith(ContextCompilerError, "invalid_options", () =>
        store.read("s", { cursor: "1; drop" }),
      );
    },
  },
  {
    name: "a call whose signal is aborted changes nothing",
    async check(store) {
      const signal = AbortSignal.abort();
      await rejectsWith(ContextCompilerError, "aborted", () =>
        store.append("s", sampleEvents(1), { expectedVersion: 0, signal }),
      );
      await rejectsWith(ContextCompilerError, "aborted", () =>
        store.saveState("s", { key: "a", json: "1" }, { signal }),
      );
      await rejectsWith(ContextCompilerError, "aborted", () => store.read("s", { signal }));
      assert.deepEqual(await store.read("s"), { events: [] });
      assert.equal(await store.loadState("s", "a"), undefined);
      await store.append("s", sampleEvents(1), { expectedVersion: 0 });
      await rejectsWith(ContextCompilerError, "aborted", () =>
        store.deleteSession("s", { signal }),
      );
      assert.equal((await store.read("s")).events.length, 1);
    },
  },
  {
    name: "a closed store refuses every call, and closes twice",
    async check(store) {
      await store.append("s", sampleEvents(1), { expectedVersion: 0 });
      await store.close();
      await store.close();
      await rejectsWith(ContextCompilerError, "closed", () =>
        store.append("s", sampleEvents(1, 1), { expectedVersion: 1 }),
      );
      await rejectsWith(ContextCompilerError, "closed", () => store.read("s"));
      await rejectsWith(ContextCompilerError, "closed", () => store.listSessions());
      await rejectsWith(ContextCompilerError, "closed", () => store.loadState("s", "a"));
      await rejectsWith(ContextCompilerError, "closed", () =>
        store.saveState("s", { key: "a", json: "1" }),
      );
      await rejectsWith(ContextCompilerError, "closed", () => store.deleteSession("s"));
    },
  },
  {
    name: "events and state outlive the store",
    needs: "reopen",
    async check(store, { reopen }) {
      await store.append("s", sampleEvents(5), { expectedVersion: 0 });
      await store.saveState("s", { key: "a", json: "1" });
      const again = await reopen(store);
      try {
        expectSameEvents(await readAll(again, "s"), sampleEvents(5));
        assert.equal(await again.loadState("s", "a"), "1");
        assert.deepEqual(await again.listSessions(), { sessionIds: ["s"] });
        assert.equal(await again.append("s", sampleEvents(1, 5), { expectedVersion: 5 }), 6);
        expectSameEvents(await readAll(again, "s"), sampleEvents(6));
      } finally {
        await again.close();
      }
    },
  },
  {
    name: "of two handles that write one session one wins, and the other reads what was written",
    needs: "openSecond",
    async check(store, { openSecond }) {
      await store.append("s", sampleEvents(1), { expectedVersion: 0 });
      const second = await openSecond(store);
      try {
        const one = sampleEvents(2, 10);
        const two = sampleEvents(2, 20);
        const done = await Promise.allSettled([
          store.append("s", one, { expectedVersion: 1 }),
          second.append("s", two, { expectedVersion: 1 }),
        ]);
        assert.deepEqual(done.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
        const [first, other] = done;
        const loser = first.status === "rejected" ? first : other;
        if (loser.status === "rejected")
          await rejectsWith(ContextCompilerError, "conflict", () => Promise.reject(loser.reason));
        const winner = first.status === "fulfilled" ? one : two;
        expectSameEvents(await readAll(second, "s"), [...sampleEvents(1), ...winner]);
        expectSameEvents(await readAll(store, "s"), [...sampleEvents(1), ...winner]);
      } finally {
        await second.close();
      }
    },
  },
];
