import { resolve } from "node:path";

import type { ImportedSource } from "@ccl/catalog/node";
import { fileConnector, httpConnector, sqlConnector, type Connector } from "@ccl/query";
import { openSqlite } from "@ccl/sql/node";

import { resolveLocation } from "../catalog/source-draft.ts";
import { openPostgresPool } from "../catalog/load-sql.ts";

/** What the catalog's sources are resolved against. */
export interface ConnectorPlace {
  /** The project's root. Paths of sources are relative to it. */
  root: string;
  /** For sources stored as `env:NAME`, and for tokens. */
  env: NodeJS.ProcessEnv;
}

/** Connectors of a catalog's sources. The caller closes them after the last query. */
export interface OpenedConnectors {
  /** By address prefix, as `runSql` and `executePlan` take them. */
  connectors: Readonly<Record<string, Connector>>;
  close(): Promise<void>;
}

type Closer = () => unknown;
type Entry = readonly [address: string, connector: Connector];

/**
 * Opens what the sources of a catalog folder need for queries. Skips tools and records of a JSONL file, which have no
 * rows.
 */
export async function openConnectors(
  place: ConnectorPlace,
  sources: readonly ImportedSource[],
): Promise<OpenedConnectors> {
  const closers: Closer[] = [];
  const close = async (): Promise<void> => {
    for (const end of closers.splice(0)) await end();
  };
  try {
    const entries: Entry[] = [];
    for (const source of sources) entries.push(...(await openSource(place, source, closers)));
    return { connectors: Object.fromEntries(entries), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openSource(
  place: ConnectorPlace,
  source: ImportedSource,
  closers: Closer[],
): Promise<Entry[]> {
  const addresses = source.resources.flatMap(({ uri }) => (uri === undefined ? [] : [uri]));
  if (source.kind === "files") return await openFiles(place, addresses, closers);
  const [address] = addresses;
  if (address === undefined || source.kind === "mcp" || source.kind === "jsonl") return [];
  const location = resolveLocation(source.location, place.env);
  if (source.kind === "openapi") return openApis(place, source, addresses);
  const connector = await openDatabase(place, location, closers);
  return [[address.slice(0, address.lastIndexOf("/")), connector]];
}

async function openDatabase(
  place: ConnectorPlace,
  location: string,
  closers: Closer[],
): Promise<Connector> {
  const path = /^sqlite:(?:\/\/)?(.+)$/i.exec(location)?.[1];
  if (path !== undefined) {
    const database = await openSqlite({ path: resolve(place.root, path), readOnly: true });
    closers.push(() => database.close());
    return sqlConnector(database);
  }
  const pool = openPostgresPool(place, location);
  closers.push(() => pool.end());
  return sqlConnector(pool);
}

async function openFiles(
  { root }: ConnectorPlace,
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
  { env }: ConnectorPlace,
  { tokenVariable }: ImportedSource,
  addresses: readonly string[],
): Entry[] {
  const token = tokenVariable === undefined ? undefined : env[tokenVariable];
  const auth = token === undefined ? undefined : () => ({ authorization: `Bearer ${token}` });
  const origins = new Set(
    addresses.filter((address) => URL.canParse(address)).map((address) => new URL(address).origin),
  );
  return [...origins]
    .filter((origin) => /^https?:/.test(origin))
    .map((baseUrl) => [baseUrl, httpConnector({ baseUrl, auth })]);
}
