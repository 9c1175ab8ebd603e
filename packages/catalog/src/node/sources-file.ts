import { isRecord } from "@ccl/core/json";
import { CatalogError } from "../catalog-error.ts";
import type { ResourceInput } from "../record/resource-record.ts";

const kinds = ["sql", "openapi", "mcp", "files", "jsonl"] as const;

/** Where resources come from. */
export type SourceKind = (typeof kinds)[number];

/** A source as `sources.json` stores it. It contains no secret. */
export interface CatalogSource {
  kind: SourceKind;
  /** Part of ids. Unique among sources of a kind, ignoring case. */
  name: string;
  /** A path or glob from the project's root, a URL without user and query, a command, or `env:NAME`. */
  location: string;
  /** Schemas of a database. By default the database's own default. */
  schemas?: string[] | undefined;
  /** Number of rows to sample from each table, for null rates and missing types. */
  sampleRows?: number | undefined;
  /** The environment variable with the token for an HTTP server. */
  tokenVariable?: string | undefined;
}

/** A source with the resources of its last import. */
export interface ImportedSource extends CatalogSource {
  resources: readonly ResourceInput[];
}

/** The name of a source in messages and files: `sql:shop`. */
export function sourceKey({ kind, name }: Pick<CatalogSource, "kind" | "name">): string {
  return `${kind}:${name}`;
}

/** Sources as JSON text, sorted by their keys. */
export function formatSources(sources: readonly CatalogSource[]): string {
  const sorted = [...sources].sort((left, right) => (sourceKey(left) < sourceKey(right) ? -1 : 1));
  const plain = sorted.map(({ kind, name, location, schemas, sampleRows, tokenVariable }) => {
    return { kind, name, location, schemas, sampleRows, tokenVariable };
  });
  return `${JSON.stringify({ version: 1, sources: plain }, null, 2)}\n`;
}

/**
 * Parses the output of `formatSources`.
 * @throws CatalogError `damaged` if the text did not come from `formatSources`
 */
export function parseSources(text: string): CatalogSource[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw damagedSources("sources.json of the catalog is not JSON.", error);
  }
  if (!isRecord(document) || document["version"] !== 1 || !Array.isArray(document["sources"]))
    throw damagedSources('sources.json of the catalog is not { "version": 1, "sources": [...] }.');
  return document["sources"].map((entry: unknown, index) => readSource(entry, index));
}

function readSource(entry: unknown, index: number): CatalogSource {
  const { kind, name, location, schemas, sampleRows, tokenVariable } = isRecord(entry) ? entry : {};
  const known = kinds.find((each) => each === kind);
  const isValid =
    typeof name === "string" &&
    typeof location === "string" &&
    (schemas === undefined || isTexts(schemas));
  if (known === undefined || !isValid)
    throw damagedSources(`sources[${index}] in sources.json lacks its kind, name or location.`);
  return {
    kind: known,
    name,
    location,
    schemas,
    sampleRows: typeof sampleRows === "number" ? sampleRows : undefined,
    tokenVariable: typeof tokenVariable === "string" ? tokenVariable : undefined,
  };
}

function damagedSources(message: string, cause?: unknown): CatalogError {
  return new CatalogError("damaged", message, { cause });
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}
