import type { Result } from "@ccl/core";

import { StructuredOutputError } from "../structured-output-error.ts";
import { compileJsonSchema } from "./check-json-schema.ts";
import { checkStandardSchema } from "./check-standard-schema.ts";
import {
  isStandardSchema,
  type JsonSchema,
  type StandardSchema,
  type StructuredSchema,
} from "./structured-schema.ts";

/**
 * The check of a schema: the checked value, or every broken rule. A value nested too deep to be checked does not fit.
 * @throws StructuredOutputError `schema_invalid`, `schema_unsupported`
 */
export function compileSchema<T>(schema: StructuredSchema<T>): (value: unknown) => Result<T> {
  const check = isStandardSchema(schema)
    ? (value: unknown) => checkStandardSchema(schema, value)
    : compileJsonSchema<T>(schema);
  return (value) => {
    try {
      return check(value);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const message = "depth: the value is nested too deep to be checked";
      return { ok: false, issues: [{ code: "ERR_SCHEMA_VALIDATION", path: [], message }] };
    }
  };
}

const asked = new WeakMap<object, JsonSchema>();

/**
 * The JSON Schema of what a model is to write: for zod, of the input side, before defaults and transforms.
 * @throws StructuredOutputError `schema_unsupported` when the library gives none
 */
export function jsonSchemaOf<T>(schema: StructuredSchema<T>): JsonSchema {
  if (!isStandardSchema(schema)) return schema;
  const domain = asked.get(schema) ?? askLibrary(schema);
  asked.set(schema, domain);
  return domain;
}

function askLibrary<T>(schema: StandardSchema<T>): JsonSchema {
  const { vendor, jsonSchema } = schema["~standard"];
  if (jsonSchema === undefined) {
    const remedy = vendor === "zod" ? "update zod to 4.2 or newer" : "pass a JSON Schema instead";
    throw new StructuredOutputError(
      "schema_unsupported",
      `This ${vendor} schema gives no JSON Schema; ${remedy}.`,
    );
  }
  try {
    return jsonSchema.input({ target: "draft-2020-12" });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The ${vendor} schema has no JSON Schema (${reason}); describe the JSON form and transform it.`;
    throw new StructuredOutputError("schema_unsupported", message, { cause: error });
  }
}
