import {
  insertRows,
  isCommitLazy,
  migrate,
  type PostgresClient,
  rowsOf,
  run,
  runSqlSteps,
  type SqliteDatabase,
  type SqlSteps,
  textIn,
} from "@ccl/sql";

import { acceptCommits } from "../key-value/accept-commits.ts";
import { groupCalls } from "../key-value/group-calls.ts";
import type { KeyRange, KeyValue, KeyValueCommit } from "../key-value/key-value.ts";
import { hasFormerTables, moveTables } from "./move-tables.ts";

/** Parameters per statement, far below the limit of any driver. */
const keysAtOnce = 400;
/** Thrown within a transaction to roll it back. */
const checkFailed = Symbol("a check does not hold");

/** Opens a store that keeps keys and texts in the table `ccl_records`, which is created if missing. */
export async function openSqlKeyValue(
  target: SqliteDatabase | PostgresClient,
  signal: AbortSignal | undefined,
): Promise<KeyValue> {
  const options = { component: "records", signal };
  if ("query" in target)
    await migrate(target, { ...options, migrations: [tableOf('text COLLATE "C"')] });
  else {
    // Overwrites deleted or replaced data in the file.
    target.exec("PRAGMA secure_delete = ON");
    await migrate(target, { ...options, migrations: [tableOf("text")] });
  }
  // Starting a write would fail on a read-only database.
  if (await runSqlSteps(target, hasFormerTables, { signal, mode: "read" }))
    await runSqlSteps(target, moveTables, { signal });
  const lock = "query" in target ? " ORDER BY key FOR UPDATE" : "";
  const isLazy = "query" in target && (await isCommitLazy(target));
  return {
    get: groupCalls((calls: readonly (readonly string[])[]) =>
      runSqlSteps(target, () => readAll(calls), {
        mode: calls.flat().length > keysAtOnce ? "read" : "statement",
      }),
    ),
    list: (range) => runSqlSteps(target, () => list(range), { mode: "statement" }),
    commit: groupCalls(async (commits: readonly KeyValueCommit[]) => {
      try {
        return await runSqlSteps(target, () => write(commits, { lock, isLazy }));
      } catch (error) {
        // Another process committed first. In a group, each commit is then tried alone.
        if (error === checkFailed && commits.length === 1) return [false];
        throw error;
      }
    }),
  };
}

function tableOf(keyType: string): { version: number; up: string } {
  const columns = `key ${keyType} PRIMARY KEY NOT NULL, value text NOT NULL`;
  return { version: 1, up: `CREATE TABLE ccl_records (${columns})` };
}

function* readAll(calls: readonly (readonly string[])[]): SqlSteps<(string | undefined)[][]> {
  const texts = yield* read([...new Set(calls.flat())]);
  return calls.map((keys) => keys.map((key) => texts.get(key)));
}

/** Reads the texts of keys. With `lock`, no other transaction can change them until this one ends. */
function* read(keys: readonly string[], lock = ""): SqlSteps<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const some of pieces(keys)) {
    const select = `SELECT key, value FROM ccl_records WHERE key IN (${marks(some)})${lock}`;
    for (const row of yield* rowsOf(select, ...some))
      texts.set(textIn(row, "key"), textIn(row, "value"));
  }
  return texts;
}

function* list({ from, before, limit }: KeyRange): SqlSteps<[key: string, text: string][]> {
  const select =
    "SELECT key, value FROM ccl_records WHERE key >= ? AND key < ? ORDER BY key LIMIT ?";
  const rows = yield* rowsOf(select, from, before, limit);
  return rows.map((row) => [textIn(row, "key"), textIn(row, "value")]);
}

/** Checks each commit in turn against what earlier ones write, and writes the combined result. */
function* write(
  commits: readonly KeyValueCommit[],
  { lock, isLazy }: { lock: string; isLazy: boolean },
): SqlSteps<boolean[]> {
  // Acknowledged writes are on the server's disk, regardless of the server's setting.
  if (isLazy) yield* run("SET LOCAL synchronous_commit = on");
  const checked = new Set(commits.flatMap(({ checks }) => checks.map(([key]) => key)));
  // All writers lock in the same order, so that no two of them wait for each other.
  const stored = yield* read([...checked].sort(), lock);
  const outcomes = acceptCommits(commits, new Map(stored));
  const accepted = commits.filter((_, at) => outcomes[at]);
  const written = new Map(accepted.flatMap(({ writes }) => writes));
  const isNew = (key: string): boolean => checked.has(key) && !stored.has(key);
  const sorted = [...written].sort(([first], [second]) => (first < second ? -1 : 1));
  const put = sorted.flatMap(([key, text]) => (text === undefined ? [] : [[key, text]]));
  yield* insertNew(put.filter(([key = ""]) => isNew(key)));
  yield* insertRows(
    "INSERT INTO ccl_records (key, value) VALUES ROWS ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    put.filter(([key = ""]) => !isNew(key)),
  );
  const removed = sorted.flatMap(([key, text]) => (text === undefined ? [key] : []));
  for (const some of pieces(removed))
    yield* run(`DELETE FROM ccl_records WHERE key IN (${marks(some)})`, ...some);
  return outcomes;
}

/** Inserts rows that must not exist yet. A concurrent writer may have inserted them first. */
function* insertNew(rows: readonly string[][]): SqlSteps<void> {
  for (const some of pieces(rows)) {
    const values = some.map(() => "(?, ?)").join(", ");
    const insert = `INSERT INTO ccl_records (key, value) VALUES ${values} ON CONFLICT DO NOTHING RETURNING key`;
    if ((yield* rowsOf(insert, ...some.flat())).length < some.length) throw checkFailed;
  }
}

function pieces<Item>(all: readonly Item[]): Item[][] {
  const count = Math.ceil(all.length / keysAtOnce);
  return Array.from({ length: count }, (_, at) =>
    all.slice(at * keysAtOnce, (at + 1) * keysAtOnce),
  );
}

function marks(keys: readonly string[]): string {
  return keys.map(() => "?").join(", ");
}
