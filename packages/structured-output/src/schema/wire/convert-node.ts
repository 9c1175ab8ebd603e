import { arrayAt, isRecord } from "@ccl/core/json";
import { convertArray } from "./convert-array.ts";
import { convertObject } from "./convert-object.ts";
import { convertEnum, convertScalar } from "./convert-scalar.ts";
import { convertUnion } from "./convert-union.ts";
import { annotations, isConstraining, mergeNodes } from "./merge-nodes.ts";
import {
  type Converted,
  jsonText,
  type Place,
  type WireContext,
  type WireNode,
} from "./wire-context.ts";
import { wireTypes } from "./wire-rules.ts";

type Resolve = WireContext["resolve"];

/** Converts any node of a domain schema. */
export function convertNode(given: unknown, place: Place): Converted {
  if (!isRecord(given) || !isConstraining(given))
    return jsonText(given, place, "it may be any value");
  const { context } = place;
  const node = simplify(given, context.resolve, new Set());
  if (node === undefined) return jsonText(given, place, "its parts cannot be merged");
  if ("$ref" in node) return context.define(node["$ref"]);
  const converted = convertSimple(node, place);
  return converted ?? jsonText(given, place, "strict schemas cannot express it");
}

function convertSimple(node: WireNode, place: Place): Converted | undefined {
  if ("const" in node || Array.isArray(node["enum"])) return convertEnum(node, place);
  const branches = unionOf(node);
  if (branches !== undefined) {
    const converted = convertUnion(branches, place);
    return converted && described(converted, node);
  }
  const isNested = place.depth >= place.context.maxDepth;
  const type = node["type"] ?? inferredType(node);
  if (type === "object") return isNested ? undefined : convertObject(node, place);
  if (type === "array") return isNested ? undefined : convertArray(node, place);
  return wireTypes.has(type) ? convertScalar(node, place) : undefined;
}

// Adds a description to the schema in place, since a union's schema object is completed later.
function described(converted: Converted, { description }: WireNode): Converted {
  const { schema } = converted;
  if (typeof description === "string" && !("$ref" in schema)) schema["description"] ??= description;
  return converted;
}

/** Returns a union's branches. Constraints beside `anyOf` go into each branch. */
function unionOf(node: WireNode): unknown[] | undefined {
  const { anyOf, oneOf, description: _text, title: _title, ...beside } = node;
  const branches: unknown[] | undefined = [anyOf, oneOf].find((list) => Array.isArray(list));
  if (branches !== undefined)
    return isConstraining(beside)
      ? branches.map((branch) => ({ allOf: [beside, branch] }))
      : branches;
  const { type } = beside;
  return Array.isArray(type) ? type.map((one: unknown) => ({ ...beside, type: one })) : undefined;
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

/** Returns the node without `allOf` and without constraints beside `$ref`. Undefined if the parts cannot be merged. */
function simplify(node: WireNode, resolve: Resolve, seen: Set<unknown>): WireNode | undefined {
  const { allOf: _allOf, $ref: reference, ...rest } = node;
  const parts = arrayAt(node, "allOf").filter((part) => part !== true);
  if (reference !== undefined) parts.push({ $ref: reference });
  if (parts.length === 0) return rest;
  const [only] = parts;
  if (parts.length === 1 && !isConstraining(rest)) {
    if (reference !== undefined) return { $ref: reference };
    if (isRecord(only)) return simplify({ ...annotationsOf(rest), ...only }, resolve, seen);
  }
  let merged: WireNode | undefined = rest;
  for (const part of parts) {
    const plain = expand(part, resolve, seen);
    merged = plain && merged && mergeNodes(merged, plain);
  }
  return merged;
}

/** Resolves references in a part of `allOf`. Undefined for false and for cycles. */
function expand(part: unknown, resolve: Resolve, seen: Set<unknown>): WireNode | undefined {
  if (!isRecord(part)) return undefined;
  const plain = simplify(part, resolve, seen);
  if (plain === undefined || !("$ref" in plain)) return plain;
  const { $ref: reference } = plain;
  if (seen.has(reference)) return undefined;
  return expand(resolve(reference), resolve, new Set([...seen, reference]));
}

function annotationsOf(node: WireNode): WireNode {
  return Object.fromEntries(Object.entries(node).filter(([keyword]) => annotations.has(keyword)));
}
