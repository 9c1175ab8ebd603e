import { sha256Hex } from "@ccl/core";

// A name has up to 300 characters.
const maxPart = 80;
const hexLength = 64;
const isHashed = /~[0-9a-f]{64}$/;

/**
 * Joins a kind and ids to an unambiguous name. Replaces the end of long ids with their hash. Keeps the last id as is,
 * so that names sort like their last ids. With an empty last id, returns the prefix of names that start with the
 * others.
 */
export function recordName(kind: string, ...ids: readonly string[]): string {
  const parts = ids.map((id, at) =>
    partOf(at === ids.length - 1 ? id : id.replaceAll("%", "%25").replaceAll("/", "%2f")),
  );
  return [kind, ...parts].join("/");
}

function partOf(id: string): string {
  if (id.length <= maxPart && !isHashed.test(id)) return id;
  return `${id.slice(0, maxPart - hexLength - 1)}~${sha256Hex(id)}`;
}

const highestUnit = 0xff_ff;
const maxUnits = 40;

/** Returns a name part that sorts before those of all lower ids. */
export function descendingId(id: string): string {
  const units = Array.from({ length: Math.min(id.length, maxUnits) }, (_, at) =>
    (highestUnit - id.charCodeAt(at)).toString(16).padStart(4, "0"),
  );
  return `${units.join("")}~${id.length > maxUnits ? sha256Hex(id) : ""}`;
}
