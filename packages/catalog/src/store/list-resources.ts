import { isRecord } from "@ccl/core/json";
import type { Records, StoredRecord } from "@ccl/records";

import { CatalogError } from "../catalog-error.ts";
import type { ResourceRecord } from "../record/resource-record.ts";
import { resourceName, resourcePrefix } from "./stored-names.ts";

/** Lists all stored resources of a catalog, without access rules. @throws RecordsError */
export async function listResources(
  records: Records,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<ResourceRecord[]> {
  const resources: ResourceRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await records.list({ prefix: resourcePrefix, cursor, limit: 1_000, signal });
    resources.push(...page.records.map(resourceOf));
    ({ cursor } = page);
  } while (cursor !== undefined);
  return resources;
}

/** Reads the records of the ids that exist. */
export async function readResources(
  records: Records,
  ids: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ResourceRecord[]> {
  const found = await records.getMany(ids.map(resourceName), { signal });
  return found.flatMap((record) => (record === undefined ? [] : resourceOf(record)));
}

function resourceOf({ name, value }: StoredRecord): ResourceRecord {
  if (isResource(value) && resourceName(value.id) === name) return value;
  throw new CatalogError("damaged", `No catalog wrote the entry "${name}".`);
}

/**
 * A shallow check. The catalog validated the record before writing it, and the store verifies its
 * checksum.
 */
function isResource(value: unknown): value is ResourceRecord {
  return isRecord(value) && typeof value["id"] === "string" && typeof value["rev"] === "number";
}
