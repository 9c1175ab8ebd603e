import type { Issue } from "@ccl/core";

import { isRecord, valueAt } from "@ccl/core/json";
import { parsePointer } from "../../json-schema/json-pointer.ts";
import type { JsonSchema, JsonSchemaChecker } from "../../json-schema/json-schema.ts";
import { createJsonSchemaChecker } from "../../json-schema/json-schema-checker.ts";
import { jsonSchemaOf } from "../compile-schema.ts";
import { isStandardSchema, type StructuredSchema } from "../structured-schema.ts";
import { StructuredOutputError } from "../../structured-output-error.ts";
import { convertNode, definitionName, type References, wireReference } from "./convert-node.ts";
import { objectOf } from "./convert-object.ts";
import { lintWireSchema } from "./lint-wire-schema.ts";
import { boxCodec, identityCodec, jsonTextCodec } from "./wire-codec.ts";
import type { Converted, Position, WireContext, WireNode } from "./wire-context.ts";
import { wireLimits } from "./wire-rules.ts";

/** A schema in the strict subset, and the way to it and back. */
export interface WireSchema {
  /** Accepted with `strict: true`: `lintWireSchema` finds nothing in it. */
  schema: JsonSchema;
  /**
   * A value that fits the domain schema, as the wire schema has it; undefined members are left out first.
   * @throws StructuredOutputError `value_invalid`
   */
  encode(value: unknown): unknown;
  /** The domain value of a wire value, unchecked. What does not have the wire's shape stays as it is. */
  decode(wire: unknown): unknown;
  /** Warnings: what the wire schema cannot say, by path in the domain schema. Codes are of `WireNoteCode`. */
  notes: Issue[];
}

const converted = new WeakMap<JsonSchema, WireSchema>();

/**
 * The strict subset's form of a schema: optional properties become nullable, maps become lists of pairs, tuples become
 * objects, unions that cannot be told apart are tagged, and what has no form at all travels as JSON text. Converted once
 * for each schema object.
 * @throws StructuredOutputError `schema_invalid`, `schema_unsupported`
 */
export function toWireSchema<T>(schema: StructuredSchema<T>): WireSchema {
  const domain = jsonSchemaOf(schema);
  // What a library gives is valid.
  if (!isStandardSchema(schema)) createJsonSchemaChecker(schema);
  const known = converted.get(domain) ?? convertSchema(domain);
  converted.set(domain, known);
  return known;
}

function convertSchema(domain: JsonSchema): WireSchema {
  const { wire, codec, notes } = convertWithinLimits(domain);
  return {
    schema: wire,
    notes,
    decode: (value) => codec.decode(value),
    encode: (value) => {
      const checked = createJsonSchemaChecker(domain)(asJson(value));
      if (checked.ok) return codec.encode(checked.value);
      const details = { issues: checked.issues };
      const message = "The value does not fit the schema; see details.issues.";
      throw new StructuredOutputError("value_invalid", message, { details });
    },
  };
}

function asJson(value: unknown): unknown {
  try {
    const text: unknown = JSON.stringify(value);
    const plain: unknown = typeof text === "string" ? JSON.parse(text) : undefined;
    return plain;
  } catch (error) {
    throw new StructuredOutputError("value_invalid", "The value has no JSON form.", {
      cause: error,
    });
  }
}

/** Tagging and wrapping nest deeper than the domain does, so that a schema at the limit is tried with less room. */
function convertWithinLimits(domain: JsonSchema): {
  wire: JsonSchema;
  codec: Converted["codec"];
  notes: Issue[];
} {
  for (let maxDepth: number = wireLimits.depth; maxDepth > 0; maxDepth--) {
    const converted = convertRoot(domain, maxDepth);
    const issues = lintWireSchema(converted.wire);
    if (issues.length === 0) return converted;
    if (issues.some((issue) => issue.code !== "wire_depth")) break;
  }
  const message =
    "The whole value travels as JSON text: the schema is larger than strict schemas may be.";
  const notes: Issue[] = [{ code: "wire_json_text", path: [], message, severity: "warning" }];
  const text: WireNode = { type: "string", description: "The answer as JSON text." };
  return { wire: objectOf([["value", text]]), codec: boxCodec("value", jsonTextCodec), notes };
}

function convertRoot(
  domain: JsonSchema,
  maxDepth: number,
): { wire: JsonSchema; codec: Converted["codec"]; notes: Issue[] } {
  const { context, definitions } = createContext(domain, maxDepth);
  const position: Position = { path: [], depth: 0 };
  const root = context.convert(domain, position);
  for (const decide of context.settle) decide();
  const target = "$ref" in root.schema ? context.wireTarget(root.schema["$ref"]) : root.schema;
  const isObject = target?.["type"] === "object";
  if (!isObject)
    context.note(
      "wire_root_wrapped",
      position,
      'The root is no object and travels in the property "value".',
    );
  const body = isObject ? target : objectOf([["value", root.schema]]);
  const named = Object.fromEntries(
    [...definitions.values()].map(({ name, schema }) => [name, schema]),
  );
  return {
    wire: definitions.size === 0 ? body : { ...body, $defs: named },
    codec: isObject ? root.codec : boxCodec("value", root.codec),
    notes: context.notes,
  };
}

