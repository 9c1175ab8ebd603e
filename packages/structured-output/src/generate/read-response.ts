import { failure, type ModelResponse, type Result } from "@ccl/core";

import { type ReadAnswer, readAnswer } from "../schema/read-answer.ts";
import type { StructuredFormat } from "./format-ladder.ts";
import { isTruncation } from "./repair-messages.ts";
import { type PendingRepair, type Plan, usesWire } from "./structured-plan.ts";

/** What an answer was read as. */
export interface Reading<T> {
  /** The text that was read: the response, or all that has come of an answer in pieces. */
  answer: string;
  result: Result<ReadAnswer<T>>;
}

/** The value in a response, joined to what it continues where the answer before was cut off. */
export function readResponse<T>(
  plan: Plan<T>,
  { finishReason, text }: ModelResponse,
  { format, pending }: { format: StructuredFormat; pending: PendingRepair | undefined },
): Reading<T> {
  if (finishReason === "content_filter") {
    const message = "The provider's content filter stopped the answer; change the request.";
    return { answer: text, result: failure({ code: "content_filtered", path: [], message }) };
  }
  const domain = (candidate: unknown): unknown => candidate;
  // A provider that ignores the format answers in the domain's shape.
  const decoders = usesWire(plan, format) ? [plan.wire.decode, domain] : [domain];
  const { limits } = plan.options;
  const read = (answer: string): Reading<T> => ({
    answer,
    result: readAnswer(answer, {
      check: plan.check,
      decoders,
      shape: () => plan.domain,
      finishReason,
      limits,
    }),
  });
  const alone = read(text);
  if (pending?.issues.some(isTruncation) !== true || isResent(text, pending.answer)) return alone;
  const joined = read(pending.answer + continuationOf(text));
  // Only as JSON that needs no repair: two halves that were never one do not parse.
  if (joined.result.ok) return joined.result.value.repairs.length === 0 ? joined : alone;
  return alone.result.ok ? alone : joined;
}

/** True when an answer begins as the one before it did. */
function isResent(text: string, before: string): boolean {
  const start = (answer: string): string =>
    continuationOf(answer).replaceAll(/\s/g, "").slice(0, 8);
  return start(text) === start(before);
}

/** A model that goes on inside a code fence may open it again. */
function continuationOf(text: string): string {
  return text.replace(/^\s*```[a-z]*\n/i, "");
}
