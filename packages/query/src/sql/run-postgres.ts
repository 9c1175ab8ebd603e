import { throwIfAborted } from "@ccl/core/async";
import {
  createPostgresSession,
  transaction,
  type PostgresClient,
  type PostgresRow,
  type PostgresSession,
  type PostgresValue,
} from "@ccl/sql";
import type { ColumnBatch } from "../connector/column-batch.ts";
import type { RunOptions } from "../connector/connector.ts";
import { QueryError } from "../query-error.ts";
import { rowDecoder } from "./batch-rows.ts";
import { postgresDecoder } from "../connector/decode-value.ts";
import type { SqlWork } from "./run-sqlite.ts";
import { createChannel, type Channel } from "./channel.ts";

let runs = 0;

/** Reads through a cursor in its own read-only transaction, with UTC and ISO dates regardless of session settings. */
export async function* runPostgres(
  client: PostgresClient,
  work: SqlWork,
  options: RunOptions,
): AsyncGenerator<ColumnBatch, void> {
  throwIfAborted(options.signal, QueryError);
  const decode = rowDecoder(work.name, work.columns, postgresDecoder);
  const channel = createChannel<PostgresRow[]>();
  const mark = `ccl query ${++runs}`;
  let cancelling: Promise<void> | undefined;
  const cancel = (): void => {
    cancelling ??= cancelUntil(client, mark, channel);
  };
  options.signal?.addEventListener("abort", cancel, { once: true });
  const reading = transaction(client, (session) =>
    readAll(session, work, { ...options, batchRows: fetchRows(client, options), channel, mark }),
  )
    .then(
      () => channel.end(),
      (error: unknown) => channel.fail(error),
    )
    .finally(() => (channel.isOver = true));
  let isWhole = false;
  try {
    for await (const rows of channel.values) yield decode(rows.map((row) => Object.values(row)));
    isWhole = true;
    throwIfAborted(options.signal, QueryError);
  } catch (error) {
    throwIfAborted(options.signal, QueryError);
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", cancel);
    if (!isWhole) cancel();
    channel.close();
    // An abort rejects immediately. The connection returns to its pool once the server has stopped.
    if (options.signal?.aborted !== true) await Promise.all([reading, cancelling]);
  }
}

/** Returns the rows per fetch. PGlite runs on this thread, so smaller fetches give the event loop a turn. */
function fetchRows(client: PostgresClient, { batchRows }: RunOptions): number {
  return "transaction" in client ? Math.min(batchRows, 1_024) : batchRows;
}

interface ReadOptions extends RunOptions {
  channel: Channel<PostgresRow[]>;
  mark: string;
}

async function readAll(
  session: PostgresSession,
  work: SqlWork,
  { channel, mark, batchRows, timeoutMs, signal }: ReadOptions,
): Promise<void> {
  const settings = [
    "SET LOCAL transaction_read_only = on",
    "SET LOCAL TimeZone = 'UTC'",
    "SET LOCAL DateStyle = 'ISO, YMD'",
    "SET LOCAL extra_float_digits = 1",
    // Optimizes for all rows, not for the first ones.
    "SET LOCAL cursor_tuple_fraction = 1",
    `SET LOCAL application_name = '${mark}'`,
  ];
  if (timeoutMs !== undefined)
    settings.push(`SET LOCAL statement_timeout = ${Math.max(1, Math.ceil(timeoutMs))}`);
  await session.exec(settings.join("; "));
  channel.processId = await processIdOf(session);
  throwIfAborted(signal, QueryError);
  await session.query(
    `DECLARE ccl_rows NO SCROLL CURSOR FOR ${work.sql}`,
    work.parameters.map(postgresValue),
  );
  let count = Math.min(batchRows, firstRows);
  for (;;) {
    throwIfAborted(signal, QueryError);
    const rows = await session.query(`FETCH FORWARD ${count} FROM ccl_rows`);
    const characters = charactersOf(rows);
    if (rows.length > 0 && !(await channel.send(rows))) return;
    if (rows.length < count) return;
    const affordable = Math.floor((fetchCharacters * rows.length) / (characters + 1));
    count = Math.max(1, Math.min(batchRows, count * 4, affordable));
  }
}

/** Guards against text that grows from row to row: the first fetch is small, and later ones are limited in size. */
const firstRows = 8;
const fetchCharacters = 1_048_576;

/** Maximum number of characters in a string. The server cuts longer ones just above this, and the read fails. */
export const maxTextCharacters = 16_777_216;

/** Counts characters. @throws QueryError `limit_exceeded` for text that is too long */
function charactersOf(rows: readonly PostgresRow[]): number {
  let sum = 0;
  for (const row of rows) {
    for (const value of Object.values(row)) {
      if (typeof value !== "string") continue;
      sum += value.length;
      if (value.length <= maxTextCharacters) continue;
      const message = `A value has more than ${maxTextCharacters} characters.`;
      throw new QueryError("limit_exceeded", message, {
        details: { limit: "characters" },
      });
    }
  }
  return sum;
}

async function processIdOf(session: PostgresSession): Promise<number | undefined> {
  const [row] = await session.query("SELECT pg_backend_pid() AS pid");
  return typeof row?.["pid"] === "number" ? row["pid"] : undefined;
}

const retryMs = 100;

/**
 * Cancels the statement from another pool connection. Repeats until the read ends, because a cancel between two
 * statements has no effect. The mark is unique to the transaction, so nothing else is cancelled.
 */
async function cancelUntil(
  client: PostgresClient,
  mark: string,
  channel: Channel<PostgresRow[]>,
): Promise<void> {
  channel.close();
  const isPool = "totalCount" in client && typeof client.totalCount === "number";
  const session = createPostgresSession(client);
  const text =
    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND application_name = $2 AND state = 'active'";
  if (!isPool) return;
  while (!channel.isOver) {
    // If the cancel fails, the server's own timeout remains.
    if (channel.processId !== undefined)
      await session.query(text, [channel.processId, mark]).catch(() => undefined);
    if (!channel.isOver) await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

function postgresValue(value: unknown): PostgresValue {
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return value;
  throw new QueryError("invalid_options", `PostgreSQL takes no ${typeof value} as a parameter.`);
}
