import type { Hook } from "./operation-definition.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";

const promptEffects: readonly OperationEffect["type"][] = [
  "prompt.append_after_last_user",
  "prompt.insert_at_depth",
  "prompt.insert",
  "prompt.system_update",
];

/** Effect types that each hook may commit: on the prompt before the main call, on the answer after it. */
export const allowedEffects: Readonly<Record<Hook, readonly OperationEffect["type"][]>> = {
  before_main_llm: Object.freeze([
    ...promptEffects,
    "turn.user_variant" as const,
    "artifact.upsert" as const,
  ]),
  after_main_llm: Object.freeze([
    "turn.user_variant" as const,
    "turn.assistant_variant" as const,
    "turn.assistant_blocks" as const,
    "turn.assistant_meta" as const,
    "artifact.upsert" as const,
  ]),
};
