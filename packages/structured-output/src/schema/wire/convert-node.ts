import { arrayAt, isRecord } from "@ccl/core/json";
import { formatPointer } from "../../json-schema/json-pointer.ts";
import { convertArray } from "./convert-array.ts";
import { convertObject } from "./convert-object.ts";
import { convertEnum, convertScalar } from "./convert-scalar.ts";
import { convertUnion } from "./convert-union.ts";
import { dropConstraints } from "./drop-constraints.ts";
import { annotations, isConstraining, mergeNodes } from "./merge-nodes.ts";
import type { Converted, Position, WireContext, WireNode } from "./wire-context.ts";

/** Follows references of the domain schema. */
export interface References {
  /** The target node of a reference. @throws StructuredOutputError */
  resolve(reference: unknown): unknown;
  /** The wire definition of a reference's target. */
  define(reference: unknown): Converted;
}

/** Converts any node of a domain schema. */
export function convertNode(
  given: unknown,
  position: Position,
  { context, references }: { context: WireContext; references: References },
): Converted {
  if (!isRecord(given) || !isConstraining(given))
    return context.jsonText(given, position, "it may be any value");
  const node = simplify(given, references, new Set());
  if (node === undefined)
    return context.jsonText(given, position, "its parts cannot be told as one");
  if ("$ref" in node) return references.define(node["$ref"]);
  const converted = convertSimple(node, position, context);
  return converted ?? context.jsonText(given, position, "strict schemas have no form for it");
}

function convertSimple(
  node: WireNode,
  position: Position,
  context: WireContext,
): Converted | undefined {
  const { type } = node;
  if ("const" in node || Array.isArray(node["enum"])) {
    const values = "const" in node ? [node["const"]] : arrayAt(node, "enum");
    const converted = convertEnum(values, position, context);
    return (
      converted && {
        ...converted,
        schema: dropConstraints(converted.schema, node, { position, context }),
      }
    );
  }
  const branches = unionOf(node);
  if (branches !== undefined) {
    const converted = convertUnion(branches, position, context);
    return converted && described(converted, node);
  }
  const isNested = position.depth >= context.maxDepth;
  const kind = type ?? inferredType(node);
  if (kind === "object") return isNested ? undefined : convertObject(node, position, context);
  if (kind === "array") return isNested ? undefined : convertArray(node, position, context);
  const isScalar =
    typeof kind === "string" && ["string", "number", "integer", "boolean", "null"].includes(kind);
  return isScalar ? convertScalar(node, position, context) : undefined;
}

// The schema object of a union is completed later, so its description is added in place.
function described(converted: Converted, { description }: WireNode): Converted {
  if (
    typeof description === "string" &&
    !("$ref" in converted.schema) &&
    !("description" in converted.schema)
  ) {
    converted.schema["description"] = description;
  }
  return converted;
}

/** The branches of a union. Constraints beside `anyOf` go into each branch. */
function unionOf(node: WireNode): unknown[] | undefined {
  const { anyOf, oneOf, type } = node;
  const branches: unknown[] | undefined = [anyOf, oneOf].find((list) => Array.isArray(list));
  if (branches !== undefined) {
    const { anyOf: _any, oneOf: _one, description: _text, title: _title, ...beside } = node;
    return isConstraining(beside)
      ? branches.map((branch) => ({ allOf: [beside, branch] }))
      : branches;
  }
  if (!Array.isArray(type)) return undefined;
  const { description: _text, title: _title, ...rest } = node;
  return type.map((single: unknown) => ({ ...rest, type: single }));
}

function inferredType(node: WireNode): string | undefined {
  if (
    ["properties", "required", "additionalProperties", "patternProperties"].some(
      (keyword) => keyword in node,
    )
  )
    return "object";
  return "items" in node || "prefixItems" in node ? "array" : undefined;
}

/** The node without `allOf` and without constraints beside `$ref`. Undefined if the parts cannot be merged. */
function simplify(
  node: WireNode,
  references: References,
  seen: Set<unknown>,
): WireNode | undefined {
  const { allOf: _allOf, $ref: reference, ...rest } = node;
  const parts = arrayAt(node, "allOf");
  const isAlone = parts.every((part) => part === true);
  if (isAlone && !isConstraining(rest)) return reference === undefined ? rest : { $ref: reference };
  if (isAlone && reference === undefined) return rest;
  const onlyPart =
    parts.length === 1 && reference === undefined && !isConstraining(rest) ? parts[0] : undefined;
  if (isRecord(onlyPart))
    return simplify({ ...annotationsOf(rest), ...onlyPart }, references, seen);
  let merged: WireNode | undefined = rest;
  for (const part of [...parts, ...(reference === undefined ? [] : [{ $ref: reference }])]) {
    const plain = expand(part, references, seen);
    merged = plain && merged && mergeNodes(merged, plain);
  }
  return merged;
}

/** A part of `allOf` with its references resolved. Undefined for false and for cycles. */
function expand(part: unknown, references: References, seen: Set<unknown>): WireNode | undefined {
  if (part === true) return {};
  if (!isRecord(part)) return undefined;
  const plain = simplify(part, references, seen);
  if (plain === undefined || !("$ref" in plain)) return plain;
  if (seen.has(plain["$ref"])) return undefined;
  return expand(references.resolve(plain["$ref"]), references, new Set([...seen, plain["$ref"]]));
}

function annotationsOf(node: WireNode): WireNode {
  return Object.fromEntries(Object.entries(node).filter(([keyword]) => annotations.has(keyword)));
}

/** The definition name for a reference: its last step, in characters that providers accept. */
export function definitionName(reference: string, taken: ReadonlySet<string>): string {
  const last = reference.split("/").at(-1) ?? "";
  const base = last.replaceAll(/[^A-Za-z0-9_-]/g, "_").replace(/^_+$/, "") || "root";
  let name = base;
  for (let number = 2; taken.has(name); number++) name = `${base}${number}`;
  return name;
}

/** The wire reference to a definition. */
export function wireReference(name: string): string {
  return `#${formatPointer(["$defs", name])}`;
}
