import { z } from "zod";

import { writeArtifactShape } from "../effects/effect-shape.ts";
import type { WriteArtifactParams } from "../effects/operation-effect.ts";
import {
  type GuardCondition,
  guardConditionSchema,
  guardHolds,
  guardScope,
} from "./guard-condition.ts";
import { createKind, type Kind } from "./kind.ts";

/** Parameters of the kind `guard`. One condition yields a boolean. Several named ones yield an object of booleans. */
interface GuardParams {
  /** Other operations refer to it in `when` as `art.<tag>`. */
  condition?: GuardCondition | undefined;
  /** Other operations refer to them in `when` as `art.<tag>.<name>`. */
  conditions?: Record<string, GuardCondition> | undefined;
  writeArtifact: WriteArtifactParams;
}

const params: z.ZodType<GuardParams> = z
  .strictObject({
    condition: z.exactOptional(guardConditionSchema),
    conditions: z.exactOptional(
      z.record(z.string().regex(/^[^.\s]{1,100}$/), guardConditionSchema),
    ),
    writeArtifact: writeArtifactShape,
  })
  .refine(({ condition, conditions }) => (condition === undefined) !== (conditions === undefined), {
    message: "Give either condition or conditions",
  });

/** Evaluates conditions to booleans. */
export const guardKind: Kind = createKind(
  params,
  () =>
    async ({ context, params: { condition, conditions = {} }, debug }) => {
      const scope = guardScope(context);
      const holds = (part: GuardCondition): boolean => guardHolds(part, scope);
      const named = Object.entries(conditions).map(([name, part]) => [name, holds(part)]);
      const value = condition === undefined ? Object.fromEntries(named) : holds(condition);
      debug.outputsSummary["value"] = value;
      return { value, text: String(value) };
    },
);
