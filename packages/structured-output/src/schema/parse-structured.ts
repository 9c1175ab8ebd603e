import { type FinishReason, type Issue, type Result, success } from "@ccl/core";

import type { Choice, Chosen } from "../extract/choose-value.ts";
import { findAnswer } from "../extract/extract-json.ts";
import type { ExtractLimits } from "../extract/extract-options.ts";
import type { Repair } from "../repair/repair.ts";
import { alignValue, isOwnKey } from "./align-value.ts";
import { createChecker, shapeOf } from "./compile-schema.ts";
import type { StructuredSchema } from "./structured-schema.ts";

/** The schema and how to read the answer. */
export interface ParseStructuredOptions<T> {
  schema: StructuredSchema<T>;
  /** With `length`, the result is `ERR_TRUNCATED` even if the answer looks complete. */
  finishReason?: FinishReason | undefined;
  limits?: ExtractLimits | undefined;
}

/** An answer's value and repairs, or why there is none. */
export type ParsedAnswer<T> =
  | (Extract<Result<T>, { ok: true }> & { repairs: Repair[] })
  | Extract<Result<T>, { ok: false }>;

/**
 * Reads the outermost value in a model's answer that fits the schema, repairing it if needed. If only its shape
 * differs, for example a number in a string or an enum in another case, fixes the shape unless that takes a guess.
 * Otherwise returns all issues at once: `ERR_TRUNCATED`, `ERR_JSON_EXTRACT`, `ERR_JSON_PARSE`, or one
 * `ERR_SCHEMA_VALIDATION` per broken rule, whose message begins with the rule's name.
 * @throws StructuredOutputError if the schema cannot be used
 */
export function parseStructured<T>(
  text: string,
  { schema, finishReason, limits }: ParseStructuredOptions<T>,
): ParsedAnswer<T> {
  const read = readAnswer(text, { schema, finishReason, limits });
  if (!read.ok) return read;
  const { value, repairs } = read.value;
  return { ok: true, value, repairs };
}

/** How to read an answer in a model loop. */
export interface ReadAnswerOptions<T> extends ParseStructuredOptions<T> {
  /**
   * Functions that convert a candidate, tried in order. The first result that fits is the value. Default: the candidate
   * itself.
   */
  decoders?: readonly ((candidate: unknown) => unknown)[] | undefined;
}

/** A checked value, the value before a schema library transformed it, and its repairs. */
export type ReadAnswer<T> = Pick<Chosen<T>, "value" | "json" | "repairs">;

/** Returns the fitting value in an answer, or why there is none. */
export function readAnswer<T>(text: string, options: ReadAnswerOptions<T>): Result<ReadAnswer<T>> {
  const { schema, decoders = [(candidate: unknown) => candidate] } = options;
  const check = createChecker(schema);
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
      const shape = shapeOf(schema);
      const aligned = shape && alignValue(shape, json, () => decode(digits()));
      const result = aligned && check(aligned.value);
      isFound ||= result?.ok === true;
      if (aligned !== undefined && result?.ok === true)
        return { value: result.value, json: aligned.value, steps: aligned.steps };
    }
    issuesOfFirst ??= issues;
    return undefined;
  };
  const found = findAnswer(text, options, {
    fit,
    isOwnKey: (key) => isOwnKey(shapeOf(schema), key),
  });
  if (found.ok) return found;
  const code = found.issues[0]?.code;
  if (code === "ERR_JSON_EXTRACT") return readWords(text, schema) ?? found;
  // The first value is the likeliest answer. Its issues are more useful than saying that nothing fits.
  return code === "ERR_SCHEMA_VALIDATION" && !isFound && issuesOfFirst !== undefined
    ? { ok: false, issues: issuesOfFirst }
    : found;
}

/** Reads a bare word or number if the schema wants an enum, number or boolean. Any text would fit a plain string. */
function readWords<T>(
  text: string,
  schema: StructuredSchema<T>,
): Result<ReadAnswer<T>> | undefined {
  const shape = shapeOf(schema);
  if (shape === undefined || (shape["type"] === "string" && !("enum" in shape))) return undefined;
  const words = text
    .replace(/^[^]*<\/(?:think|thinking|thought|reasoning)\s?>/i, "")
    .trim()
    .replace(/^```\w*\n([^`]*)\n```$/, "$1");
  const aligned = alignValue(shape, words);
  const result = aligned && createChecker(schema)(aligned.value);
  if (result?.ok !== true) return undefined;
  const position = text.lastIndexOf(words);
  const repairs = aligned?.steps.map((step) => ({ ...step, position })) ?? [];
  return success({ value: result.value, json: aligned?.value, repairs });
}
