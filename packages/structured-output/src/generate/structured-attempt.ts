import type { FinishReason, Issue, ModelUsage, Result } from "@ccl/core";

import type { ExtractedJson } from "../extract/extract-options.ts";
import type { StructuredFormat } from "./format-ladder.ts";

/** One call of the model. */
export interface StructuredAttempt {
  format: StructuredFormat;
  /** True when the call asked to repair the answer before it. */
  isRepair: boolean;
  /** Absent when the provider refused the format. */
  finishReason?: FinishReason | undefined;
  /** Why the answer was not taken; empty for the last attempt of a success. */
  issues: Issue[];
  /** What was repaired in the accepted answer, and changed for its schema. */
  repairs: ExtractedJson["repairs"];
  /** Absent when the provider reported none. */
  usage?: ModelUsage | undefined;
  requestId?: string | undefined;
}

/** The value or the issues of the last attempt, and what it took. */
export type StructuredResult<T> = Result<T> & {
  attempts: StructuredAttempt[];
  /** Summed over all attempts; zero where the provider reported none. */
  usage: ModelUsage;
  /** The rung of the last attempt. */
  format: StructuredFormat;
};
