import type { JsonSchema, JsonSchemaChecker } from "../json-schema/json-schema.ts";
import { createJsonSchemaChecker } from "../json-schema/json-schema-checker.ts";
import { withinStack } from "../json-schema/schema-issue.ts";
import { StructuredOutputError } from "../structured-output-error.ts";
import { checkStandardSchema } from "./check-standard-schema.ts";
import {
  isStandardSchema,
  type StandardSchema,
  type StructuredSchema,
} from "./structured-schema.ts";
import { schemaOfZod3 } from "./zod3-schema.ts";

/**
 * Creates a schema's checker, which returns the checked value, or every broken rule.
 * @throws StructuredOutputError `schema_invalid`, `schema_unsupported`
 */
export function createChecker<T>(schema: StructuredSchema<T>): JsonSchemaChecker<T> {
  if (!isStandardSchema(schema)) return createJsonSchemaChecker(schema);
  return (value) => withinStack(() => checkStandardSchema(schema, value));
}

const asked = new WeakMap<object, JsonSchema>();

/**
 * Returns the JSON Schema that a model must follow. For zod, this is the input side, before defaults and transforms.
 * @throws StructuredOutputError `schema_unsupported` if the library provides none
 */
export function jsonSchemaOf<T>(schema: StructuredSchema<T>): JsonSchema {
  if (!isStandardSchema(schema)) return schema;
  const domain = asked.get(schema) ?? askLibrary(schema);
  asked.set(schema, domain);
  return domain;
}

/** Returns the answer's JSON Schema. Undefined if the library provides none, since checking does not need it. */
export function shapeOf<T>(schema: StructuredSchema<T>): JsonSchema | undefined {
  try {
    return jsonSchemaOf(schema);
  } catch {
    return undefined;
  }
}

function askLibrary<T>(schema: StandardSchema<T>): JsonSchema {
  const { vendor, jsonSchema } = schema["~standard"];
  if (jsonSchema === undefined) {
    const ofZod3 = schemaOfZod3(schema);
    if (ofZod3 !== undefined) return ofZod3;
    const remedy = vendor === "zod" ? "update zod to 4.2 or newer" : "pass a JSON Schema instead";
    throw new StructuredOutputError(
      "schema_unsupported",
      `This ${vendor} schema provides no JSON Schema; ${remedy}.`,
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
