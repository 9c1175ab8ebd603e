import { isRecord } from "@ccl/core/json";

/** A node in the parser's tree: fields by name, or a single field that names a variant, e.g. `{ Select: {...} }`. */
export type SyntaxNode = Readonly<Record<string, unknown>>;

/** Returns a node's variant and content, or undefined if it is not a variant. */
export function variantOf(value: unknown): { tag: string; content: unknown } | undefined {
  if (!isRecord(value)) return undefined;
  const [tag, ...others] = Object.keys(value);
  if (tag === undefined || others.length > 0 || !/^[A-Z]/.test(tag)) return undefined;
  return { tag, content: value[tag] };
}

/** Returns the node at a path of fields, or an empty node if there is none. */
export function nodeOf(value: unknown, ...path: readonly string[]): SyntaxNode {
  let found: unknown = value;
  for (const name of path) found = isRecord(found) ? found[name] : undefined;
  return isRecord(found) ? found : {};
}

/** Returns the list at a path of fields, or an empty list if there is none. */
export function listOf(value: unknown, ...path: readonly string[]): readonly unknown[] {
  let found: unknown = value;
  for (const name of path) found = isRecord(found) ? found[name] : undefined;
  return Array.isArray(found) ? found : [];
}

/** True for the parser's placeholder for an omitted part. */
export function isAbsent(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  );
}
