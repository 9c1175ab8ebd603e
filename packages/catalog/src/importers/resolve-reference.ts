import { isRecord } from "@ccl/core/json";

/** How many references may point at one another in a row. */
const maxHops = 32;

/** What a JSON pointer (RFC 6901) with a `#` before it points at in a document; undefined where nothing is, or outside the document. */
function resolvePointer(root: unknown, reference: string): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let found: unknown = root;
  for (const token of reference.split("/").slice(1)) {
    const key = decodeToken(token);
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Array.isArray(found) ? found[Number(key)] : isRecord(found) ? found[key] : undefined;
  }
  return found;
}

function decodeToken(token: string): string {
  let text = token;
  try {
    text = decodeURIComponent(token);
  } catch {
    // A stray percent sign stands for itself.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** A value behind its references. */
interface Resolved {
  value: unknown;
  /** The references followed, the latest last. */
  followed: string[];
  /** The reference that points at nothing, or round in a circle. */
  broken?: string | undefined;
}

/** Follows `$ref`s until something else comes. Fields beside a `$ref` are laid over what it points at, as OpenAPI 3.1 has it. */
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
