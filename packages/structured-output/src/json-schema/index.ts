export type { JsonSchema, JsonSchemaChecker } from "./json-schema.ts";
export { StructuredOutputError } from "../structured-output-error.ts";
export { createJsonSchemaChecker } from "./json-schema-checker.ts";
