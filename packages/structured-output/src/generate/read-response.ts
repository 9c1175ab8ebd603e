import { failure, type ModelResponse, type Result } from "@ccl/core";

import { type ReadAnswer, readAnswer } from "../schema/read-answer.ts";
import type { StructuredFormat } from "./format-ladder.ts";
import { isTruncation } from "./repair-messages.ts";
import { type PendingRepair, type Plan, usesWire } from "./structured-plan.ts";

/** An answer and its result. */
export interface Reading<T> {
  /** The text that was read: the response, or all pieces of a continued answer. */
  answer: string;
  result: Result<ReadAnswer<T>>;
}

/** Reads the value of a response. If the answer before was cut off, the response may continue it. */
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
  // A provider that ignores the format answers in the domain schema's shape.
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
  // A joined answer counts only if it needs no repair, since halves of different answers do not parse.
  if (joined.result.ok) return joined.result.value.repairs.length === 0 ? joined : alone;
  return alone.result.ok ? alone : joined;
}

/** True if an answer begins like the one before it. */
function isResent(text: string, before: string): boolean {
  const start = (answer: string): string =>
    continuationOf(answer).replaceAll(/\s/g, "").slice(0, 8);
  return start(text) === start(before);
}

/** Removes the fence that a model may open again when it continues inside a code fence. */
function continuationOf(text: string): string {
  return text.replace(/^\s*```[a-z]*\n/i, "");
}
