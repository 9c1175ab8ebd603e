import type { ToolDefinition } from "@ccl/core";
import type { JsonSchema } from "@ccl/structured-output";
import { z } from "zod";

import { defaultRenderer } from "../liquid/default-renderer.ts";
import type { TemplateRenderer } from "../liquid/template-renderer.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import { callShape, type CallParams } from "./call-params.ts";
import { boundedJson } from "./bounded-json.ts";
import { checkValue } from "./check-value.ts";
import { OperationError } from "./operation-error.ts";
import { readParams, requireAllowed } from "./read-params.ts";
import { resultEffects, resultEffectTypes } from "./result-params.ts";
import { runAttempts } from "./run-attempts.ts";
import { createHandler, rendered } from "./run-handler.ts";
import { templateScopeOf } from "./template-scope-of.ts";

/** Parameters of the kind `tool`. */
export interface ToolParams extends CallParams {
  /** The name of a tool that the application handed in. */
  tool: string;
  /** Each text in it is Liquid; keys, numbers and the rest stay as they are. Default an empty object. */
  args?: Record<string, unknown> | undefined;
  /** Of the output; default 20,000. A text is cut with a mark, longer JSON is `budget_exceeded`. */
  maxOutputChars?: number | undefined;
}

const count = z.int().min(1);

/** Checks the parameters of the kind `tool`. */
export const toolParamsSchema: z.ZodType<ToolParams> = z.strictObject({
  tool: z.string().min(1).max(200),
  args: z.exactOptional(z.record(z.string(), z.unknown())),
  maxOutputChars: z.exactOptional(count.max(10_000_000)),
  ...callShape,
});

/** What the kind `tool` needs from the application. */
export interface ToolOperationOptions {
  tools: readonly ToolDefinition[];
  liquid?: TemplateRenderer | undefined;
}

const defaultMaxOutputChars = 20_000;
const deepestArguments = 64;

/** The handler of the kind `tool`. */
export function createToolOperation(options: ToolOperationOptions): OperationHandler {
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  return createHandler(async ({ context, debug }) => {
    const params = readParams(toolParamsSchema, context);
    requireAllowed(resultEffectTypes(params), context);
    const tool = tools.get(params.tool);
    if (tool === undefined) {
      throw new OperationError(
        "validation_error",
        `There is no tool ${JSON.stringify(params.tool)}; hand it in, or correct the name.`,
      );
    }
    const {
      strictVariables = false,
      maxOutputChars = defaultMaxOutputChars,
      timeoutMs,
      retry,
    } = params;
    const renderer = options.liquid ?? defaultRenderer();
    const scope = templateScopeOf(context);
    const args = renderLeaves(params.args ?? {}, (text) =>
      rendered(renderer.render(text, scope, { strictVariables })),
    );
    requireFit(args, {
      schema: tool.inputSchema,
      code: "validation_error",
      what: "arguments of the tool",
    });
    Object.assign(debug.inputsSummary, {
      tool: tool.name,
      arguments: Object.keys(params.args ?? {}).slice(0, 50),
    });
    const callId = `${context.runId}:${context.definition.operationId}`;
    const given = await runAttempts(
      context,
      async (signal) => tool.execute(args, { signal, callId }),
      { timeoutMs, retry, otherwise: "provider_error" },
    );
    const { value, text, isTruncated } = boundedJson(given, maxOutputChars);
    if (tool.outputSchema !== undefined) {
      requireFit(isTruncated ? given : value, {
        schema: tool.outputSchema,
        code: "output_parse_error",
        what: "output of the tool",
      });
    }
    Object.assign(debug.outputsSummary, { outputChars: text.length, isTruncated });
    return { effects: resultEffects(params, { value, text }) };
  });
}

/** A copy with each text rendered; keys are left alone. */
function renderLeaves(value: unknown, render: (text: string) => string, depth = 0): unknown {
  if (depth > deepestArguments) {
    throw new OperationError(
      "validation_error",
      `The arguments are nested deeper than ${deepestArguments}.`,
    );
  }
  if (typeof value === "string") return render(value);
  if (Array.isArray(value)) return value.map((item) => renderLeaves(item, render, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, renderLeaves(item, render, depth + 1)]),
  );
}

const maxIssues = 10;

/** Throws an error with every broken rule if a value does not fit a JSON Schema. */
function requireFit(
  value: unknown,
  {
    schema,
    code,
    what,
  }: { schema: object; code: "validation_error" | "output_parse_error"; what: string },
): void {
  // The very object, since a schema is compiled once for each.
  const checked = isJsonSchema(schema) ? checkValue(value, schema) : undefined;
  if (checked === undefined || checked.ok) return;
  const rules = checked.issues
    .slice(0, maxIssues)
    .map(({ path, message }) => `${path.join(".")} ${message}`.trim());
  throw new OperationError(code, `The ${what} do not fit the schema: ${rules.join("; ")}`);
}

/** `ToolDefinition` calls its schemas objects; they are JSON Schemas by its contract. */
function isJsonSchema(schema: object): schema is JsonSchema {
  return !Array.isArray(schema);
}
