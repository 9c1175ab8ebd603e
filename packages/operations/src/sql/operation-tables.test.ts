import { sortKeyOf } from "@ccl/sql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  databaseKinds,
  openTestDatabase,
  type TestDatabase,
} from "../../test-support/open-test-stores.ts";
import type { RunInput } from "../ports/run-store.ts";
import type { RunResult } from "../run/run-result.ts";
import { createTables } from "./operation-tables.ts";
import { keyOf } from "./statement.ts";

// What a database may hold: texts that PostgreSQL's JSON functions refuse, quotes, times between milliseconds.
const text = 'It\'s \u0000 and \ud800, \\u0000 and "\u{1f600}".';

const inputOf = (runId: string): RunInput => ({
  formatVersion: 1,
  runId,
  chatId: runId,
  branchId: "main",
  trigger: "generate",
  userMessageId: "m1",
  assistantVariantId: "v1",
  startedAt: 1,
});

const resultOf = (runId: string, finishedAt: number): RunResult => ({
  formatVersion: 1,
  runId,
  status: "done",
  startedAt: 1,
  finishedAt,
  durationMs: finishedAt - 1,
  operationRuns: [],
  mainLlm: { executed: true, status: "done", text },
  commitLog: [],
  artifacts: [],
});

const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** A run as the first version of the tables has it, with an event and a step. */
function insertRun(runId: string, finishedAt?: number): string {
  const key = quoted(keyOf(runId));
  const branch = quoted(keyOf(runId, "main"));
  const result =
    finishedAt === undefined ? "NULL" : quoted(JSON.stringify(resultOf(runId, finishedAt)));
  const input = quoted(JSON.stringify(inputOf(runId)));
  return `
INSERT INTO ccl_operation_runs VALUES
  (${key}, '${sortKeyOf(runId)}', ${branch}, ${input}, 1, 1, 1, '"worker"', 1, 10, 1, NULL, ${result});
INSERT INTO ccl_operation_events VALUES (${key}, 1, 1, '[]');
INSERT INTO ccl_operation_steps VALUES (${key}, '"stop"', 0, '{"kind":"stop","cause":"user_abort"}');`;
}

describe.each(databaseKinds)("tables of version 1 with runs in them, on %s", (kind) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase(kind, "tables");
    await database.exec(`
CREATE TABLE ccl_schema (component TEXT PRIMARY KEY, version INTEGER NOT NULL);
INSERT INTO ccl_schema VALUES ('operations', 1);
${createTables(kind === "SQLite" ? "TEXT" : 'TEXT COLLATE "C"')}
${insertRun("early", 1_000)}
${insertRun("late", 2_000.75)}
${insertRun("remembered", 1_500)}
${insertRun("open")}
INSERT INTO ccl_operation_requests VALUES ('"request"', '"remembered"', 'hash', 5000);`);
  });
  afterEach(async () => {
    await database.close();
  });

  it("keep every run, and know when each has ended", async () => {
    const { runs } = await database.open();
    for (const [runId, finishedAt] of [
      ["early", 1_000],
      ["late", 2_000.75],
    ] as const) {
      expect(await runs.loadRun(runId)).toMatchObject({
        input: inputOf(runId),
        result: resultOf(runId, finishedAt),
        steps: [{ kind: "stop", cause: "user_abort" }],
      });
    }
    const pruned = (endedBeforeMs: number, nowMs = 4_000): Promise<number> =>
      runs.prune({ endedBeforeMs, nowMs });
    expect(await pruned(1_000)).toBe(0);
    expect(await pruned(1_001)).toBe(1);
    expect(await pruned(2_000)).toBe(0);
    expect(await pruned(2_001)).toBe(1);
    expect(await pruned(9_000, 5_001)).toBe(1);
    const left = await Promise.all(
      ["early", "late", "remembered", "open"].map((runId) => runs.loadRun(runId)),
    );
    expect(left.map((run) => run?.input.runId)).toEqual([undefined, undefined, undefined, "open"]);
  });

  it("let an unfinished run be carried on, which then has its end", async () => {
    const { runs } = await database.open();
    expect((await runs.listRuns()).runs.map(({ runId }) => runId)).toEqual(["open"]);
    await database.exec("UPDATE ccl_operation_tokens SET last_token = 1");
    const lease = await runs.acquireLease("open", { owner: "next", ttlMs: 10, nowMs: 100 });
    expect(lease?.fencingToken).toBe(2);
    const append = {
      runId: "open",
      fencingToken: 2,
      events: [],
      steps: [],
      result: resultOf("open", 3_000),
    };
    expect(await runs.append([append])).toEqual(["appended"]);
    expect(await runs.prune({ endedBeforeMs: 3_000, nowMs: 9_000 })).toBe(3);
    expect(await runs.prune({ endedBeforeMs: 3_001, nowMs: 9_000 })).toBe(1);
  });

  it("are brought to the newest version once, though two workers open them together", async () => {
    const opened = await Promise.all([database.open(), database.open()]);
    for (const { runs } of opened)
      expect((await runs.loadRun("early"))?.result).toEqual(resultOf("early", 1_000));
  });
});
