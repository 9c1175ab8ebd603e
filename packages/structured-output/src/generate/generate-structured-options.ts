import type { ChatMessage, ModelRequest } from "@ccl/core";

import type { ExtractLimits } from "../extract/extract-options.ts";
import type { StructuredSchema } from "../schema/structured-schema.ts";
import type { FormatLadder } from "./format-ladder.ts";
import type { StructuredAttempt } from "./structured-attempt.ts";

/** The schema, and how many calls may be spent on it. */
export interface GenerateStructuredOptions<T> {
  schema: StructuredSchema<T>;
  messages: readonly ChatMessage[];
  /** Requests to repair an answer. Refused formats do not count. Default: 1. */
  maxRepairs?: number | undefined;
  /** `strict` (default) starts on the highest rung of the ladder, `best-effort` uses the prompt alone. */
  mode?: "strict" | "best-effort" | undefined;
  /** Share one to remember refusals across models and calls. By default they are remembered per model object. */
  ladder?: FormatLadder | undefined;
  /** Name of the schema for the provider: letters, digits, `_` and `-`. Default: "answer". */
  schemaName?: string | undefined;
  /** Sampling and limits of every call. Absent fields use the provider's defaults. */
  request?:
    | Omit<ModelRequest, "messages" | "responseFormat" | "tools" | "toolChoice" | "signal">
    | undefined;
  limits?: ExtractLimits | undefined;
  /** Called after each attempt. If a later call throws, it is the only record of the earlier ones. */
  onAttempt?: ((attempt: StructuredAttempt) => void) | undefined;
  signal?: AbortSignal | undefined;
}
