import { isRecord } from "@ccl/core/json";

/** One leaf of a structured value. */
export interface FlatPair {
  /** Keys joined with dots, indexes in brackets. */
  key: string;
  value: string;
}

const maxDepth = 12;

/**
 * The first `limit` leaves of a value, in its order. A list of scalars is one leaf. Anything deeper than 12 levels is
 * `{...}`.
 */
export function flattenValue(value: unknown, limit: number): FlatPair[] {
  const pairs: FlatPair[] = [];
  visit(value, { key: "", depth: 0 }, (pair) => pairs.push(pair) < limit);
  return pairs;
}

/** Returns false as soon as the visitor stops. */
function visit(
  value: unknown,
  at: { key: string; depth: number },
  take: (pair: FlatPair) => boolean,
): boolean {
  if (Array.isArray(value) && !value.every(isScalar)) {
    if (at.depth >= maxDepth) return take({ key: at.key, value: "[...]" });
    return value.every((item: unknown, index) =>
      visit(item, { key: `${at.key}[${index}]`, depth: at.depth + 1 }, take),
    );
  }
  if (!isRecord(value)) return take({ key: at.key, value: renderScalar(value) });
  if (at.depth >= maxDepth) return take({ key: at.key, value: "{...}" });
  return Object.entries(value).every(([name, item]) =>
    visit(item, { key: at.key === "" ? name : `${at.key}.${name}`, depth: at.depth + 1 }, take),
  );
}

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null;

function renderScalar(value: unknown): string {
  if (Array.isArray(value)) return `[${value.slice(0, 100).map(renderScalar).join(",")}]`;
  return typeof value === "string" ? value.slice(0, 4_000) : String(value);
}
