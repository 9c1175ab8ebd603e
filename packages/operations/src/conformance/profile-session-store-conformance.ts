import { OperationsError } from "../operations-error.ts";
import {
  type ConformanceRule,
  bindRules,
  type KitRule,
  type ConformanceHooks,
  rejectsWith,
} from "@ccl/core/conformance";
import assert from "node:assert/strict";

import type { ArtifactWrite } from "../artifact/operation-artifact.ts";
import type {
  ProfileSessionKey,
  ProfileSessionStore,
  SessionCommit,
  SessionWrite,
  SessionWriteOutcome,
} from "../ports/profile-session-store.ts";
import { aborted, assertSame, oddIds, oddValue } from "./store-rules.ts";

const key: ProfileSessionKey = {
  chatId: "c",
  branchId: "b",
  profileId: "p",
  operationProfileSessionId: "s",
};

function write(
  tag: string,
  value: unknown,
  rest: Partial<SessionWrite> & { fields?: Partial<ArtifactWrite> | undefined } = {},
): SessionWrite {
  const { fields, ...more } = rest;
  const written: ArtifactWrite = {
    tag,
    value,
    persisted: true,
    usage: "internal",
    semantics: "state",
    ...fields,
  };
  return { operationId: `op-${tag}`, write: written, expectedHead: 0, isRequired: false, ...more };
}

function commit(
  runId: string,
  writes: readonly SessionWrite[],
  rest: Partial<SessionCommit> = {},
): SessionCommit {
  return {
    key,
    runId,
    hook: "before_main_llm",
    fencingToken: 1,
    writtenAt: 1_000,
    writes,
    ...rest,
  };
}

/** Writes a tag as one run after another would. */
async function writeTimes(
  store: ProfileSessionStore,
  times: number,
  fields: Partial<ArtifactWrite> = {},
  from: number = 1,
): Promise<void> {
  for (let at = from; at <= times; at += 1) {
    const parent = at === 1 ? {} : { parentVersion: at - 1 };
    const one = write("t", at, { expectedHead: at - 1, ...parent, fields });
    await store.commit(commit(`run-${at}`, [one], { writtenAt: at * 1_000 }));
  }
}

const written = (operationId: string, version: number, changed = true): SessionWriteOutcome => {
  return { operationId, status: "written", version, changed };
};

