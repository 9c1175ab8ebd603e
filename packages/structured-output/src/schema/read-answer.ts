import { type FinishReason, type Issue, type Result, success } from "@ccl/core";

import type { Choice, Chosen } from "../extract/choose-value.ts";
import { findAnswer } from "../extract/extract-json.ts";
import type { ExtractLimits } from "../extract/extract-options.ts";
import type { JsonSchema } from "../json-schema/json-schema.ts";
import type { Repair } from "../repair/repair.ts";
import { alignValue, isOwnKey } from "./align-value.ts";

/** How an answer is read. */
export interface ReadAnswerOptions<T> {
  check(value: unknown): Result<T>;
  /**
   * Functions that convert a candidate, in order. The first result that fits is the value. Default: the candidate
   * itself.
   */
  decoders?: readonly ((candidate: unknown) => unknown)[] | undefined;
  /** The schema to which an answer is reshaped if it does not fit. Called only then. */
  shape?: (() => JsonSchema | undefined) | undefined;
  finishReason?: FinishReason | undefined;
  limits?: ExtractLimits | undefined;
}

/** A checked value and its repairs. */
export type ReadAnswer<T> = Pick<Chosen<T>, "value" | "repairs">;

/** Reads the value in an answer that fits, or why there is none. */
export function readAnswer<T>(text: string, options: ReadAnswerOptions<T>): Result<ReadAnswer<T>> {
  const { check, decoders = [(candidate: unknown) => candidate], shape } = options;
  let issuesOfFirst: Issue[] | undefined;
  let isFound = false;
  const fit: Choice<T>["fit"] = (candidate, digits) => {
    let issues: Issue[] | undefined;
    for (const decode of decoders) {
      const json = decode(candidate);
      const exact = check(json);
      isFound ||= exact.ok;
      if (exact.ok) return { value: exact.value, json, steps: [] };
      issues ??= exact.issues;
      const schema = shape?.();
      const aligned = schema && alignValue(schema, json, () => decode(digits()));
      const result = aligned && check(aligned.value);
      isFound ||= result?.ok === true;
      if (aligned !== undefined && result?.ok === true)
        return { value: result.value, json: aligned.value, steps: aligned.steps };
    }
    issuesOfFirst ??= issues;
    return undefined;
  };
  const found = findAnswer(text, options, { fit, isOwnKey: (key) => isOwnKey(shape?.(), key) });
  if (found.ok) {
    const { value, repairs } = found.value;
    return success({ value, repairs });
  }
  const code = found.issues[0]?.code;
  if (code === "ERR_JSON_EXTRACT") return readWords(text, options) ?? found;
  // The first value is the likeliest answer. Its issues say more than that nothing fits.
  return code === "ERR_SCHEMA_VALIDATION" && !isFound && issuesOfFirst !== undefined
    ? { ok: false, issues: issuesOfFirst }
    : found;
}

/**
 * Reads a bare word or number if the schema wants an enum, a number or a boolean. Any text would fit a plain string.
 */
function readWords<T>(
  text: string,
  { check, shape: shapeOf }: ReadAnswerOptions<T>,
): Result<ReadAnswer<T>> | undefined {
  const shape = shapeOf?.();
  if (shape === undefined || (shape["type"] === "string" && !("enum" in shape))) return undefined;
  const words = text
    .replace(/^[^]*<\/(?:think|thinking|thought|reasoning)\s?>/i, "")
    .trim()
    .replace(/^```\w*\n([^`]*)\n```$/, "$1");
  const aligned = alignValue(shape, words);
  const result = aligned && check(aligned.value);
  if (result?.ok !== true) return undefined;
  const position = text.lastIndexOf(words);
  const repairs: Repair[] = aligned?.steps.map((step) => ({ ...step, position })) ?? [];
  return success({ value: result.value, repairs });
}
