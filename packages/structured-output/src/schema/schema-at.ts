import { arrayAt, isRecord, type JsonRecord, valueAt } from "@ccl/core/json";

import { parsePointer } from "../json-schema/json-pointer.ts";

/** Resolves a reference within a document. A reference to another document resolves to `true`. */
export function resolveReference(root: unknown, reference: string): unknown {
  return reference.startsWith("#")
    ? valueAt(root, parsePointer(reference.slice(1)).map(withoutPercent))
    : true;
}

/** Decodes a pointer step from a URI fragment. A lone percent sign is kept. */
function withoutPercent(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** Returns the schemas of a list's first items and of the rest. draft-07 has the first ones under `items`. */
export function tupleOf(schema: JsonRecord): { prefix: unknown[]; rest: unknown } {
  const { items, additionalItems } = schema;
  return Array.isArray(items)
    ? { prefix: items, rest: additionalItems }
    : { prefix: arrayAt(schema, "prefixItems"), rest: items };
}

/** Returns the schema of the value at a path. Undefined if the path crosses a union. */
export function schemaAt(
  root: JsonRecord,
  path: readonly (string | number)[],
): JsonRecord | undefined {
  let node = followed(root, root);
  for (const step of path) {
    const { properties, additionalProperties } = node ?? {};
    const { prefix, rest } = tupleOf(node ?? {});
    const below =
      typeof step === "number"
        ? (prefix[step] ?? rest)
        : isRecord(properties) && Object.hasOwn(properties, step)
          ? properties[step]
          : additionalProperties;
    node = followed(root, below);
  }
  return node;
}

function followed(root: JsonRecord, given: unknown): JsonRecord | undefined {
  let node = given;
  for (let left = 16; left > 0 && isRecord(node) && typeof node["$ref"] === "string"; left -= 1)
    node = resolveReference(root, node["$ref"]);
  return isRecord(node) ? node : undefined;
}
