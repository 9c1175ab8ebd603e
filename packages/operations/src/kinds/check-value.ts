import { canonicalJson, failure, type Result, success } from "@ccl/core";
import type { StandardSchema, StructuredSchema } from "@ccl/structured-output";
import { createJsonSchemaChecker } from "@ccl/structured-output/json-schema";

/**
 * The value as a schema gives it back (with the defaults and transforms of zod), or every broken rule.
 * @throws StructuredOutputError for a schema that cannot be used
 */
export function checkValue<T>(value: unknown, schema: StructuredSchema<T>): Result<T> {
  if (isStandard(schema)) return checkStandard(value, schema);
  return createJsonSchemaChecker<T>(schema)(JSON.parse(canonicalJson(value)));
}

function isStandard<T>(schema: StructuredSchema<T>): schema is StandardSchema<T> {
  return "~standard" in schema;
}

function checkStandard<T>(value: unknown, schema: StandardSchema<T>): Result<T> {
  const outcome = schema["~standard"].validate(value);
  if (outcome instanceof Promise) {
    outcome.catch(() => undefined);
    const message = "The schema checks asynchronously; use one that does not.";
    return failure({ code: "ERR_SCHEMA_VALIDATION", path: [], message });
  }
  if (outcome.issues === undefined) return success(outcome.value);
  const issues = outcome.issues.map(({ message, path = [] }) => ({
    code: "ERR_SCHEMA_VALIDATION",
    path: path.map(keyOf),
    message,
  }));
  return { ok: false, issues };
}

function keyOf(segment: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof segment === "object" ? segment.key : segment;
  return typeof key === "number" ? key : String(key);
}
