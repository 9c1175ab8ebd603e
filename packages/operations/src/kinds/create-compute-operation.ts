import type { ChatMessage } from "@ccl/core";
import { z } from "zod";

import type { MainResult, OperationContext } from "../operation/operation-context.ts";
import type { Hook, Trigger } from "../operation/operation-definition.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import { boundedJson } from "./bounded-json.ts";
import { maxValueChars } from "../artifact/max-value-chars.ts";
import { OperationError } from "./operation-error.ts";
import { readParams, requireAllowed } from "./read-params.ts";
import {
  resultEffects,
  resultEffectTypes,
  type ResultParams,
  resultShape,
} from "./result-params.ts";
import { runAttempts } from "./run-attempts.ts";
import { createHandler } from "./run-handler.ts";
import { valuesByTag } from "./template-scope-of.ts";

/** What a function may read. */
export interface ComputeView {
  /** Values by tag. */
  art: Readonly<Record<string, unknown>>;
  chatHistory: readonly ChatMessage[];
  /** After the main call. */
  main?: MainResult | undefined;
  hook: Hook;
  trigger: Trigger;
  signal: AbortSignal;
}

/** A named function. It should be pure: what it gives is JSON, and the same for the same input and view. */
interface ComputeFunction {
  run(input: unknown, view: ComputeView): unknown;
}

/** Parameters of the kind `compute`. */
export interface ComputeParams extends ResultParams {
  /** The name of a function that the application handed in. */
  function: string;
  /** JSON; default an empty object. */
  input?: unknown;
  /** Of the call; default none but that of the run. */
  timeoutMs?: number | undefined;
}

/** Checks the parameters of the kind `compute`. */
export const computeParamsSchema: z.ZodType<ComputeParams> = z.strictObject({
  function: z.string().min(1).max(200),
  input: z.exactOptional(z.unknown()),
  timeoutMs: z.exactOptional(z.int().min(1)),
  ...resultShape,
});

/** What the kind `compute` needs from the application. */
export interface ComputeOperationOptions {
  /** By name. */
  functions: Readonly<Record<string, ComputeFunction>>;
}

/** The handler of the kind `compute`. */
export function createComputeOperation(options: ComputeOperationOptions): OperationHandler {
  const { functions } = options;
  return createHandler(async ({ context, debug }) => {
    const params = readParams(computeParamsSchema, context);
    requireAllowed(resultEffectTypes(params), context);
    const name = params.function;
    const compute = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (compute === undefined) {
      throw new OperationError(
        "validation_error",
        `There is no function ${JSON.stringify(name)}; hand it in, or correct the name.`,
      );
    }
    Object.assign(debug.inputsSummary, { function: name });
    const { timeoutMs, input = {} } = params;
    const given = await runAttempts(
      context,
      async (signal) => compute.run(input, viewOf(context, signal)),
      { timeoutMs },
    );
    const { value, text } = boundedJson(given, maxValueChars);
    Object.assign(debug.outputsSummary, { valueChars: text.length });
    return { effects: resultEffects(params, { value, text }) };
  });
}

function viewOf(context: OperationContext, signal: AbortSignal): ComputeView {
  const { artifacts, chatHistory, main, hook, trigger } = context;
  return {
    art: valuesByTag(artifacts),
    chatHistory,
    main,
    hook,
    trigger,
    signal,
  };
}
