import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import {
  databaseKinds,
  openTestDatabase,
  type TestDatabase,
} from "../../test-support/open-test-stores.ts";
import type { TurnCommit } from "../ports/chat-store.ts";
import type { RunLease } from "../ports/run-store.ts";
import type { OperationStores } from "./operation-stores.ts";

const branch = { chatId: "chat", branchId: "main" };
const stamp = {
  ...branch,
  runId: "run",
  userMessageId: "m",
  trigger: "generate",
  seq: 1,
  epoch: 1,
  ts: 1,
} as const;

/** A statement that comes while another transaction has what it is about, and ends before it. */
interface Conflict {
  name: string;
  /** What the other transaction does. */
  other: string;
  /** What it does once the statement waits for it. */
  late?: string;
  /** Makes the statement wait for the other, and look again. */
  guard: RegExp;
  act(stores: OperationStores, lease: RunLease): Promise<unknown>;
  guarded: unknown;
  /** What comes of it without the guard: the test of the test. */
  unguarded: unknown;
}

const takeOver = `SELECT 1 FROM ccl_operation_runs FOR UPDATE; UPDATE ccl_operation_runs SET fencing_token = 1000000000`;

const appending: Pick<Conflict, "act" | "guarded" | "unguarded"> = {
  async act({ runs }, { runId, fencingToken }) {
    const events = [{ ...stamp, type: "run.started" as const }];
    return runs.append([{ runId, fencingToken, events, steps: [] }]);
  },
  guarded: ["stale_lease"],
  unguarded: ["appended"],
};

const kept = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "kept",
    (error: { code: string }) => error.code,
  );

const answering: Pick<Conflict, "act" | "guarded" | "unguarded"> = {
  async act({ chat }, { runId, fencingToken }) {
    const ids = { ...branch, runId, fencingToken, userMessageId: "m", assistantVariantId: "v" };
    return kept(chat.saveAssistantVariant({ ...ids, text: "Answer", partial: false }));
  },
  guarded: "stale_lease",
  unguarded: "kept",
};

const conflicts: Conflict[] = [
  {
    name: "append nothing to a run that another worker is taking over",
    other: takeOver,
    guard: /FOR NO KEY UPDATE OF stored/,
    ...appending,
  },
  {
    name: "keep no answer of a run that another worker is taking over",
    other: takeOver,
    guard: /FOR KEY SHARE OF stored/,
    ...answering,
  },
  {
    name: "keep no artifact of a run that another worker is taking over",
    other: takeOver,
    guard: /FOR KEY SHARE OF stored/,
    act: ({ chat }, lease) => kept(chat.commitTurn(commitOf(lease, 1))),
    guarded: "stale_lease",
    unguarded: "kept",
  },
  {
    name: "take over no run while its worker commits",
    other: "SELECT 1 FROM ccl_operation_runs FOR KEY SHARE",
    late: "UPDATE ccl_operation_branches SET fencing_token = 5; DELETE FROM ccl_operation_writes",
    guard: /FOR UPDATE OF stored/,
    async act({ runs, chat }, { runId }) {
      const lease = await runs.acquireLease(runId, { owner: "other", ttlMs: 10, nowMs: 100 });
      return [lease?.owner, (await chat.writesOf(runId)).length];
    },
    guarded: ["other", 0],
    unguarded: ["other", 1],
  },
];

function commitOf({ runId, fencingToken }: RunLease, value: number): TurnCommit {
  const written = { tag: "tag", persisted: true, usage: "internal", semantics: "log" } as const;
  const write = { value: { ...written, value }, version: 1 };
  return {
    ...branch,
    userMessageId: "m",
    runId,
    hook: "before_main_llm",
    fencingToken,
    writtenAt: 1,
    operations: [{ operationId: `op${value}`, effects: [], isRequired: true, write }],
    state: { runId, session: "s", heads: {} },
  };
}

describe.skipIf(!databaseKinds.includes("PostgreSQL"))(
  "statements that meet another worker's, on PostgreSQL",
  () => {
    let database: TestDatabase;
    let stores: OperationStores;
    let holder: pg.Client;
    beforeAll(async () => {
      database = await openTestDatabase("PostgreSQL", "guards");
      stores = await database.open();
      const connectionString = process.env["CCL_POSTGRES_URL"];
      holder = new pg.Client({ connectionString, options: "-c search_path=operation_guards" });
      await holder.connect();
    });
    beforeEach(() => database.empty());
    afterAll(async () => {
      await holder.end();
      await database.close();
    });

    async function prepared(): Promise<RunLease> {
      const input = {
        runId: "run",
        ...branch,
        trigger: "generate",
        userMessageId: "m",
        assistantVariantId: "v",
      } as const;
      const lease = { owner: "worker", ttlMs: 10, nowMs: 1 };
      const creation = await stores.runs.createRun({
        input: { ...input, formatVersion: 1, startedAt: 1 },
        lease,
      });
      if (creation.status !== "created") throw new Error(`The run was ${creation.status}.`);
      await stores.chat.appendUserMessage({ ...branch, userMessageId: "m", content: "Hello" });
      await stores.chat.commitTurn(commitOf(creation.lease, 0));
      return creation.lease;
    }

    /** Until a statement waits for the holder, or what might have waited is done. */
    async function untilBlocked(isDone: () => boolean): Promise<void> {
      const blocked =
        "SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))";
      while (!isDone() && (await holder.query(blocked)).rowCount === 0);
    }

    async function race(
      { other, late, guard, act }: Conflict,
      isGuarded: boolean,
    ): Promise<unknown> {
      const lease = await prepared();
      let edits = 0;
      const edited = await database.openEdited?.((sql) => {
        if (!guard.test(sql)) return sql;
        edits += 1;
        return isGuarded ? sql : sql.replace(guard, "");
      });
      if (edited === undefined) throw new Error("PostgreSQL's statements can be edited.");
      await holder.query("BEGIN");
      await holder.query(other);
      let isDone = false;
      const acting = act(edited, lease).finally(() => {
        isDone = true;
      });
      await untilBlocked(() => isDone);
      if (late !== undefined) await holder.query(late);
      await holder.query("COMMIT");
      const outcome = await acting;
      if (!isGuarded && edits === 0) throw new Error("There was no guard to take away.");
      return outcome;
    }

    it.each(conflicts)("$name", async (conflict) => {
      expect(await race(conflict, true)).toEqual(conflict.guarded);
    });

    it.each(conflicts)("$name: not so without the guard", async (conflict) => {
      expect(await race(conflict, false)).toEqual(conflict.unguarded);
    });
  },
);
