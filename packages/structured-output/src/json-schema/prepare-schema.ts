import { isRecord } from "@ccl/core/json";
import { StructuredOutputError } from "../structured-output-error.ts";
import type { JsonSchema } from "./json-schema.ts";

/** A copy of a user's schema, in one dialect. */
export interface PreparedSchema {
  isDraft7: boolean;
  schema: Record<string, unknown>;
}

const dataKeywords = words("const default dependentRequired enum examples required type");
/** Keywords that map names to schemas. */
const mapKeywords: ReadonlySet<string> = words(
  "$defs definitions dependencies dependentSchemas patternProperties properties",
);
const schemaKeywords = words(
  "additionalItems additionalProperties allOf anyOf contains else if items not oneOf prefixItems " +
    "propertyNames then unevaluatedItems unevaluatedProperties",
);
const ignored = words("$recursiveAnchor $recursiveRef id nullable");
const unknownTo2020 = words("additionalItems");
const unknownToDraft7 = words(
  "$anchor $dynamicAnchor $dynamicRef dependentRequired dependentSchemas maxContains minContains " +
    "prefixItems unevaluatedItems unevaluatedProperties",
);
const staticNames = new Map([
  ["$dynamicAnchor", "$anchor"],
  ["$dynamicRef", "$ref"],
]);

/**
 * Copies a schema without annotations and keywords that its dialect does not define. OpenAPI's `nullable` becomes a
 * type. Dynamic references become plain ones, which behave differently only if a document has several `$id`s.
 * @throws Error for an invalid pattern and for keywords of other dialects
 */
export function prepareSchema(schema: JsonSchema): PreparedSchema {
  if (schema["$async"] === true) {
    const message = "The schema is $async; checks here are synchronous.";
    throw new StructuredOutputError("schema_unsupported", message);
  }
  const { $schema: dialect, ...unmarked } = schema;
  const isDraft7 = typeof dialect === "string" && /draft-0[67]/.test(dialect);
  const unknown = isDraft7 ? unknownToDraft7 : unknownTo2020;
  const references =
    JSON.stringify(unmarked)
      .match(/"\$ref":"(?:[^"\\]|\\.)*"/g)
      ?.join() ?? "";

  const isTarget = (key: string): boolean =>
    references.includes(`/${key}/`) || references.includes(`/${key}"`);
  const nameOf = (key: string): string => staticNames.get(key) ?? key;
  const isKept = ([key, value]: [string, unknown]): boolean => {
    if (ignored.has(key) || unknown.has(key)) return false;
    if (typeof value !== "object" || dataKeywords.has(key)) return true;
    return mapKeywords.has(key) || schemaKeywords.has(key) || isTarget(key);
  };
  const copyNode = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map((item: unknown) => copyNode(item));
    return isRecord(node) ? copySchema(node) : node;
  };
  const copyMember = (key: string, value: unknown): unknown => {
    if (dataKeywords.has(key)) return value;
    if (!mapKeywords.has(key) || !isRecord(value)) return copyNode(value);
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copyNode(item)]));
  };
  const copySchema = (node: Record<string, unknown>): Record<string, unknown> => {
    assertReadable(node);
    const members = Object.entries(node).filter(isKept);
    const copy = Object.fromEntries(
      members.map(([key, value]) => [nameOf(key), copyMember(key, value)]),
    );
    if (node["nullable"] === true) copy["type"] = [...new Set([copy["type"], "null"].flat())];
    return copy;
  };
  return { isDraft7, schema: copySchema(unmarked) };
}

function assertReadable(node: Record<string, unknown>): void {
  const { id, nullable, pattern, patternProperties, type } = node;
  if (typeof id === "string") throw new Error('"id" is a draft-04 keyword; use "$id"');
  if (nullable !== undefined && type === undefined) {
    throw new Error('"nullable" cannot be used without "type"');
  }
  const patterns = isRecord(patternProperties) ? Object.keys(patternProperties) : [];
  if (typeof pattern === "string") patterns.push(pattern);
  for (const source of patterns) void new RegExp(source, "u");
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
