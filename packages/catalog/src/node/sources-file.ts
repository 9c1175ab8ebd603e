import type { ResourceInput } from "../record/resource-record.ts";

/** Kinds of sources. */
export const kinds = ["sql", "openapi", "mcp", "files", "jsonl"] as const;

/** The kind of source that resources come from. */
export type SourceKind = (typeof kinds)[number];

/** A source as `sources.json` stores it. It contains no secret. */
export interface CatalogSource {
  kind: SourceKind;
  /** Part of ids. Unique among sources of the same kind, ignoring case. */
  name: string;
  /** A path or glob relative to the project root, a URL without user and query, a command, or `env:NAME`. */
  location: string;
  /** Schemas of a database. Defaults to the database's own default. */
  schemas?: string[] | undefined;
  /** Number of rows to sample from each table, for null rates and missing types. */
  sampleRows?: number | undefined;
  /** Environment variable that contains the token for an HTTP server. */
  tokenVariable?: string | undefined;
}

/** A source with the resources of its last import. */
export interface ImportedSource extends CatalogSource {
  resources: readonly ResourceInput[];
}

/** Returns a source's name for messages and files, e.g. `sql:shop`. */
export function sourceKey({ kind, name }: Pick<CatalogSource, "kind" | "name">): string {
  return `${kind}:${name}`;
}

/** Formats sources as JSON text, sorted by key. */
export function formatSources(sources: readonly CatalogSource[]): string {
  const sorted = [...sources].sort((left, right) => (sourceKey(left) < sourceKey(right) ? -1 : 1));
  const plain = sorted.map(({ kind, name, location, schemas, sampleRows, tokenVariable }) => {
    return { kind, name, location, schemas, sampleRows, tokenVariable };
  });
  return `${JSON.stringify({ version: 1, sources: plain }, null, 2)}\n`;
}
