import { sha256Hex } from "@ccl/core";

/** The log of written ids. Its version is the catalog's. */
export const changesLog = "catalog/changes";
/** Prefix of the names of resources. */
export const resourcePrefix = "catalog/resource/";

/** Record names are limited to 300 characters, and resource ids may be longer. */
const longestId = 200;

/** Returns the name of a resource's record. */
export function resourceName(id: string): string {
  return `${resourcePrefix}${shortened(id)}`;
}

/** Returns the name of a resource's history log. */
export function historyName(id: string): string {
  return `catalog/history/${shortened(id)}`;
}

/** Returns the name of an embedder's vector for the text. */
export function vectorName(embedder: string, text: string): string {
  return `catalog/vector/${sha256Hex(embedder).slice(0, 32)}/${sha256Hex(text)}`;
}

/** Shortened ids are all longer than any unshortened one, so no two ids collide. */
function shortened(id: string): string {
  return id.length <= longestId ? id : id.slice(0, longestId) + sha256Hex(id);
}
