import { z } from "zod";

import type { OperationHandler } from "../operation/operation-context.ts";
import {
  type GuardCondition,
  guardConditionSchema,
  guardHolds,
  guardScope,
} from "./guard-condition.ts";
import { readParams, requireAllowed } from "./read-params.ts";
import {
  resultEffects,
  resultEffectTypes,
  type WriteArtifactParams,
  writeArtifactSchema,
} from "./result-params.ts";
import { createHandler } from "./run-handler.ts";

/** Parameters of the kind `guard`: one condition makes the artifact a boolean, several by name an object of booleans. */
export interface GuardParams {
  /** `when` of others refers to it as `art.<tag>`. */
  condition?: GuardCondition | undefined;
  /** `when` of others refers to them as `art.<tag>.<name>`. */
  conditions?: Record<string, GuardCondition> | undefined;
  writeArtifact: WriteArtifactParams;
}

/** Checks the parameters of the kind `guard`. */
export const guardParamsSchema: z.ZodType<GuardParams> = z
  .strictObject({
    condition: z.exactOptional(guardConditionSchema),
    conditions: z.exactOptional(
      z.record(z.string().regex(/^[^.\s]{1,100}$/), guardConditionSchema),
    ),
    writeArtifact: writeArtifactSchema,
  })
  .refine(({ condition, conditions }) => (condition === undefined) !== (conditions === undefined), {
    message: "Give either condition or conditions",
  });

/** The handler of the kind `guard`. */
export function createGuardOperation(): OperationHandler {
  return createHandler(async ({ context, debug }) => {
    const params = readParams(guardParamsSchema, context);
    requireAllowed(resultEffectTypes(params), context);
    const scope = guardScope(context);
    const { condition, conditions = {} } = params;
    const value =
      condition === undefined
        ? Object.fromEntries(
            Object.entries(conditions).map(([name, part]) => [name, guardHolds(part, scope)]),
          )
        : guardHolds(condition, scope);
    debug.outputsSummary["value"] = value;
    return { effects: resultEffects(params, { value, text: String(value) }) };
  });
}
