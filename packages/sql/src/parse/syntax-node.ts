import { isRecord } from "@ccl/core/json";

/** A node of the parser's tree: members by name, or one member that names a variant, like `{ Select: {...} }`. */
export type SyntaxNode = Readonly<Record<string, unknown>>;

/** The variant of a node and its content. Undefined if it is not a variant. */
export function variantOf(value: unknown): { tag: string; content: unknown } | undefined {
  if (!isRecord(value)) return undefined;
  const [tag, ...others] = Object.keys(value);
  if (tag === undefined || others.length > 0 || !/^[A-Z]/.test(tag)) return undefined;
  return { tag, content: value[tag] };
}

/** The node at a path of members. An empty node if there is none. */
export function nodeOf(value: unknown, ...path: readonly string[]): SyntaxNode {
  let found: unknown = value;
  for (const name of path) found = isRecord(found) ? found[name] : undefined;
  return isRecord(found) ? found : {};
}

/** The list at a path of members. Empty if there is none. */
export function listOf(value: unknown, ...path: readonly string[]): readonly unknown[] {
  let found: unknown = value;
  for (const name of path) found = isRecord(found) ? found[name] : undefined;
  return Array.isArray(found) ? found : [];
}

/** True for the parser's placeholder of an omitted part. */
export function isAbsent(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  );
}
