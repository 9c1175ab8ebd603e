import { dereference, type OutputUnit, validate } from "@cfworker/json-schema";
import { compareCodeUnits, type Result, success } from "@ccl/core";
import { isRecord, valueAt } from "@ccl/core/json";

import { StructuredOutputError } from "../structured-output-error.ts";
import { parsePointer } from "./json-pointer.ts";
import type { JsonSchema, JsonSchemaChecker } from "./json-schema.ts";
import { metaSchema } from "./meta-schema.ts";
import { prepareSchema } from "./prepare-schema.ts";
import { type BrokenRule, schemaIssues, withinStack } from "./schema-issue.ts";

type Check = (value: unknown) => Result<unknown>;

/** Keywords that only report errors of their subschemas. */
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

const prepared = new WeakMap<JsonSchema, Check>();
const metaChecks = new Map<boolean, Check>();

/**
 * Creates a checker for a JSON Schema, including formats. Works in every runtime. Each schema object is prepared once
 * and must not change afterwards. `T` is asserted by the caller.
 * @throws StructuredOutputError `schema_invalid`, `schema_unsupported`
 */
export function createJsonSchemaChecker<T = unknown>(schema: JsonSchema): JsonSchemaChecker<T> {
  const check = prepared.get(schema) ?? prepare(schema);
  prepared.set(schema, check);
  return (value) => {
    const result = withinStack(() => check(value));
    if (fits<T>(value, result)) return success(value);
    return { ok: false, issues: result.ok ? [] : result.issues };
  };
}

function fits<T>(_value: unknown, result: Result<unknown>): _value is T {
  return result.ok;
}

function prepare(given: JsonSchema): Check {
  try {
    const { schema, isDraft7 } = prepareSchema(given);
    const metaCheck = metaChecks.get(isDraft7) ?? createCheck(metaSchema(isDraft7), isDraft7);
    metaChecks.set(isDraft7, metaCheck);
    const result = metaCheck(schema);
    if (result.ok) return createCheck(schema, isDraft7);
    const reasons = result.issues
      .slice(0, 3)
      .map(({ path, message }) => `/${path.join("/")} ${message}`);
    throw new Error(reasons.join("; "));
  } catch (error) {
    if (StructuredOutputError.isInstance(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The JSON Schema cannot be used: ${reason}.`;
    throw new StructuredOutputError("schema_invalid", message, { cause: error });
  }
}

function createCheck(schema: Record<string, unknown>, isDraft7: boolean): Check {
  const lookup = dereference(schema);
  const brokenReference = (): string | undefined =>
    Object.values(lookup)
      .filter((node) => typeof node === "object")
      .find(({ __absolute_ref__: to }) => to !== undefined && lookup[to] === undefined)?.$ref;
  if (brokenReference() !== undefined) dereference(metaSchema(isDraft7), lookup);
  const broken = brokenReference();
  if (broken !== undefined) throw new Error(`can't resolve the reference ${broken}`);
  return (value) => {
    try {
      // The draft only matters for draft-04 and for keywords beside $ref, which are checked in all dialects here.
      const { valid, errors } = validate(value, schema, "2020-12", lookup, false);
      return valid
        ? success(value)
        : {
            ok: false,
            issues: schemaIssues(sorted(brokenRules(errors, { value, schema, lookup }))),
          };
    } catch (error) {
      if (error instanceof RangeError) throw error;
      const reason = "is not a JSON value, or has a property name that is not well-formed Unicode";
      return { ok: false, issues: schemaIssues([{ rule: "json", path: [], reason }]) };
    }
  };
}

interface Context {
  value: unknown;
  schema: Record<string, unknown>;
  lookup: ReturnType<typeof dereference>;
}

function brokenRules(errors: readonly OutputUnit[], context: Context): BrokenRule[] {
  const { value } = context;
  return errors.flatMap(({ keyword, keywordLocation, instanceLocation, error }, index) => {
    if (wrappers.has(keyword)) return [];
    const path = pathOf(instanceLocation, value);
    const name = /required property "([^]*)"\.$|but does not have "([^]*)"\.$/.exec(error);
    const missing = name?.[1] ?? name?.[2];
    if (missing !== undefined)
      return [{ rule: keyword, path: [...path, missing], reason: "Is required." }];
    // For a `false` schema, the keyword above it is the rule.
    const above = errors[index - 1]?.keyword ?? "";
    if (keyword === "false" && above.endsWith("Properties"))
      return [{ rule: above, path, reason: "Is not a property of the schema. Leave it out." }];
    const rule = keyword === "false" && wrappers.has(above) ? above : keyword;
    const isUnclear = /^(?:pattern|exclusiveMinimum|maxProperties)$/.test(keyword);
    const words = isUnclear
      ? `The rule is ${JSON.stringify(ruleAt(keywordLocation, context))}.`
      : error;
    const reason = keyword === "false" ? "Must not be there." : words;
    return [{ rule, path, reason, value: { shown: valueAt(value, path) } }];
  });
}

function sorted(rules: readonly BrokenRule[]): BrokenRule[] {
  const keyOf = ({ path }: BrokenRule): string =>
    path.map((step) => String(step).padStart(typeof step === "number" ? 9 : 0, "0")).join("\0");
  return rules.toSorted((a, b) => compareCodeUnits(keyOf(a), keyOf(b)));
}

/** Returns a keyword's value at a location, resolving references. */
function ruleAt(location: string, { schema, lookup }: Context): unknown {
  let node: unknown = schema;
  for (const step of parsePointer(location.slice(1)).map((part) => decodeURIComponent(part))) {
    const target = step === "$ref" ? valueAt(node, ["__absolute_ref__"]) : undefined;
    node = typeof target === "string" ? lookup[target] : valueAt(node, [step]);
  }
  return node;
}

/** Converts a location to a path. The value decides whether a step is an index or a name, since a pointer does not. */
function pathOf(location: string, root: unknown): (string | number)[] {
  let value = root;
  return parsePointer(location.slice(1)).map((part) => {
    const step = Array.isArray(value) ? Number(part) : decodeURIComponent(part);
    value = Array.isArray(value) || isRecord(value) ? valueAt(value, [step]) : undefined;
    return step;
  });
}
