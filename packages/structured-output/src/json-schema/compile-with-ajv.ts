import type { Ajv, ErrorObject } from "ajv";

import { isRecord } from "@ccl/core/json";
import { parsePointer } from "./json-pointer.ts";
import { typedPath } from "./schema-issue.ts";
import type { Violation } from "./explain-violation.ts";
import type { PreparedSchema } from "./prepare-schema.ts";

// Without ownProperties an absent property "constructor" would be the one of the prototype.
const options = {
  allErrors: true,
  logger: false,
  multipleOfPrecision: 12,
  ownProperties: true,
  strict: false,
  validateSchema: false,
  verbose: true,
} as const;

/** Finds violations with a function that ajv, loaded on first use, generates. */
export async function compileWithAjv({
  schema,
  isDraft7,
}: PreparedSchema): Promise<(value: unknown) => Violation[]> {
  // An instance for each schema, since ajv keeps all that it has compiled.
  const ajv: Ajv = isDraft7
    ? new (await import("ajv")).Ajv(options)
    : new (await import("ajv/dist/2020.js")).Ajv2020(options);
  const validate = ajv.compile(schema);
  return (value) =>
    validate(value) ? [] : (validate.errors ?? []).map((error) => violationOf(error, value));
}

function violationOf(error: ErrorObject, value: unknown): Violation {
  const { keyword, parentSchema, params } = error;
  const path = typedPath(parsePointer(error.instancePath), value);
  const schema = isRecord(parentSchema) ? parentSchema : {};
  const name: unknown = error.propertyName ?? params["propertyName"];
  const extra: unknown = params["additionalProperty"] ?? params["unevaluatedProperty"];
  if (typeof name === "string") return { keyword, schema, path: [...path, name], detail: name };
  if (typeof extra === "string") return { keyword, schema, path: [...path, extra] };
  const clause: unknown = params["failingKeyword"];
  return { keyword, schema, path, detail: typeof clause === "string" ? clause : undefined };
}
