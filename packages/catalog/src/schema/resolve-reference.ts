import { isRecord, valueAt } from "@ccl/core/json";

/** Maximum length of a chain of references. */
const maxHops = 32;

/**
 * Resolves a JSON pointer (RFC 6901) that starts with `#`. Returns undefined if its target is missing or outside
 * the document.
 */
function resolvePointer(root: unknown, reference: string): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  return valueAt(root, reference.split("/").slice(1).map(decodeToken));
}

function decodeToken(token: string): string {
  let text = token;
  try {
    text = decodeURIComponent(token);
  } catch {
    // A stray percent sign is literal.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** A value with its references resolved. */
interface Resolved {
  value: unknown;
  /** The references followed, in order. */
  followed: string[];
  /** The reference that has no target or closes a cycle. */
  broken?: string | undefined;
}

/**
 * Follows `$ref`s to the first value without one. Fields beside a `$ref` override those of its
 * target, as in OpenAPI 3.1.
 */
export function followReferences(root: unknown, start: unknown): Resolved {
  const followed: string[] = [];
  let value = start;
  let beside: Record<string, unknown> = {};
  while (isRecord(value) && typeof value["$ref"] === "string") {
    const { $ref: reference, ...rest } = value;
    if (typeof reference !== "string") break;
    beside = { ...rest, ...beside };
    if (followed.includes(reference) || followed.length >= maxHops)
      return { value: beside, followed, broken: reference };
    followed.push(reference);
    value = resolvePointer(root, reference);
    if (value === undefined) return { value: beside, followed, broken: reference };
  }
  return {
    value: isRecord(value) && Object.keys(beside).length > 0 ? { ...value, ...beside } : value,
    followed,
  };
}
