import { declarationAt, type Declaration } from "../declaration.ts";

const MAX_KEYS = 24;
const IDENTIFIER = /^[\w$.-]+$/;

function keyText(key: string): string {
  return IDENTIFIER.test(key) ? key : JSON.stringify(key);
}

/** Describes the type of a value. Shows an array's length and first element, and an object's keys to this depth. */
export function shapeOf(value: unknown, depth = 1): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) {
    const items: unknown[] = value;
    return items.length === 0 ? "[]" : `${shapeOf(items[0], depth)}[${items.length}]`;
  }
  if (typeof value !== "object") return typeof value;
  const entries = Object.entries(value);
  if (entries.length === 0) return "{}";
  if (depth <= 0) return `{…${entries.length}}`;
  const shown = entries
    .slice(0, MAX_KEYS)
    .map(([key, inner]) => `${keyText(key)}: ${shapeOf(inner, depth - 1)}`);
  if (entries.length > MAX_KEYS) shown.push(`…${entries.length - MAX_KEYS}`);
  return `{${shown.join(", ")}}`;
}

/** Creates a declaration for a top-level key of a data file, with the shape of its value. */
export function keyDeclaration(
  name: string,
  shape: string,
  place: { firstLine: number; lastLine: number },
): Declaration {
  const signature = shape === "" ? name : `${name}: ${shape}`;
  return declarationAt(place, { kind: "key", name, exports: [], signature });
}
