import { canonicalJson, sha256Hex, compareCodeUnits } from "@ccl/core";
import { isSameJson, withoutMembers } from "@ccl/core/json";

import type { ResourceColumn, ResourceInput } from "./resource-record.ts";

/**
 * The first 16 hexadecimal digits of SHA-256 hashes. They do not depend on the order of fields, columns and
 * capabilities.
 */
export interface ResourceHashes {
  /** Covers names, types, nulls, keys and units of the columns, or the digest if there are no columns. */
  schema_hash: string;
  /** Covers the capabilities and what can be pushed down. */
  cap_hash: string;
  /** Covers everything except `updated_at` and derived fields. */
  content_hash: string;
}

const derived = new Set(["rev", "schema_hash", "cap_hash", "updated_at"]);

/**
 * Hashes a resource. Two records with the same `schema_hash` accept the same queries.
 * @throws CanonicalJsonError for values that JSON cannot represent
 */
export function hashResource(resource: ResourceInput): ResourceHashes {
  return { ...hashAbilities(resource), content_hash: hashOf(withoutMembers(resource, derived)) };
}

/** Returns the hashes that a record stores. */
export function hashAbilities(resource: ResourceInput): Omit<ResourceHashes, "content_hash"> {
  const columns = [...(resource.columns ?? [])].sort((left, right) =>
    compareCodeUnits(left.name, right.name),
  );
  const digest = [...(resource.schema_digest ?? [])].sort();
  return {
    schema_hash: hashOf(columns.length > 0 ? columns.map(schemaOf) : digest),
    cap_hash: hashOf({ cap: [...(resource.cap ?? [])].sort(), pushdown: resource.pushdown ?? {} }),
  };
}

/** True if both have the same `content_hash`. */
export function hasSameContent(left: ResourceInput, right: ResourceInput): boolean {
  return isSameJson(withoutMembers(left, derived), withoutMembers(right, derived));
}

/** Returns the column fields that determine which queries it accepts. */
function schemaOf({ name, type, nn, pk, fk, unit }: ResourceColumn): Partial<ResourceColumn> {
  return { name, type, nn: nn === true || undefined, pk: pk === true || undefined, fk, unit };
}

function hashOf(value: unknown): string {
  return sha256Hex(canonicalJson(value)).slice(0, 16);
}
