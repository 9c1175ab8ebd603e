import type { ChatMessage, ModelRequest } from "@ccl/core";

import type { ExtractLimits } from "../extract/extract-options.ts";
import type { StructuredSchema } from "../schema/structured-schema.ts";
import type { FormatLadder } from "./format-ladder.ts";
import type { StructuredAttempt } from "./structured-attempt.ts";

/** What is asked for, and how far to go for it. */
export interface GenerateStructuredOptions<T> {
  schema: StructuredSchema<T>;
  messages: readonly ChatMessage[];
  /** Requests to repair an answer; default 1. Refused formats do not count. */
  maxRepairs?: number | undefined;
  /** `strict` (default) starts on the highest rung of the ladder, `best-effort` asks by the prompt alone. */
  mode?: "strict" | "best-effort" | undefined;
  /** Share one to remember refusals across models and calls; by default they are remembered for the model object. */
  ladder?: FormatLadder | undefined;
  /** Name of the schema for the provider: letters, digits, `_` and `-`; default "answer". */
  schemaName?: string | undefined;
  /** Sampling and limits of every call; what is absent is left to the provider. */
  request?:
    | Omit<ModelRequest, "messages" | "responseFormat" | "tools" | "toolChoice" | "signal">
    | undefined;
  limits?: ExtractLimits | undefined;
  /** Called after each attempt; the only account of earlier attempts when a later call throws. */
  onAttempt?: ((attempt: StructuredAttempt) => void) | undefined;
  signal?: AbortSignal | undefined;
}
