import { canonicalJson, sha256Hex } from "@ccl/core";

import type { ResourceColumn, ResourceInput } from "./resource-record.ts";
import { compareCodeUnits } from "./compare-code-units.ts";

/** First 16 hexadecimal digits of SHA-256 each; independent of the order of members, columns and capabilities. */
export interface ResourceHashes {
  /** Of the columns' names, types, nulls, keys and units; of the digest where there are no columns. */
  schema_hash: string;
  /** Of the capabilities and what can be pushed down. */
  cap_hash: string;
  /** Of everything but what the catalog derives and `updated_at`. */
  content_hash: string;
}

const derived = new Set(["rev", "schema_hash", "cap_hash", "updated_at"]);

/**
 * What a resource is, in three hashes: two records with one `schema_hash` take the same queries.
 * @throws CanonicalJsonError for what JSON cannot carry
 */
export function hashResource(resource: ResourceInput): ResourceHashes {
  const columns = [...(resource.columns ?? [])].sort((left, right) => compareCodeUnits(left.name, right.name));
  const schema = columns.length > 0 ? columns.map(schemaOf) : [...(resource.schema_digest ?? [])].sort();
  const content = Object.entries(resource).filter(([name]) => !derived.has(name));
  return {
    schema_hash: hashOf(schema),
    cap_hash: hashOf({ cap: [...(resource.cap ?? [])].sort(), pushdown: resource.pushdown ?? {} }),
    content_hash: hashOf(Object.fromEntries(content)),
  };
}

function schemaOf({ name, type, nn, pk, fk, unit }: ResourceColumn): Record<string, unknown> {
  return { name, type, nn: nn === true || undefined, pk: pk === true || undefined, fk, unit };
}

function hashOf(value: unknown): string {
  return sha256Hex(canonicalJson(value)).slice(0, 16);
}
