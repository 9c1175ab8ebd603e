import {
  createPostgresSession,
  insertRows,
  migrate,
  type PostgresClient,
  rowsOf,
  run,
  runSqlSteps,
  type SqliteDatabase,
  type SqlSteps,
  textIn,
} from "@ccl/sql";

import type { KeyRange, KeyValue, KeyValueCommit, KeyValueEntry } from "../key-value/key-value.ts";
import { hasFormerTables, moveTables } from "./move-tables.ts";

/** Parameters of one statement, far below the limit of any driver. */
const keysAtOnce = 400;
/** Thrown within a transaction to roll it back. */
const checkFailed = Symbol("a check does not hold");

/** Keeps keys and texts in the table `ccl_records`, which is created if missing. */
export async function openSqlKeyValue(
  target: SqliteDatabase | PostgresClient,
  signal: AbortSignal | undefined,
): Promise<KeyValue> {
  const options = { component: "records", signal };
  if ("query" in target)
    await migrate(target, { ...options, migrations: [tableOf('text COLLATE "C"')] });
  else await migrate(target, { ...options, migrations: [tableOf("text")] });
  // Starting a write would fail on a read-only database.
  if (await runSqlSteps(target, hasFormerTables, { signal, mode: "read" }))
    await runSqlSteps(target, moveTables, { signal });
  const lock = "query" in target ? " FOR UPDATE" : "";
  const isLazy = "query" in target && (await isCommitLazy(target));
  return {
    get: (keys) => runSqlSteps(target, () => read(keys), { mode: "read" }),
    list: (range) => runSqlSteps(target, () => list(range), { mode: "read" }),
    async commit(commit) {
      try {
        await runSqlSteps(target, () => write(commit, { lock, isLazy }));
        return true;
      } catch (error) {
        if (error === checkFailed) return false;
        throw error;
      }
    },
  };
}

function tableOf(keyType: string): { version: number; up: string } {
  const columns = `key ${keyType} PRIMARY KEY NOT NULL, value text NOT NULL`;
  return { version: 1, up: `CREATE TABLE ccl_records (${columns})` };
}

function* read(keys: readonly string[]): SqlSteps<(string | undefined)[]> {
  const texts = new Map<string, string>();
  for (const some of pieces(keys)) {
    const select = `SELECT key, value FROM ccl_records WHERE key IN (${marks(some)})`;
    for (const row of yield* rowsOf(select, ...some))
      texts.set(textIn(row, "key"), textIn(row, "value"));
  }
  return keys.map((key) => texts.get(key));
}

function* list({ from, before, limit }: KeyRange): SqlSteps<[key: string, text: string][]> {
  const select =
    "SELECT key, value FROM ccl_records WHERE key >= ? AND key < ? ORDER BY key LIMIT ?";
  const rows = yield* rowsOf(select, from, before, limit);
  return rows.map((row) => [textIn(row, "key"), textIn(row, "value")]);
}

async function isCommitLazy(client: PostgresClient): Promise<boolean> {
  const [setting] = await createPostgresSession(client).query("SHOW synchronous_commit");
  return setting?.["synchronous_commit"] === "off";
}

function* write(
  { checks, writes }: KeyValueCommit,
  { lock, isLazy }: { lock: string; isLazy: boolean },
): SqlSteps<void> {
  // An acknowledged write is on the server's disk, whatever the server's setting says.
  if (isLazy) yield* run("SET LOCAL synchronous_commit = on");
  const texts = new Map(writes);
  // All writers use the same order, so that no two of them wait for each other.
  const sorted = [...checks].sort(([one], [other]) => (one < other ? -1 : 1));
  yield* requireTexts(sorted, lock);
  yield* insertNew(sorted, texts);
  const rest = [...texts];
  const removed = rest.flatMap(([key, text]) => (text === undefined ? [key] : []));
  for (const some of pieces(removed))
    yield* run(`DELETE FROM ccl_records WHERE key IN (${marks(some)})`, ...some);
  const put = rest.flatMap(([key, text]) => (text === undefined ? [] : [[key, text]]));
  yield* insertRows(
    "INSERT INTO ccl_records (key, value) VALUES ROWS ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    put,
  );
}

/** Locks the rows, so that the second of two writers sees the texts of the first. */
function* requireTexts(checks: readonly KeyValueEntry[], lock: string): SqlSteps<void> {
  const expected = new Map(checks);
  for (const keys of pieces([...expected.keys()])) {
    const select = `SELECT key, value FROM ccl_records WHERE key IN (${marks(keys)}) ORDER BY key${lock}`;
    const rows = yield* rowsOf(select, ...keys);
    const found = new Map(rows.map((row) => [textIn(row, "key"), textIn(row, "value")]));
    if (keys.some((key) => found.get(key) !== expected.get(key))) throw checkFailed;
  }
}

/**
 * Inserts rows that must not exist yet and removes them from the texts. A concurrent writer may have inserted them
 * first.
 */
function* insertNew(
  checks: readonly KeyValueEntry[],
  texts: Map<string, string | undefined>,
): SqlSteps<void> {
  const absent = checks.flatMap(([key, text]) => (text === undefined ? [key] : []));
  for (const keys of pieces(absent.filter((key) => texts.get(key) !== undefined))) {
    const rows = keys.map(() => "(?, ?)").join(", ");
    const insert = `INSERT INTO ccl_records (key, value) VALUES ${rows} ON CONFLICT DO NOTHING RETURNING key`;
    const inserted = yield* rowsOf(insert, ...keys.flatMap((key) => [key, texts.get(key) ?? ""]));
    if (inserted.length < keys.length) throw checkFailed;
    for (const key of keys) texts.delete(key);
  }
}

function pieces(keys: readonly string[]): string[][] {
  const count = Math.ceil(keys.length / keysAtOnce);
  return Array.from({ length: count }, (_, at) =>
    keys.slice(at * keysAtOnce, (at + 1) * keysAtOnce),
  );
}

function marks(keys: readonly string[]): string {
  return keys.map(() => "?").join(", ");
}
