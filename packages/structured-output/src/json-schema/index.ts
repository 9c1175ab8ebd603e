export type { JsonSchema, JsonSchemaChecker } from "./json-schema.ts";
export { createJsonSchemaChecker, loadJsonSchemaChecker } from "./json-schema-checker.ts";
