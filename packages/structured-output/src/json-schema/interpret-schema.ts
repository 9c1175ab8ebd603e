import { dereference, type OutputUnit, validate } from "@cfworker/json-schema";

import { isRecord, valueAt } from "@ccl/core/json";
import { parsePointer } from "./json-pointer.ts";
import { typedPath } from "./schema-issue.ts";
import type { Violation } from "./explain-violation.ts";
import { metaSchema } from "./meta-schema.ts";
import { mapKeywords, type PreparedSchema } from "./prepare-schema.ts";

type Lookup = ReturnType<typeof dereference>;

/** Keywords that only pass on what a schema below them says; ajv has no errors of their own for these. */
const wrappers = new Set([
  "$ref",
  "additionalItems",
  "additionalProperties",
  "allOf",
  "dependentSchemas",
  "items",
  "patternProperties",
  "prefixItems",
  "properties",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/**
 * Finds violations without generating code.
 * @throws Error for a reference that leads nowhere
 */
export function interpretSchema({
  schema,
  isDraft7,
}: PreparedSchema): (value: unknown) => Violation[] {
  const lookup = dereference(schema);
  if (brokenReference(lookup) !== undefined) dereference(metaSchema(isDraft7), lookup);
  const broken = brokenReference(lookup);
  if (broken !== undefined) throw new Error(`can't resolve the reference ${broken}`);
  return (value) => {
    try {
      const { errors } = check(value, schema, lookup, ["#", "#"]);
      return violations(errors, { schema, lookup, value });
    } catch (error) {
      if (error instanceof RangeError) throw error;
      return [{ keyword: "json", schema: {}, path: [] }];
    }
  };
}

interface Schemas {
  schema: Record<string, unknown>;
  lookup: Lookup;
  value: unknown;
}

function violations(errors: readonly OutputUnit[], schemas: Schemas): Violation[] {
  return errors.flatMap((error, index) => {
    const neighbours = { before: errors[index - 1], after: errors[index + 1] };
    return violationsOf(error, { ...schemas, ...neighbours });
  });
}

function check(
  value: unknown,
  schema: Record<string, unknown> | boolean,
  lookup: Lookup,
  [at, keywordAt]: readonly [instanceLocation: string, schemaLocation: string],
): { errors: OutputUnit[] } {
  // The draft matters only to draft-04 and to what stands beside $ref, which is checked in all dialects here.
  return validate(value, schema, "2020-12", lookup, false, null, at, keywordAt);
}

function brokenReference(lookup: Lookup): string | undefined {
  const nodes = Object.values(lookup).filter((node) => typeof node === "object");
  return nodes.find(({ __absolute_ref__: to }) => to !== undefined && lookup[to] === undefined)
    ?.$ref;
}

interface Context extends Schemas {
  before: OutputUnit | undefined;
  after: OutputUnit | undefined;
}

function violationsOf(error: OutputUnit, context: Context): Violation[] {
  const { keyword } = error;
  if (keyword === "false") return [falseSchema(error, context)];
  if (wrappers.has(keyword)) return [];
  const { node, isName } = findSchema(error.keywordLocation, context);
  if (keyword === "dependencies" && !error.error.includes("does not have")) return [];
  // The name itself stands in what its schema says of it.
  const place = keyword === "propertyNames" ? (context.after ?? error) : error;
  const path = pathOf(place, context);
  if (keyword === "if") {
    const detail = error.error.includes('"then"') ? "then" : "else";
    return [{ keyword, schema: node, path, detail }];
  }
  if (keyword === "contains")
    return [{ keyword, schema: node, path }, ...misfits(node, error, context)];
  const detail = isName || keyword === "propertyNames" ? String(path.at(-1)) : undefined;
  return [{ keyword: keyword.replace(/^m..Contains$/, "contains"), schema: node, path, detail }];
}

/** What is wrong with each item where none fits `contains`; the interpreter leaves it out. */
function misfits(node: Record<string, unknown>, error: OutputUnit, context: Context): Violation[] {
  const items = valueAt(context.value, pathOf(error, context));
  const { contains } = node;
  if (!Array.isArray(items) || !isRecord(contains)) return [];
  return items.flatMap((item: unknown, index) => {
    const places = [`${error.instanceLocation}/${index}`, error.keywordLocation] as const;
    const { errors } = check(item, contains, context.lookup, places);
    return violations(errors, context);
  });
}

/** What may not be there at all is told by the keyword above the schema `false`. */
function falseSchema(error: OutputUnit, context: Context): Violation {
  const { before } = context;
  const path = pathOf(error, context);
  const plain = { keyword: "false schema", schema: {}, path };
  if (before === undefined) return plain;
  const { keyword } = before;
  const { node } = findSchema(before.keywordLocation, context);
  if (node[keyword] !== false) return plain;
  if (keyword === "additionalProperties" || keyword === "unevaluatedProperties") {
    return { keyword, schema: node, path };
  }
  const isItem = keyword === "items" ? "prefixItems" in node : keyword.endsWith("Items");
  return isItem ? { keyword, schema: node, path: path.slice(0, -1) } : plain;
}

/** The schema that has the keyword to which a location leads, through references. */
function findSchema(
  location: string,
  { schema, lookup }: Context,
): { node: Record<string, unknown>; isName: boolean } {
  let node: unknown = schema;
  let isName = false;
  let isSchema = true;
  for (const step of parseLocation(location).slice(0, -1)) {
    isName ||= isSchema && step === "propertyNames";
    const reference = isSchema && step === "$ref" ? valueAt(node, ["__absolute_ref__"]) : undefined;
    node = typeof reference === "string" ? lookup[reference] : valueAt(node, [step]);
    isSchema = !Array.isArray(node) && !(isSchema && mapKeywords.has(step));
  }
  return { node: isRecord(node) ? node : {}, isName };
}

function pathOf({ instanceLocation }: OutputUnit, { value }: Context): (string | number)[] {
  return typedPath(parseLocation(instanceLocation), value);
}

function parseLocation(location: string): string[] {
  return parsePointer(location.slice(1)).map((step) => decodeURIComponent(step));
}
