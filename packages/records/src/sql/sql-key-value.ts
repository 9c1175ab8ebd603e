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
import { moveTables } from "./move-tables.ts";

/** Parameters of one statement: far below what any driver takes. */
const keysAtOnce = 400;
/** Thrown inside a transaction to roll it back. */
const checkFailed = Symbol("a check does not hold");

/** Keys and texts in the table `ccl_records`, which is created where it is missing. */
export async function openSqlKeyValue(
  target: SqliteDatabase | PostgresClient,
  signal: AbortSignal | undefined,
): Promise<KeyValue> {
  const options = { component: "records", signal };
  if ("query" in target)
    await migrate(target, { ...options, migrations: [tableOf('text COLLATE "C"')] });
  else await migrate(target, { ...options, migrations: [tableOf("text")] });
  await runSqlSteps(target, moveTables, { signal });
  const isLazy = "query" in target && (await isCommitLazy(target));
  return {
    get: (keys) => runSqlSteps(target, () => read(keys), { mode: "read" }),
    list: (range) => runSqlSteps(target, () => list(range), { mode: "read" }),
    async commit(commit) {
      try {
        await runSqlSteps(target, () => write(commit, isLazy));
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

function* write({ checks, writes }: KeyValueCommit, isLazy: boolean): SqlSteps<void> {
  // What was acknowledged is on the server's disk, whatever the server is set to.
  if (isLazy) yield* run("SET LOCAL synchronous_commit = on");
  const texts = new Map(writes);
  // One order for all writers, so that no two of them wait for each other.
  const sorted = [...checks].sort(([one], [other]) => (one < other ? -1 : 1));
  for (const check of sorted) {
    yield* writeChecked(check, texts);
    texts.delete(check[0]);
  }
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

/** Checks and writes in one statement: it takes the row's lock, so that the second of two writers sees the first's text. */
function* writeChecked(
  [key, old]: KeyValueEntry,
  texts: ReadonlyMap<string, string | undefined>,
): SqlSteps<void> {
  const text = texts.has(key) ? texts.get(key) : old;
  const place = "WHERE key = ? AND value = ? RETURNING key";
  let rows: readonly unknown[];
  if (old !== undefined)
    rows =
      text === undefined
        ? yield* rowsOf(`DELETE FROM ccl_records ${place}`, key, old)
        : yield* rowsOf(`UPDATE ccl_records SET value = ? ${place}`, text, key, old);
  else if (text === undefined) {
    const found = yield* rowsOf("SELECT key FROM ccl_records WHERE key = ?", key);
    rows = found.length === 0 ? [key] : [];
  } else {
    const insert = "INSERT INTO ccl_records (key, value) VALUES (?, ?)";
    rows = yield* rowsOf(`${insert} ON CONFLICT DO NOTHING RETURNING key`, key, text);
  }
  if (rows.length === 0) throw checkFailed;
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
