import { stat } from "node:fs/promises";
import { resolve } from "node:path";

import {
  fromSqlDatabase,
  type FromSqlDatabaseOptions,
  type ResourceInput,
} from "@ccl/catalog/importers";
import { isRecord } from "@ccl/core/json";
import type { PostgresClient } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";

import { CliError, usageError } from "../cli-error.ts";
import type { Session } from "../session.ts";
import { loadExport } from "./load-optional.ts";
import { isPostgres, type SourceDraft, sqlitePath } from "./source-draft.ts";

const CONNECT_TIMEOUT_MS = 15_000;
const STATEMENT_TIMEOUT_MS = 60_000;

/** Reads the tables of a database. Writes nothing, and stores no values of rows. */
export async function loadSql(
  session: Session,
  { source, address }: SourceDraft,
): Promise<ResourceInput[]> {
  const path = sqlitePath(address);
  const { name, schemas, sampleRows } = source;
  const options: FromSqlDatabaseOptions = { name, schemas, sampleRows, signal: session.signal };
  if (path !== undefined) return loadSqlite(resolve(session.root, path), options);
  if (!isPostgres(address)) {
    throw usageError(`${source.location} is neither sqlite:<path> nor postgres://...`);
  }
  // Refers to the database by name. The query engine resolves it at run time.
  const secret = `ada://secret/pg:${encodeURIComponent(name)}`;
  return withPostgres(session, { address, isReadOnly: true }, (client) =>
    fromSqlDatabase(client, { ...options, secret }),
  );
}

async function loadSqlite(path: string, options: FromSqlDatabaseOptions): Promise<ResourceInput[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile())
    throw new CliError(
      "source_failed",
      `There is no database at ${path}. Name it as sqlite:<path>.`,
    );
  const database = await openSqlite({ path, readOnly: true });
  try {
    return await fromSqlDatabase(database, options);
  } finally {
    database.close();
  }
}

/** The members of pg's `Client` that ccl uses. */
interface ConnectedClient extends PostgresClient {
  connect(): Promise<unknown>;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Connects through the project's package pg. */
export async function withPostgres<T>(
  session: Session,
  { address, isReadOnly }: { address: string; isReadOnly: boolean },
  work: (client: PostgresClient) => Promise<T>,
): Promise<T> {
  const client = construct(session, "Client", address);
  await client.connect();
  try {
    if (isReadOnly) await client.query("SET default_transaction_read_only = on");
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Creates a pool of connections through the project's package pg. Opens each on demand. */
export function openPostgresPool(
  session: Pick<Session, "root">,
  address: string,
): PostgresClient & { end(): Promise<void> } {
  return construct(session, "Pool", address);
}

function construct(
  session: Pick<Session, "root">,
  name: "Client" | "Pool",
  address: string,
): ConnectedClient {
  const Constructor = loadExport(session, "pg", name);
  if (typeof Constructor !== "function")
    throw usageError("PostgreSQL needs the package pg: run `npm install pg` in the project.");
  const settings = {
    connectionString: address,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: "ccl",
  };
  const client: unknown = Reflect.construct(Constructor, [settings]);
  if (!isClient(client))
    throw usageError(`The package pg that is installed here has no usable ${name}.`);
  // Without a listener a lost connection would end the process. The running query fails anyway.
  client.on("error", () => undefined);
  return client;
}

function isClient(value: unknown): value is ConnectedClient {
  return isRecord(value) && "query" in value && "connect" in value && "end" in value;
}
