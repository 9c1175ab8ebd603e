import { createJsonSchemaChecker, type JsonSchema } from "@ccl/structured-output/json-schema";
import { z } from "zod";

import { boundedJson } from "./bounded-json.ts";
import { type CallParams, type Kind, callShape, createKind, lookUp } from "./kind.ts";
import { mapTexts } from "./mask-tokens.ts";
import { OperationError } from "./operation-error.ts";

/** Parameters of the kind `tool`. */
export interface ToolParams extends CallParams {
  /** Name of a tool supplied by the application. */
  tool: string;
  /** Each string in it is a Liquid template. Keys, numbers and other values stay as is. Defaults to an empty object. */
  args?: Record<string, unknown> | undefined;
  /**
   * Maximum length of the output, 20,000 by default. Longer text is truncated, with a marker. Longer JSON is
   * `budget_exceeded`.
   */
  maxOutputChars?: number | undefined;
}

const params: z.ZodType<ToolParams> = z.strictObject({
  tool: z.string().min(1).max(200),
  args: z.exactOptional(z.record(z.string(), z.unknown())),
  maxOutputChars: z.exactOptional(z.int().min(1).max(10_000_000)),
  ...callShape,
});

/** Calls a tool. */
export const toolKind: Kind = createKind(params, ({ tools = [] }) => {
  const byName = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
  return async ({
    context,
    params: { tool: name, args = {}, maxOutputChars = 20_000 },
    ...run
  }) => {
    const tool = lookUp("tool", byName, name);
    const input = mapTexts(args, run.render, (key) => key);
    requireFit(input, tool.inputSchema, "arguments");
    Object.assign(run.debug.inputsSummary, { tool: name, arguments: Object.keys(args) });
    const callId = `${context.runId}:${context.definition.operationId}`;
    const given = await run.attempt(async (signal) => tool.execute(input, { signal, callId }));
    const { value, text, isTruncated } = boundedJson(given, maxOutputChars);
    requireFit(isTruncated ? given : value, tool.outputSchema ?? {}, "output");
    Object.assign(run.debug.outputsSummary, { outputChars: text.length, isTruncated });
    return { value, text };
  };
});

const maxIssues = 10;

/** Checks a value against a JSON Schema. Throws an error that lists every violation. */
function requireFit(value: unknown, schema: object, what: "arguments" | "output"): void {
  // Passes the same object each time, since compiled schemas are cached by identity.
  const checked = isJsonSchema(schema) ? createJsonSchemaChecker(schema)(value) : undefined;
  if (checked === undefined || checked.ok) return;
  const rules = checked.issues
    .slice(0, maxIssues)
    .map(({ path, message }) => `${path.join(".")} ${message}`.trim());
  throw new OperationError(
    what === "arguments" ? "validation_error" : "output_parse_error",
    `The ${what} of the tool do not fit the schema: ${rules.join("; ")}`,
  );
}

/** Narrows the type. The contracts of tools and operations guarantee that schemas typed as objects are JSON Schemas. */
export function isJsonSchema(schema: object): schema is JsonSchema {
  return !Array.isArray(schema);
}
