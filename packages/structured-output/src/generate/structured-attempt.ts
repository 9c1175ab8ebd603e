import type { FinishReason, Issue, ModelUsage, Result } from "@ccl/core";

import type { ExtractedJson } from "../extract/extract-options.ts";
import type { StructuredFormat } from "./format-ladder.ts";

/** One call of the model. */
export interface StructuredAttempt {
  format: StructuredFormat;
  /** True if the call asked to repair the previous answer. */
  isRepair: boolean;
  /** Absent if the provider refused the format. */
  finishReason?: FinishReason | undefined;
  /** Why the answer was not accepted. Empty for the last attempt of a success. */
  issues: Issue[];
  /** Repairs of the accepted answer, including changes to fit its schema. */
  repairs: ExtractedJson["repairs"];
  /** Absent if the provider reported none. */
  usage?: ModelUsage | undefined;
  requestId?: string | undefined;
}

/** The value or the issues of the last attempt, and the usage of all. */
export type StructuredResult<T> = Result<T> & {
  attempts: StructuredAttempt[];
  /** Sum over all attempts. Zero if the provider reported none. */
  usage: ModelUsage;
  /** The rung of the last attempt. */
  format: StructuredFormat;
};
