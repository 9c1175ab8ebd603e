import { resolve } from "node:path";

import type { ImportedSource } from "@ccl/catalog/node";
import {
  type Connector,
  executeQuery,
  explainQuery,
  fileConnector,
  httpConnector,
  type Query,
  type QueryExplanation,
  type RunSqlOptions,
  sqlConnector,
  type SqlResult,
} from "@ccl/query";
import { openSqlite } from "@ccl/sql/node";

import type { Session } from "../session.ts";
import { openPostgresPool } from "./load-sql.ts";
import type { ReadCatalog } from "./read-catalog.ts";
import { resolveLocation, sqlitePath } from "./source-draft.ts";

/** A query over a catalog folder, and how it runs. */
export type CatalogQuery = Query & Pick<RunSqlOptions, "limits" | "signal">;

/** The catalog of a project's folder, open for many queries. */
interface QueryableCatalog {
  /** Runs a query and returns its rows. */
  run(query: CatalogQuery): Promise<SqlResult>;
  /** Explains where each part of a query would run, and in what form. */
  explain(query: CatalogQuery): Promise<QueryExplanation>;
  close(): Promise<void>;
}

/** Opens what the catalog's sources need. */
export async function openQueryableCatalog(
  session: Session,
  { folder, content, records: details }: ReadCatalog,
): Promise<QueryableCatalog> {
  const sources = await folder.readSources(content, session);
  const { connectors, close } = await openConnectors(session, sources);
  return {
    close,
    run: (query) => executeQuery(query, { details, connectors, ...query }),
    explain: (query) => explainQuery(query, { details, connectors, ...query }),
  };
}

/** Connectors of a catalog's sources. The caller closes them after the last query. */
interface OpenedConnectors {
  /** Connectors by address prefix, as `runSql` and `executePlan` take them. */
  connectors: Readonly<Record<string, Connector>>;
  close(): Promise<void>;
}

type Closer = () => unknown;
type Entry = readonly [address: string, connector: Connector];

/**
 * Opens what the sources of a catalog folder need for queries. Skips tools and records of a JSONL file, which have no
 * rows. With `onFailure`, also skips sources that cannot be opened.
 */
export async function openConnectors(
  session: Session,
  sources: readonly ImportedSource[],
  onFailure?: (source: ImportedSource, error: unknown) => void,
): Promise<OpenedConnectors> {
  const closers: Closer[] = [];
  const close = async (): Promise<void> => {
    for (const end of closers.splice(0)) await end();
  };
  const entries: Entry[] = [];
  for (const source of sources)
    try {
      entries.push(...(await openSource(session, source, closers)));
    } catch (error) {
      if (onFailure === undefined) {
        await close();
        throw error;
      }
      onFailure(source, error);
    }
  return { connectors: Object.fromEntries(entries), close };
}

async function openSource(
  session: Session,
  source: ImportedSource,
  closers: Closer[],
): Promise<Entry[]> {
  const addresses = source.resources.flatMap(({ uri }) => (uri === undefined ? [] : [uri]));
  if (source.kind === "files") return openFiles(session, addresses, closers);
  const [address] = addresses;
  if (address === undefined || source.kind === "mcp" || source.kind === "jsonl") return [];
  const location = resolveLocation(source.location, session.terminal.env);
  if (source.kind === "openapi") return openApis(session, source, addresses);
  const connector = await openDatabase(session, location, closers);
  return [[address.slice(0, address.lastIndexOf("/")), connector]];
}

async function openDatabase(
  session: Session,
  location: string,
  closers: Closer[],
): Promise<Connector> {
  const path = sqlitePath(location);
  if (path !== undefined) {
    const database = await openSqlite({ path: resolve(session.root, path), readOnly: true });
    closers.push(() => database.close());
    return sqlConnector(database);
  }
  const pool = openPostgresPool(session, location);
  closers.push(() => pool.end());
  return sqlConnector(pool);
}

async function openFiles(
  { root }: Session,
  addresses: readonly string[],
  closers: Closer[],
): Promise<Entry[]> {
  const entries: Entry[] = [["ada://any/file", fileConnector({ folder: root })]];
  const parquet = addresses.filter((address) => /\.parquet$/i.test(address));
  if (parquet.length === 0) return entries;
  const { openParquetConnector } = await import("@ccl/query/duckdb");
  const connector = await openParquetConnector({ folder: root });
  closers.push(() => connector.close());
  return [...entries, ...parquet.map((address): Entry => [address, connector])];
}

function openApis(
  { terminal: { env } }: Session,
  { tokenVariable }: ImportedSource,
  addresses: readonly string[],
): Entry[] {
  const token = env[tokenVariable ?? ""];
  const auth = token === undefined ? undefined : () => ({ authorization: `Bearer ${token}` });
  const origins = new Set(
    addresses.filter((address) => URL.canParse(address)).map((address) => new URL(address).origin),
  );
  return [...origins]
    .filter((origin) => /^https?:/.test(origin))
    .map((baseUrl) => [baseUrl, httpConnector({ baseUrl, auth })]);
}
