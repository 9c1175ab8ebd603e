import { sha256Hex } from "@ccl/core";

/** The log of the ids that were written. Its version is the catalog's. */
export const changesLog = "catalog/changes";
/** What the names of resources begin with. */
export const resourcePrefix = "catalog/resource/";

/** Names of records have up to 300 characters, and ids of resources may have more. */
const longestId = 200;

/** The name of a resource's record. */
export function resourceName(id: string): string {
  return `${resourcePrefix}${shortened(id)}`;
}

/** The name of the log of what happened to a resource. */
export function historyName(id: string): string {
  return `catalog/history/${shortened(id)}`;
}

/** The name of the vector that an embedder gave for a text. */
export function vectorName(embedder: string, text: string): string {
  return `catalog/vector/${sha256Hex(embedder).slice(0, 32)}/${sha256Hex(text)}`;
}

/** An id that is cut has more characters than one that is not, so that no two are the same. */
function shortened(id: string): string {
  return id.length <= longestId ? id : id.slice(0, longestId) + sha256Hex(id);
}
