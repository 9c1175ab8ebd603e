import { canonicalJson } from "@ccl/core";
import { createJsonSchemaChecker } from "@ccl/structured-output/json-schema";
import { QueryError } from "../query-error.ts";

/** @throws QueryError with that code and every violation, but no value, if the value does not match the schema */
export function checkBySchema(
  value: unknown,
  schema: object,
  { what, code }: { what: string; code: "argument_missing" | "value_invalid" },
): void {
  let text: string;
  try {
    text = canonicalJson(value);
  } catch (error) {
    throw new QueryError("value_invalid", `${what} is no JSON.`, { cause: error });
  }
  const result = createJsonSchemaChecker({ ...schema })(JSON.parse(text));
  if (result.ok) return;
  const reasons = result.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join(".") || "(root)"}: ${message}`);
  throw new QueryError(
    code,
    `${what} does not fit its schema: ${reasons.join("; ").slice(0, 400)}`,
    {
      details: { issues: result.issues.map(({ code, path }) => ({ code, path })) },
    },
  );
}