const rules: readonly KitRule<ProfileSessionStore>[] = [
  {
    name: "a session that is not there is empty",
    async check(store) {
      assertSame(await store.read(key), { artifacts: [], heads: {} });
      assertSame(await store.openTurn(key, { userMessageId: "u" }), {
        artifacts: [],
        heads: {},
      });
    },
  },
  {
    name: "values come back as they were written, in the order of their tags",
    async check(store) {
      const inclusion = { mode: "at_depth", depth: -2, role: "user" } as const;
      const fields = {
        inclusion,
        usage: "prompt+ui",
        semantics: "lore/memory",
        retention: { maxItems: 3 },
      } as const;
      const outcomes = await store.commit(
        commit("r", [write("b", oddValue, { fields }), write("a", null)]),
      );
      assertSame(outcomes, [written("op-b", 1), written("op-a", 1)]);
      const { artifacts, heads } = await store.read(key);
      assertSame(heads, { a: 1, b: 1 });
      const stamp = { version: 1, runId: "r", writtenAt: 1_000, persisted: true, history: [] };
      assertSame(artifacts, [
        { ...stamp, tag: "a", value: null, usage: "internal", semantics: "state" },
        { ...stamp, tag: "b", value: oddValue, ...fields },
      ]);
    },
  },
  {
    name: "former values follow, oldest first, as many as the retention says",
    async check(store) {
      await writeTimes(store, 5, { retention: { maxItems: 2 } });
      const [artifact] = (await store.read(key)).artifacts;
      assert.equal(artifact?.value, 5);
      assertSame(artifact.history, [
        { version: 3, runId: "run-3", writtenAt: 3_000, value: 3, parentVersion: 2 },
        { version: 4, runId: "run-4", writtenAt: 4_000, value: 4, parentVersion: 3 },
      ]);
    },
  },
  {
    name: "without a retention 20 former values are kept, and ages and bytes count too",
    async check(store) {
      await writeTimes(store, 25);
      const values = async (): Promise<unknown[] | undefined> =>
        (await store.read(key)).artifacts[0]?.history.map(({ value }) => value);
      assertSame(
        await values(),
        Array.from({ length: 20 }, (_, at) => at + 5),
      );
      const next = (at: number, fields: Partial<ArtifactWrite>): SessionCommit =>
        commit(
          `run-${at}`,
          [write("t", at, { expectedHead: at - 1, parentVersion: at - 1, fields })],
          {
            writtenAt: at * 1_000,
          },
        );
      await store.commit(next(26, { retention: { maxAgeMs: 3_000 } }));
      assertSame(await values(), [23, 24, 25]);
      await store.commit(next(27, { retention: { maxBytes: 5 } }));
      assertSame(await values(), [25, 26]);
    },
  },
  {
    name: "an equal value makes no version, another usage does",
    async check(store) {
      await store.commit(commit("r1", [write("t", { a: 1, b: 2 })]));
      const again = { expectedHead: 1, parentVersion: 1 };
      assertSame(await store.commit(commit("r2", [write("t", { b: 2, a: 1 }, again)])), [
        written("op-t", 1, false),
      ]);
      assert.equal((await store.read(key)).artifacts[0]?.runId, "r1");
      const other = write("t", { a: 1, b: 2 }, { ...again, fields: { usage: "ui_only" } });
      assertSame(await store.commit(commit("r3", [other])), [written("op-t", 2)]);
    },
  },
  {
    name: "a write that knows another head is a conflict and changes nothing, the others are written",
    async check(store) {
      await store.commit(commit("r1", [write("t", 1)]));
      const outcomes = await store.commit(commit("r2", [write("t", 2), write("u", 2)]));
      assertSame(outcomes, [
        { operationId: "op-t", status: "conflict", head: 1 },
        written("op-u", 1),
      ]);
      assertSame(
        (await store.read(key)).artifacts.map(({ value }) => value),
        [1, 2],
      );
    },
  },
  {
    name: "a required write in conflict keeps everything from being written",
    async check(store) {
      await store.commit(commit("r1", [write("t", 1)]));
      const writes = [write("a", 2), write("t", 2, { isRequired: true }), write("z", 2)];
      assertSame(await store.commit(commit("r2", writes)), [
        { operationId: "op-a", status: "discarded" },
        { operationId: "op-t", status: "conflict", head: 1 },
        { operationId: "op-z", status: "discarded" },
      ]);
      assertSame((await store.read(key)).heads, { t: 1 });
    },
  },
  {
    name: "a commit that comes twice counts once and gives the same outcome",
    async check(store) {
      const one = commit("r", [write("t", 1), write("u", 2)]);
      const outcomes = await store.commit(one);
      assertSame(await store.commit(one), outcomes);
      assertSame(await store.commit({ ...one, fencingToken: 2 }), outcomes);
      assertSame((await store.read(key)).heads, { t: 1, u: 1 });
      const after = commit("r", [write("t", 3, { expectedHead: 1, parentVersion: 1 })], {
        hook: "after_main_llm",
        fencingToken: 2,
      });
      assertSame(await store.commit(after), [written("op-t", 2)]);
    },
  },
  {
    name: "of commits at the same time from one head one wins",
    async check(store) {
      const runs = ["r1", "r2", "r3", "r4"].map((runId) =>
        store.commit(commit(runId, [write("t", runId)])),
      );
      const outcomes = (await Promise.all(runs)).flat();
      assert.equal(outcomes.filter(({ status }) => status === "written").length, 1);
      assert.equal((await store.read(key)).artifacts[0]?.history.length, 0);
    },
  },
  {
    name: "a lower fencing token than the session has seen is refused, in commits and reverts",
    async check(store) {
      await store.commit(commit("r2", [write("t", 1)], { fencingToken: 5 }));
      await rejectsWith(OperationsError, "stale_lease", () =>
        store.commit(commit("r1", [write("u", 1)], { fencingToken: 4 })),
      );
      const revert = { key, runId: "r2", hook: "before_main_llm", operationIds: ["op-t"] } as const;
      await rejectsWith(OperationsError, "stale_lease", () =>
        store.revert({ ...revert, fencingToken: 4 }),
      );
      assertSame((await store.read(key)).heads, { t: 1 });
      const other = { ...key, branchId: "other" };
      assertSame(
        await store.commit(commit("r1", [write("t", 1)], { key: other, fencingToken: 4 })),
        [written("op-t", 1)],
      );
    },
  },
  {
    name: "a turn opened again shows the state in which it began, and a new version hangs on that one",
    async check(store) {
      await store.commit(commit("r1", [write("t", "before")]));
      await store.openTurn(key, { userMessageId: "u1" });
      await store.commit(
        commit("r2", [
          write("t", "first try", { expectedHead: 1, parentVersion: 1 }),
          write("new", 1),
        ]),
      );
      const again = await store.openTurn(key, { userMessageId: "u1" });
      assertSame(
        again.artifacts.map(({ tag, value }) => [tag, value]),
        [["t", "before"]],
      );
      assertSame(again.heads, { t: 2, new: 1 });
      const second = write("t", "before", { expectedHead: 2, parentVersion: 1 });
      assertSame(await store.commit(commit("r3", [second])), [written("op-t", 3)]);
      const [, artifact] = (await store.read(key)).artifacts;
      assertSame(
        [artifact?.value, artifact?.history.map(({ value }) => value)],
        ["before", ["before"]],
      );
      assert.equal((await store.openTurn(key, { userMessageId: "u2" })).artifacts[1]?.version, 3);
    },
  },
  {
    name: "the turns opened last can be read however much was written since",
    async check(store) {
      await writeTimes(store, 3);
      await store.openTurn(key, { userMessageId: "u" });
      await writeTimes(store, 120, {}, 4);
      const [artifact] = (await store.openTurn(key, { userMessageId: "u" })).artifacts;
      assertSame([artifact?.value, artifact?.history.map(({ value }) => value)], [3, [1, 2]]);
    },
  },
  {
    name: "all versions are listed that a head or a turn can show",
    async check(store) {
      assert.deepEqual(await store.versions(key), []);
      await writeTimes(store, 3);
      await store.openTurn(key, { userMessageId: "u" });
      await writeTimes(store, 120, {}, 4);
      const kept = await store.versions(key);
      const first = kept.find(({ version }) => version === 1);
      assert.deepEqual(first, { ...first, tag: "t", version: 1, runId: "run-1", value: 1 });
      const values = new Set(kept.map(({ value }) => value));
      const shown = [1, 2, 3, ...Array.from({ length: 21 }, (_, index) => 100 + index)];
      assert.deepEqual(
        shown.filter((value) => !values.has(value)),
        [],
      );
      assert.deepEqual(await store.versions({ ...key, chatId: "other" }), []);
      await rejectsWith(OperationsError, "aborted", () => store.versions(key, aborted()));
    },
  },
  {
    name: "a write that is rolled back is gone, and can be made again",
    async check(store) {
      await store.commit(commit("r1", [write("t", 1)]));
      const two = commit("r2", [
        write("t", 2, { expectedHead: 1, parentVersion: 1 }),
        write("u", 2),
      ]);
      await store.commit(two);
      await store.revert({
        key,
        runId: "r2",
        hook: "before_main_llm",
        fencingToken: 1,
        operationIds: ["op-t", "op-x"],
      });
      assertSame(
        (await store.read(key)).artifacts.map(({ tag, value }) => [tag, value]),
        [
          ["t", 1],
          ["u", 2],
        ],
      );
      await store.commit(commit("r2", [write("t", 3, { expectedHead: 1, parentVersion: 1 })]));
      assertSame((await store.read(key)).artifacts[0]?.value, 3);
    },
  },
  {
    name: "sessions are apart, whichever part of the key differs",
    async check(store) {
      const keys = [
        ...oddIds.map((id) => ({ ...key, chatId: id })),
        ...oddIds.map((id) => ({ ...key, branchId: id })),
        ...oddIds.map((id) => ({ ...key, profileId: id })),
        ...oddIds.map((id) => ({ ...key, operationProfileSessionId: id })),
      ].filter((other) => JSON.stringify(other) !== JSON.stringify(key));
      for (const [at, one] of keys.entries())
        await store.commit(commit("r", [write("t", at)], { key: one }));
      for (const [at, one] of keys.entries()) {
        const name = JSON.stringify(one);
        const isRepeat = keys.some(
          (other, index) => index !== at && JSON.stringify(other) === name,
        );
        if (!isRepeat) assert.equal((await store.read(one)).artifacts[0]?.value, at, name);
      }
      assertSame((await store.read(key)).artifacts, []);
    },
  },
  {
    name: "a call whose signal is aborted changes nothing",
    async check(store) {
      await rejectsWith(OperationsError, "aborted", () =>
        store.commit(commit("r", [write("t", 1)]), aborted()),
      );
      await rejectsWith(OperationsError, "aborted", () =>
        store.openTurn(key, { userMessageId: "u" }, aborted()),
      );
      await rejectsWith(OperationsError, "aborted", () => store.read(key, aborted()));
      assertSame(await store.read(key), { artifacts: [], heads: {} });
    },
  },
  {
    name: "another handle sees what was written, and conflicts with it",
    needs: "openSecond",
    async check(store, { openSecond }) {
      const second = await openSecond(store);
      await store.openTurn(key, { userMessageId: "u" });
      await store.commit(commit("r1", [write("t", oddValue)], { fencingToken: 3 }));
      assertSame((await second.read(key)).artifacts[0]?.value, oddValue);
      assertSame((await second.openTurn(key, { userMessageId: "u" })).artifacts, []);
      const late = commit("r2", [write("t", 2)], { fencingToken: 3 });
      assertSame(await second.commit(late), [{ operationId: "op-t", status: "conflict", head: 1 }]);
      await rejectsWith(OperationsError, "stale_lease", () =>
        second.commit({ ...late, fencingToken: 2 }),
      );
    },
  },
];

/** What every session store promises, for any test runner. */
export function profileSessionStoreConformance(
  options: ConformanceHooks<ProfileSessionStore>,
): ConformanceRule[] {
  return bindRules(rules, options);
}
