import { isRecord } from "@ccl/core/json";

const dots = "...";

/** A leaf of a structured value. */
export interface FlatPair {
  /** Keys joined with dots, with indexes in brackets. */
  key: string;
  value: string;
}

const maxDepth = 12;

/**
 * Returns the first `limit` leaves of a value, in order. A list of scalars is one leaf. Anything
 * nested deeper than 12 levels becomes `{...}`.
 */
export function flattenValue(value: unknown, limit: number): FlatPair[] {
  const pairs: FlatPair[] = [];
  for (const pair of leavesOf(value, "", 0)) if (pairs.push(pair) >= limit) break;
  return pairs;
}

function* leavesOf(value: unknown, key: string, depth: number): Generator<FlatPair> {
  const isList = Array.isArray(value) && !value.every(isScalar);
  if (!isList && !isRecord(value)) yield { key, value: renderScalar(value) };
  else if (depth >= maxDepth) yield { key, value: isList ? `[${dots}]` : `{${dots}}` };
  else
    for (const [name, item] of Object.entries(value)) {
      const inner = key === "" ? name : `${key}.${name}`;
      yield* leavesOf(item, isList ? `${key}[${name}]` : inner, depth + 1);
    }
}

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null;

function renderScalar(value: unknown): string {
  if (Array.isArray(value)) return `[${value.slice(0, 100).map(renderScalar).join(",")}]`;
  return typeof value === "string" ? value.slice(0, 4_000) : String(value);
}
