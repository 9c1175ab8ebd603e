import { z } from "zod";

import type { OperationEffect } from "../effects/operation-effect.ts";
import { textOfValue } from "../liquid/text-of-value.ts";
import type { OperationContext } from "../operation/operation-context.ts";
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
import { createHandler, rendered } from "./run-handler.ts";

/** What a plain function may give: a text, nothing, or parts of an outcome. */
type LegacyResult =
  | string
  | undefined
  | {
      /** The content of each `emit`; default the value as text. */
      text?: string | undefined;
      /** For `writeArtifact`; default the text. */
      value?: unknown;
      /** Committed as they are, after those of `writeArtifact` and `emit`. */
      effects?: OperationEffect[] | undefined;
      /** Skips the operation, which drops all effects. */
      skippedReason?: string | undefined;
    };

/** A function from before operations had kinds. */
export type LegacyFunction = (
  context: OperationContext,
  signal: AbortSignal,
) => LegacyResult | Promise<LegacyResult>;

/** Parameters of the kind `legacy`: where its text goes, and whatever the function reads of `config.params`. */
export interface LegacyParams extends ResultParams {
  /** Of the call; default none but that of the run. */
  timeoutMs?: number | undefined;
  [parameter: string]: unknown;
}

/** Checks the parameters of the kind `legacy`. */
export const legacyParamsSchema: z.ZodType<LegacyParams> = z.looseObject({
  timeoutMs: z.exactOptional(z.int().min(1)),
  ...resultShape,
});

/** Makes a plain function an operation. What it throws is `internal_error`, masked. */
export function createLegacyOperation(run: LegacyFunction): OperationHandler {
  return createHandler(async ({ context, debug }) => {
    const params = readParams(legacyParamsSchema, context);
    requireAllowed(resultEffectTypes(params), context);
    const { timeoutMs } = params;
    const given = await runAttempts(context, async (signal) => run(context, signal), { timeoutMs });
    requireResult(given);
    const result = given === undefined ? {} : typeof given === "string" ? { text: given } : given;
    if (result.skippedReason !== undefined)
      return { effects: [], skippedReason: result.skippedReason };
    const { effects = [] } = result;
    requireAllowed(
      effects.map(({ type }) => type),
      context,
    );
    if (result.text === undefined && result.value === undefined) {
      if (effects.length === 0 && resultEffectTypes(params).length > 0) {
        throw new OperationError(
          "validation_error",
          "The function gave nothing to write; let it return a text or { value }.",
        );
      }
      return { effects };
    }
    const { value } = boundedJson(result.value ?? result.text, maxValueChars);
    const text = result.text ?? rendered(textOfValue(value));
    Object.assign(debug.outputsSummary, { textChars: text.length });
    return { effects: [...resultEffects(params, { value, text }), ...effects] };
  });
}

/** Functions in JavaScript return anything. */
function requireResult(given: unknown): void {
  if (
    given === undefined ||
    typeof given === "string" ||
    (typeof given === "object" && given !== null)
  )
    return;
  const what = given === null ? "null" : `a ${typeof given}`;
  throw new OperationError(
    "validation_error",
    `The function returned ${what}; let it return a text or { value }.`,
  );
}
