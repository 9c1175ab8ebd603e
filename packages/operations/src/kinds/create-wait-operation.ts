import { z } from "zod";

import { defaultRenderer } from "../liquid/default-renderer.ts";
import type { TemplateRenderer } from "../liquid/template-renderer.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import { OperationError } from "./operation-error.ts";
import { readParams, requireAllowed } from "./read-params.ts";
import {
  resultEffects,
  resultEffectTypes,
  type ResultParams,
  resultShape,
} from "./result-params.ts";
import { createHandler, rendered } from "./run-handler.ts";
import { templateScopeOf } from "./template-scope-of.ts";

/** Parameters of the kind `wait`. */
export interface WaitParams extends ResultParams {
  /** Liquid; what a person is asked. Empty: it waits for the time alone. */
  question: string;
  /** From the run's start; then it goes on with `otherwise`. Default: it waits for the answer. */
  maxWaitMs?: number | undefined;
  /** JSON; default null. */
  otherwise?: unknown;
}

/** Checks the parameters of the kind `wait`. */
export const waitParamsSchema: z.ZodType<WaitParams> = z.strictObject({
  question: z.string().max(100_000),
  maxWaitMs: z.exactOptional(z.int().min(0)),
  otherwise: z.unknown().optional(),
  ...resultShape,
});

/** The handler of the kind `wait`: the answer of `engine.answer`, or `otherwise` when the time has come. */
export function createWaitOperation({
  liquid,
}: {
  liquid?: TemplateRenderer | undefined;
}): OperationHandler {
  return createHandler(async ({ context }) => {
    const {
      question: text,
      maxWaitMs,
      otherwise = null,
      ...params
    } = readParams(waitParamsSchema, context);
    requireAllowed(resultEffectTypes(params), context);
    const { startedAtMs = 0, answer } = context;
    if (answer === undefined)
      throw new OperationError("internal_error", "Nothing here can be waited for.");
    const renderer = liquid ?? defaultRenderer();
    const question = rendered(renderer.render(text, templateScopeOf(context))) || undefined;
    const untilMs = maxWaitMs === undefined ? undefined : startedAtMs + maxWaitMs;
    const { value } = (await answer({ question, untilMs })) ?? { value: otherwise };
    const shown = typeof value === "string" ? value : JSON.stringify(value);
    return { effects: resultEffects(params, { value, text: shown }) };
  });
}
