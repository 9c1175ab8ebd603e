import type { Issue } from "@ccl/core";

import { isRecord } from "@ccl/core/json";
import { formatPointer, parsePointer } from "../../json-schema/json-pointer.ts";
import type { JsonSchema } from "../../json-schema/json-schema.ts";
import { createJsonSchemaChecker } from "../../json-schema/json-schema-checker.ts";
import { jsonSchemaOf } from "../compile-schema.ts";
import { resolveReference } from "../schema-at.ts";
import { isStandardSchema, type StructuredSchema } from "../structured-schema.ts";
import { StructuredOutputError } from "../../structured-output-error.ts";
import { convertNode } from "./convert-node.ts";
import { objectOf } from "./convert-object.ts";
import { lintWireSchema } from "./lint-wire-schema.ts";
import {
  identity,
  type Converted,
  type Decode,
  parsed,
  type Place,
  warn,
  type WireContext,
} from "./wire-context.ts";
import { wireLimits } from "./wire-rules.ts";

/** A schema in the strict subset, and a decoder for its values. */
export interface WireSchema {
  /** Valid with `strict: true`: `lintWireSchema` finds no issues in it. */
  schema: JsonSchema;
  /** Decodes a wire value to an unchecked domain value. Anything not in the wire's shape stays unchanged. */
  decode(wire: unknown): unknown;
  /**
   * Warnings about what the wire schema cannot express, by path in the domain schema. Codes are those of
   * `WireNoteCode`.
   */
  notes: Issue[];
}

/**
 * Converts a schema to the strict subset. Optional properties become nullable, maps become lists of pairs, tuples
 * become objects, and ambiguous unions are tagged. Anything else is sent as JSON text.
 * @throws StructuredOutputError `schema_invalid`, `schema_unsupported`
 */
export function toWireSchema<T>(schema: StructuredSchema<T>): WireSchema {
  const domain = jsonSchemaOf(schema);
  // Library schemas are always valid.
  if (!isStandardSchema(schema)) createJsonSchemaChecker(schema);
  return convertWithinLimits(domain);
}

/**
 * Converts with less room if the schema is at the depth limit, since tags and wrappers nest deeper than the domain
 * schema.
 */
function convertWithinLimits(domain: JsonSchema): WireSchema {
  for (let maxDepth: number = wireLimits.depth; maxDepth > 0; maxDepth--) {
    const converted = convertRoot(domain, maxDepth);
    const issues = lintWireSchema(converted.schema);
    if (issues.length === 0) return converted;
    if (issues.some((issue) => issue.code !== "wire_depth")) break;
  }
  const message =
    "The whole value is sent as JSON text, because the schema exceeds the limits of strict schemas.";
  const notes: Issue[] = [{ code: "wire_json_text", path: [], message, severity: "warning" }];
  const text = { type: "string", description: "The answer as JSON text." };
  return { schema: objectOf([["value", text]]), decode: boxed(parsed), notes };
}

/** Decodes a root wrapped in a property because it is not an object. */
function boxed(decode: Decode): Decode {
  return (wire) => {
    const isBox = isRecord(wire) && Object.hasOwn(wire, "value") && Object.keys(wire).length === 1;
    return decode(isBox ? wire["value"] : wire);
  };
}

function convertRoot(domain: JsonSchema, maxDepth: number): WireSchema {
  const { context, definitions } = createContext(domain, maxDepth);
  const place: Place = { path: [], depth: 0, context };
  const root = context.convert(domain, place);
  for (const decide of context.settle) decide();
  const target = "$ref" in root.schema ? context.wireTarget(root.schema["$ref"]) : root.schema;
  const isObject = target?.["type"] === "object";
  if (!isObject)
    warn(
      place,
      "wire_root_wrapped",
      'The root is not an object, so it is sent in the property "value".',
    );
  const body = isObject ? target : objectOf([["value", root.schema]]);
  const $defs = Object.fromEntries(
    [...definitions.values()].map(({ name, schema }) => [name, schema]),
  );
  return {
    schema: definitions.size === 0 ? body : { ...body, $defs },
    decode: isObject ? root.decode : boxed(root.decode),
    notes: context.notes,
  };
}

interface Definition extends Converted {
  name: string;
}

function createContext(
  root: JsonSchema,
  maxDepth: number,
): { context: WireContext; definitions: Map<unknown, Definition> } {
  const definitions = new Map<unknown, Definition>();
  const convertDefinition = (reference: unknown): Definition => {
    const node = context.resolve(reference);
    const names = new Set([...definitions.values()].map((known) => known.name));
    const name = definitionName(String(reference), names);
    const definition: Definition = { name, schema: {}, decode: identity };
    definitions.set(reference, definition);
    const path = parsePointer(String(reference).slice(1));
    return Object.assign(definition, context.convert(node, { path, depth: 0, context }));
  };
  const context: WireContext = {
    maxDepth,
    notes: [],
    enumValuesLeft: wireLimits.enumValues,
    settle: [],
    unsettled: new Set(),
    convert: convertNode,
    resolve: (reference) => nodeAt(root, reference),
    define: (reference) => {
      const definition = definitions.get(reference) ?? convertDefinition(reference);
      return {
        schema: { $ref: wireReference(definition.name) },
        decode: (wire) => definition.decode(wire),
      };
    },
    wireTarget: (reference) =>
      [...definitions.values()].find(({ name }) => wireReference(name) === reference)?.schema,
  };
  return { context, definitions };
}

/** Names a reference's definition: its last step, in characters that providers accept. */
function definitionName(reference: string, taken: ReadonlySet<string>): string {
  const last = reference.split("/").at(-1) ?? "";
  const base = last.replaceAll(/[^A-Za-z0-9_-]/g, "_").replace(/^_+$/, "") || "root";
  let name = base;
  for (let number = 2; taken.has(name); number++) name = `${base}${number}`;
  return name;
}

function wireReference(name: string): string {
  return `#${formatPointer(["$defs", name])}`;
}

function nodeAt(root: JsonSchema, reference: unknown): unknown {
  const shown = JSON.stringify(reference);
  if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) {
    const message = `The reference ${shown} is not a pointer into the schema; use "#/$defs/...".`;
    throw new StructuredOutputError("schema_unsupported", message);
  }
  const node = resolveReference(root, reference);
  if (node !== undefined) return node;
  throw new StructuredOutputError("schema_invalid", `The reference ${shown} has no target.`);
}
