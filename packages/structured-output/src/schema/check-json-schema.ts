import { type Result, success } from "@ccl/core";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

import { StructuredOutputError } from "../structured-output-error.ts";
import { parsePointer } from "./json-pointer.ts";
import { type BrokenRule, schemaIssues, valueAt } from "./schema-issue.ts";
import type { JsonSchema } from "./structured-schema.ts";

// `format` is an annotation in 2020-12, and unknown keywords such as x_schema_version are the caller's own.
// Without ownProperties an absent property "constructor" would be the one of the prototype.
const options = {
  allErrors: true,
  strict: false,
  validateFormats: false,
  ownProperties: true,
  logger: false,
} as const;
const metaValidators = new Map<boolean, Ajv>();

/**
 * A new validator of the draft that `$schema` names; 2020-12 where it names none. It trusts the schemas given to it.
 * ajv keeps every schema that an instance has compiled, so that no instance outlives its schema.
 */
export function createValidator(schema: JsonSchema): Ajv {
  const trusting = { ...options, validateSchema: false };
  return isOldDraft(schema) ? new Ajv(trusting) : new Ajv2020(trusting);
}

function isOldDraft(schema: JsonSchema): boolean {
  const dialect = schema["$schema"];
  return typeof dialect === "string" && /draft-0[67]/.test(dialect);
}

/** Checks against the meta schema, whose compilation is worth sharing. */
function assertValid(schema: JsonSchema, unmarked: JsonSchema): void {
  const isOld = isOldDraft(schema);
  const validator = metaValidators.get(isOld) ?? (isOld ? new Ajv(options) : new Ajv2020(options));
  metaValidators.set(isOld, validator);
  if (validator.validateSchema(unmarked) !== true) throw new Error(validator.errorsText());
}

const validators = new WeakMap<JsonSchema, ValidateFunction>();

/**
 * A check that reports all broken rules of a JSON Schema at once. Compiled once for each schema object, which must not
 * be changed afterwards.
 * @throws StructuredOutputError `schema_invalid`
 */
export function compileJsonSchema<T>(schema: JsonSchema): (value: unknown) => Result<T> {
  const validate = validators.get(schema) ?? compile(schema);
  validators.set(schema, validate);
  return (value) => {
    if (fits<T>(validate, value)) return success(value);
    return {
      ok: false,
      issues: schemaIssues(validate.errors ?? [], (error) => brokenRule(error, value)),
    };
  };
}

function fits<T>(validate: ValidateFunction, value: unknown): value is T {
  return validate(value);
}

function compile(schema: JsonSchema): ValidateFunction {
  if (schema["$async"] === true) {
    throw new StructuredOutputError(
      "schema_unsupported",
      "The schema is $async; checks here are synchronous.",
    );
  }
  // ajv checks draft-06 by the meta schema of draft-07, of which it is a subset.
  const { $schema: _dialect, ...unmarked } = schema;
  try {
    assertValid(schema, unmarked);
    return createValidator(schema).compile(unmarked);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StructuredOutputError(
      "schema_invalid",
      `The JSON Schema does not compile: ${reason}.`,
      { cause: error },
    );
  }
}

function brokenRule(error: ErrorObject, root: unknown): BrokenRule {
  const path = typedPath(parsePointer(error.instancePath), root);
  const extra: unknown = error.params["missingProperty"] ?? error.params["additionalProperty"];
  if (typeof extra === "string") {
    const isMissing = "missingProperty" in error.params;
    const reason = isMissing ? "is required" : "is not a property of the schema; leave it out";
    return { rule: error.keyword, path: [...path, extra], reason };
  }
  const value = { shown: valueAt(root, path) };
  return {
    rule: error.keyword,
    path,
    reason: `${error.message ?? "does not fit"}${choices(error)}`,
    value,
  };
}

function choices({ keyword, params }: ErrorObject): string {
  const allowed: unknown =
    keyword === "enum"
      ? params["allowedValues"]
      : keyword === "const"
        ? [params["allowedValue"]]
        : [];
  if (!Array.isArray(allowed) || allowed.length === 0) return "";
  const shown = allowed.slice(0, 20).map((item) => JSON.stringify(item));
  const left = allowed.length - shown.length;
  return ` (${shown.join(", ")}${left > 0 ? ` and ${left} more` : ""})`;
}

/** Array indexes as numbers: a pointer alone doesn't tell them from names. */
function typedPath(steps: readonly string[], root: unknown): (string | number)[] {
  let value = root;
  return steps.map((step) => {
    const typed = Array.isArray(value) ? Number(step) : step;
    value = valueAt(value, [typed]);
    return typed;
  });
}
