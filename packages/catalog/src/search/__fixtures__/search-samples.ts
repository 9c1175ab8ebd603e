import assert from "node:assert/strict";

import type { SearchFilter } from "@ccl/search";

import { CatalogError } from "../../catalog-error.ts";
import type { ResourceRecord } from "../../record/resource-record.ts";
import type { SearchDocument, SearchIndex } from "../search-index.ts";

/** A document. Every field but the id may be omitted. */
export function sampleDocument(
  id: string,
  { vector, ...fields }: Partial<ResourceRecord> & { vector?: readonly number[] | undefined } = {},
): SearchDocument {
  const record: ResourceRecord = {
    kind: "tabular",
    title: id,
    tags: [],
    schema_digest: [],
    cap: [],
    updated_at: "2025-10-29T08:30:00Z",
    schema_hash: "",
    cap_hash: "",
    rev: 1,
    ...fields,
    id,
  };
  return vector === undefined ? { record } : { record, vector: Float32Array.from(vector) };
}

/** A filter, and the maximum number of hits. 100 by default. */
type AskedHits = SearchFilter & { limit?: number | undefined };

/** Ids found by words, best first. */
export async function idsByText(
  index: SearchIndex,
  text: string,
  asked: AskedHits = {},
): Promise<string[]> {
  const { limit = 100, ...filter } = asked;
  const { hits } = await index.searchText({ text, limit, filter });
  return hits.map(({ id }) => id);
}

/** Ids found by a vector, nearest first. */
export async function idsByVector(
  index: SearchIndex,
  vector: readonly number[],
  asked: AskedHits = {},
): Promise<string[]> {
  const { limit = 100, ...filter } = asked;
  const hits = await index.searchVector({ vector: Float32Array.from(vector), limit, filter });
  return hits.map(({ id }) => id);
}

/**
 * The index's answers to a few questions. Scores are rounded so that the order of additions does
 * not matter.
 */
export async function answersOf(index: SearchIndex, filter?: SearchFilter): Promise<unknown> {
  const asked = filter === undefined ? {} : { filter };
  const texts: unknown[] = [];
  for (const text of ["orders of customers", "daily revenue by city", "custmoers"]) {
    const { hits, unmatchedTerms, coverage } = await index.searchText({
      text,
      limit: 100,
      ...asked,
    });
    texts.push({
      hits: hits.map(({ id, score }) => [id, rounded(score)]),
      unmatchedTerms,
      coverage: rounded(coverage),
    });
  }
  const near = await index.searchVector({
    vector: Float32Array.from([1, -2, 3]),
    limit: 100,
    ...asked,
  });
  const facets = await index.countFacets({ limit: 100, ...asked });
  return { texts, near: near.map(({ id, score }) => [id, rounded(score)]), facets };
}

function rounded(score: number): number {
  return Number(score.toFixed(4));
}

/** A few documents in two containers, with vectors that differ in direction. */
export const shopDocuments: readonly SearchDocument[] = [
  sampleDocument("res:db.shop.orders", {
    title: "orders",
    description: "Orders of customers",
    columns: [{ name: "customer_id" }, { name: "amount" }],
    tags: ["shop", "pii:none"],
    vector: [1, -2, 2.5],
  }),
  sampleDocument("res:db.shop.customers", {
    title: "customers",
    columns: [{ name: "city" }, { name: "name" }],
    tags: ["shop", "pii:high"],
    owner: "team",
    vector: [-1, 2, 3],
  }),
  sampleDocument("res:db.finance.revenue", {
    title: "daily revenue",
    tags: ["finance"],
    cap: ["scan"],
    vector: [3, 1, 0.5],
  }),
  sampleDocument("api:weather/forecast", {
    kind: "api",
    title: "Forecast",
    description: "Weather by city",
  }),
];

/** Fails unless the call rejects with this code. */
export async function expectRefusal(
  code: "invalid_options" | "aborted",
  call: () => Promise<unknown>,
): Promise<void> {
  await assert.rejects(
    call,
    (error: unknown) => CatalogError.isInstance(error) && error.code === code,
    code,
  );
}
