import { type FinishReason, type Issue, type Result, success } from "@ccl/core";

import { extractJson } from "../extract/extract-json.ts";
import type { ExtractedJson, ExtractLimits } from "../extract/extract-options.ts";

/** How an answer is read. */
export interface ReadAnswerOptions<T> {
  /** Ways to understand a candidate, in order; the first that fits gives the value. */
  readings: readonly ((candidate: unknown) => Result<T>)[];
  finishReason?: FinishReason | undefined;
  limits?: ExtractLimits | undefined;
}

/** A checked value and what it took to find it. */
export interface ReadAnswer<T> {
  value: T;
  repairs: ExtractedJson["repairs"];
}

/** The value in an answer that one of the readings accepts, or why there is none. */
export function readAnswer<T>(text: string, options: ReadAnswerOptions<T>): Result<ReadAnswer<T>> {
  const { readings, finishReason, limits } = options;
  let accepted: { value: T } | undefined;
  let issuesOfFirst: Issue[] | undefined;
  const accept = (candidate: unknown): boolean => {
    for (const read of readings) {
      const result = read(candidate);
      if (result.ok) {
        accepted = { value: result.value };
        return true;
      }
      issuesOfFirst ??= result.issues;
    }
    return false;
  };
  const extracted = extractJson(text, {
    accept,
    finishReason,
    limits,
  });
  if (extracted.ok && accepted !== undefined) {
    return success({ value: accepted.value, repairs: extracted.value.repairs });
  }
  const issues = extracted.ok ? [] : extracted.issues;
  // What was read first is what was most likely meant; its faults say more than that nothing fits.
  const isMisfit = issues.every((issue) => issue.code === "ERR_SCHEMA_VALIDATION");
  return { ok: false, issues: isMisfit ? (issuesOfFirst ?? issues) : issues };
}
