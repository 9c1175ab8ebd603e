import type { SqlRow } from "@ccl/sql";
import { CatalogError } from "../catalog-error.ts";
import { throwIfAborted } from "@ccl/core/async";
import { sha256Hex } from "@ccl/core";
import type { Analyzer, Facet } from "@ccl/search";
import { analyzeDocument, type AnalyzedDocument } from "@ccl/search/engine";

import { damagedIndex } from "../search/search-errors.ts";
import type { SearchDocument } from "../search/search-index.ts";
import {
  containerOf,
  facetsOf,
  searchableFields,
  searchFields,
} from "../search/searchable-fields.ts";
import { bytesOfFloats } from "./float-bytes.ts";

/** What is kept of a document besides its terms. */
export interface DocumentBody {
  container: string;
  facets: readonly Facet[];
  lengths: readonly number[];
}

/** A document that is ready to be written. */
export interface IndexedDocument {
  id: string;
  body: DocumentBody;
  text: AnalyzedDocument;
  /** As it was given. */
  vector: Float32Array | undefined;
  /** Of all that is kept, so that what is there already is not written again. */
  sha256: string;
}

/** Documents that are analysed before others get a turn. */
const turnSize = 256;

/** Analyses documents; of several with one id the last counts. @throws CatalogError `aborted` */
export async function indexDocuments(
  documents: readonly SearchDocument[],
  analyzer: Analyzer,
  signal: AbortSignal | undefined,
): Promise<IndexedDocument[]> {
  const byId = new Map<string, IndexedDocument>();
  for (const [at, document] of [...documents].entries()) {
    byId.set(document.record.id, indexDocument(document, analyzer));
    if (at % turnSize < turnSize - 1) continue;
    await new Promise((resolve) => setTimeout(resolve, 0));
    throwIfAborted(signal, CatalogError);
  }
  return [...byId.values()];
}

function indexDocument({ record, vector }: SearchDocument, analyzer: Analyzer): IndexedDocument {
  const text = analyzeDocument(searchableFields(record), searchFields, analyzer);
  const body = { container: containerOf(record), facets: facetsOf(record), lengths: text.lengths };
  const parts = [JSON.stringify(body), JSON.stringify([text.terms, text.occurrences])];
  if (vector !== undefined) parts.push(sha256Hex(bytesOfFloats(vector)));
  return {
    id: record.id,
    body,
    text,
    vector: vector?.slice(),
    sha256: sha256Hex(parts.join("\n")),
  };
}

/** The body of a row that has one. @throws CatalogError `store_damaged` */
export function bodyOf(row: SqlRow): DocumentBody {
  const body = keptJson(row["body"]);
  if (isBody(body)) return body;
  throw damagedIndex("a document has no body");
}

/** The terms of a row that has some. @throws CatalogError `store_damaged` */
export function keptTermsOf(row: SqlRow): string[] {
  const terms = keptJson(row["terms"]);
  if (Array.isArray(terms)) return terms.map(String);
  throw damagedIndex("a document has no terms");
}

/** A column that holds JSON. @throws CatalogError `store_damaged` */
function keptJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    throw damagedIndex("a column is no JSON");
  }
}

function isBody(body: unknown): body is DocumentBody {
  if (typeof body !== "object" || body === null) return false;
  return (
    "container" in body &&
    typeof body.container === "string" &&
    "facets" in body &&
    Array.isArray(body.facets) &&
    body.facets.every(isFacet) &&
    "lengths" in body &&
    Array.isArray(body.lengths) &&
    body.lengths.every(Number.isSafeInteger)
  );
}

function isFacet(facet: unknown): boolean {
  return (
    Array.isArray(facet) && facet.length === 2 && facet.every((part) => typeof part === "string")
  );
}
