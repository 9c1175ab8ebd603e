import { canonicalJson } from "@ccl/core";

import { isRecord } from "@ccl/core/json";

type Node = Record<string, unknown>;

/** Keywords that are annotations, or that belong to the document rather than a value. */
export const annotations: ReadonlySet<string> = new Set(
  (
    "$schema $id $anchor $comment $defs definitions $vocabulary title description default examples " +
    "example deprecated readOnly writeOnly id"
  ).split(" "),
);

/** True if a node constrains values. */
export function isConstraining(node: Node): boolean {
  return Object.keys(node).some((keyword) => !annotations.has(keyword) && !/^x[-_]/.test(keyword));
}

/**
 * Merges two nodes into one that accepts every value both accept. It may accept more, which local validation catches.
 * Undefined if they cannot be merged.
 */
export function mergeNodes(left: Node, right: Node): Node | undefined {
  const merged: Node = { ...left };
  for (const [keyword, theirs] of Object.entries(right)) {
    if (!(keyword in merged)) {
      merged[keyword] = theirs;
      continue;
    }
    const value = mergeKeyword(keyword, merged[keyword], theirs);
    if (value === undefined) return undefined;
    merged[keyword] = value;
  }
  return merged;
}

/** Returns undefined if they cannot be merged. */
function mergeKeyword(keyword: string, ours: unknown, theirs: unknown): unknown {
  if (keyword === "properties") return mergeProperties(ours, theirs);
  if (keyword === "required" && Array.isArray(ours) && Array.isArray(theirs))
    return [...new Set([...ours, ...theirs])];
  if (keyword === "additionalProperties" || keyword === "items") return mergeSchemas(ours, theirs);
  if (keyword === "type") return mergeTypes(ours, theirs);
  if (keyword === "enum" && Array.isArray(ours) && Array.isArray(theirs)) {
    return ours.filter((value) => theirs.includes(value));
  }
  if (typeof ours === "number" && typeof theirs === "number") {
    if (/^min|^exclusiveMin/.test(keyword)) return Math.max(ours, theirs);
    if (/^max|^exclusiveMax/.test(keyword)) return Math.min(ours, theirs);
  }
  const isSame = canonicalJson(ours) === canonicalJson(theirs);
  return isSame ||
    !["$ref", "anyOf", "oneOf", "allOf", "const", "prefixItems", "enum"].includes(keyword)
    ? ours
    : undefined;
}

function mergeProperties(ours: unknown, theirs: unknown): unknown {
  if (!isRecord(ours) || !isRecord(theirs)) return undefined;
  const merged = new Map(Object.entries(ours));
  for (const [name, property] of Object.entries(theirs)) {
    merged.set(name, merged.has(name) ? { allOf: [merged.get(name), property] } : property);
  }
  return Object.fromEntries(merged);
}

function mergeSchemas(ours: unknown, theirs: unknown): unknown {
  if (ours === false || theirs === false) return false;
  if (ours === true) return theirs;
  return theirs === true ? ours : { allOf: [ours, theirs] };
}

function mergeTypes(ours: unknown, theirs: unknown): unknown {
  const [left, right] = [[ours].flat(), [theirs].flat()];
  const common = [...left, ...right].filter(
    (type) =>
      (left.includes(type) && right.includes(type)) ||
      (type === "integer" && (left.includes("number") || right.includes("number"))),
  );
  const unique = [...new Set(common)];
  return unique.length === 0 ? undefined : unique.length === 1 ? unique[0] : unique;
}
