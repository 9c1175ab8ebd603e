import { deepFreeze } from "@ccl/core/json";

import type { Hook } from "./operation-definition.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";

/** Effect types that each hook may commit: on the prompt before the main call, on the answer after it. */
export const allowedEffects: Readonly<Record<Hook, readonly OperationEffect["type"][]>> =
  deepFreeze({
    before_main_llm: [
      "prompt.append_after_last_user",
      "prompt.insert_at_depth",
      "prompt.insert",
      "prompt.system_update",
      "turn.user_variant",
      "artifact.upsert",
    ],
    after_main_llm: [
      "turn.user_variant",
      "turn.assistant_variant",
      "turn.assistant_blocks",
      "turn.assistant_meta",
      "artifact.upsert",
    ],
  });