interface Definition {
  name: string;
  schema: WireNode;
  codec: Converted["codec"];
}

function createContext(
  root: JsonSchema,
  maxDepth: number,
): { context: WireContext; definitions: Map<unknown, Definition> } {
  const definitions = new Map<unknown, Definition>();
  const resolve = (reference: unknown): unknown => resolveReference(root, reference);
  const define = (reference: unknown): Converted => {
    const definition = definitions.get(reference) ?? convertDefinition(reference);
    const codec = {
      encode: (value: unknown) => definition.codec.encode(value),
      decode: (wire: unknown) => definition.codec.decode(wire),
    };
    return { schema: { $ref: wireReference(definition.name) }, codec };
  };
  const convertDefinition = (reference: unknown): Definition => {
    const node = resolve(reference);
    const names = new Set([...definitions.values()].map((known) => known.name));
    const definition: Definition = {
      name: definitionName(String(reference), names),
      schema: {},
      codec: identityCodec,
    };
    definitions.set(reference, definition);
    const path = parsePointer(String(reference).slice(1));
    const converted = context.convert(node, { path, depth: 0 });
    definition.schema = converted.schema;
    definition.codec = converted.codec;
    return definition;
  };
  const references: References = { resolve, define };
  const context: WireContext = {
    root,
    maxDepth,
    notes: [],
    enumValuesLeft: wireLimits.enumValues,
    settle: [],
    unsettled: new Set(),
    convert: (node, position) => convertNode(node, position, { context, references }),
    wireTarget: (reference) =>
      [...definitions.values()].find((definition) => wireReference(definition.name) === reference)
        ?.schema,
    fits: createFits(root),
    note: (code, { path }, message) =>
      context.notes.push({ code, path, message, severity: "warning" }),
    jsonText: (node, position, reason) => {
      context.note("wire_json_text", position, `Travels as JSON text: ${reason}.`);
      return {
        schema: { type: "string", description: jsonTextDescription(node) },
        codec: jsonTextCodec,
      };
    },
  };
  return { context, definitions };
}

const maxSchemaCharacters = 500;

function jsonTextDescription(node: unknown): string {
  const { description, ...rules } = isRecord(node) ? node : {};
  const text = JSON.stringify(rules);
  const isDescribed = text !== "{}" && text.length <= maxSchemaCharacters;
  const form = isDescribed
    ? `JSON text that fits ${text}`
    : "A value as JSON text, strings in quotes";
  return typeof description === "string" ? `${description} (${form})` : `${form}.`;
}

function resolveReference(root: JsonSchema, reference: unknown): unknown {
  const shown = JSON.stringify(reference);
  if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) {
    const message = `The reference ${shown} is not a pointer into the schema; use "#/$defs/...".`;
    throw new StructuredOutputError("schema_unsupported", message);
  }
  const steps = parsePointer(reference.slice(1)).map((step) => withoutPercent(step));
  const node = valueAt(root, steps);
  if (node !== undefined) return node;
  throw new StructuredOutputError("schema_invalid", `The reference ${shown} leads nowhere.`);
}

/** A pointer in a URI fragment may have its characters escaped; a lone percent sign is itself. */
function withoutPercent(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** Checks of single nodes, prepared when first asked for: only encoding needs them. */
function createFits(root: JsonSchema): (node: unknown, value: unknown) => boolean {
  const { $schema, $id: _id, ...domain } = root;
  const checkers = new Map<unknown, JsonSchemaChecker<unknown>>();
  return (node, value) => {
    if (typeof node === "boolean") return node;
    if (!isRecord(node)) return false;
    const schema = { $schema, allOf: [rebased(node)], $defs: { domain: rebased(domain) } };
    const check = checkers.get(node) ?? createJsonSchemaChecker(schema);
    checkers.set(node, check);
    return check(value).ok;
  };
}

/** A node with its references leading to the definition `domain`. */
function rebased(node: Record<string, unknown>): Record<string, unknown> {
  const rebase = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item: unknown) => rebase(item));
    return isRecord(value) ? rebased(value) : value;
  };
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) =>
      key === "$ref" && typeof value === "string" && value.startsWith("#")
        ? [key, `#/$defs/domain${value.slice(1)}`]
        : [key, rebase(value)],
    ),
  );
}
