import type { ResourceInput } from "@ccl/catalog";

import { CliError } from "../cli-error.ts";

/** Where resources come from. */
export type SourceKind = "sql" | "openapi" | "mcp" | "files" | "jsonl";

/** A source as `sources.json` keeps it; it holds no secret. */
export interface CatalogSource {
  kind: SourceKind;
  /** Stands in ids; one a kind, whatever its case. */
  name: string;
  /** A path or glob from the project's root, a URL without user and query, a command, or `env:NAME`. */
  location: string;
  /** Schemas of a database; its own default where absent. */
  schemas?: string[] | undefined;
  /** Rows of each table read for shares of nulls and missing types. */
  sampleRows?: number | undefined;
  /** The environment variable with the token that an HTTP server asks for. */
  tokenVariable?: string | undefined;
}

/** A source with what it gave when it was last imported. */
export interface ImportedSource extends CatalogSource {
  resources: readonly ResourceInput[];
}

const kinds: readonly SourceKind[] = ["sql", "openapi", "mcp", "files", "jsonl"];
const variableName = /^env:([A-Za-z_]\w*)$/;

/** How a source is called in messages and files: `sql:shop`. */
export function sourceKey({ kind, name }: Pick<CatalogSource, "kind" | "name">): string {
  return `${kind}:${name}`;
}

/** True where both mean one source. File systems may not tell cases apart, so names do not either. */
export function isSameSource(left: CatalogSource, right: CatalogSource): boolean {
  return sourceKey(left).toLowerCase() === sourceKey(right).toLowerCase();
}

/** What a location stands for: itself, or the value of the variable that it names. */
export function resolveLocation(location: string, env: NodeJS.ProcessEnv): string {
  const variable = variableName.exec(location)?.[1];
  if (variable === undefined) return location;
  const value = env[variable];
  if (value === undefined || value === "")
    throw new CliError("usage", `The environment variable ${variable} is empty.`);
  return value;
}

/** True for `env:NAME`. */
export function isVariable(location: string): boolean {
  return variableName.test(location);
}

/** Sources as text, sorted by their keys. */
export function formatSources(sources: readonly CatalogSource[]): string {
  const sorted = [...sources].sort((left, right) => (sourceKey(left) < sourceKey(right) ? -1 : 1));
  const plain = sorted.map(({ kind, name, location, schemas, sampleRows, tokenVariable }) => {
    return { kind, name, location, schemas, sampleRows, tokenVariable };
  });
  return `${JSON.stringify({ version: 1, sources: plain }, null, 2)}\n`;
}

/** @throws CliError `catalog_damaged` for a text that `formatSources` did not make */
export function parseSources(text: string): CatalogSource[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new CliError("catalog_damaged", "sources.json of the catalog is no JSON.", {
      cause: error,
    });
  }
  if (!isRecord(document) || document["version"] !== 1 || !Array.isArray(document["sources"])) {
    throw new CliError(
      "catalog_damaged",
      'sources.json of the catalog is not { "version": 1, "sources": [...] }.',
    );
  }
  return document["sources"].map((entry: unknown, index) => readSource(entry, index));
}

function readSource(entry: unknown, index: number): CatalogSource {
  const { kind, name, location, schemas, sampleRows, tokenVariable } = isRecord(entry) ? entry : {};
  const known = kinds.find((each) => each === kind);
  const isWhole =
    typeof name === "string" &&
    typeof location === "string" &&
    (schemas === undefined || isTexts(schemas));
  if (known === undefined || !isWhole) {
    throw new CliError(
      "catalog_damaged",
      `sources[${index}] in sources.json lacks its kind, name or location.`,
    );
  }
  return {
    kind: known,
    name,
    location,
    schemas,
    sampleRows: typeof sampleRows === "number" ? sampleRows : undefined,
    tokenVariable: typeof tokenVariable === "string" ? tokenVariable : undefined,
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}
