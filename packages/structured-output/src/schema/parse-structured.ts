import { type FinishReason, type Result } from "@ccl/core";

import type { ExtractLimits } from "../extract/extract-options.ts";
import type { Repair } from "../repair/repair.ts";
import { createChecker, shapeOf } from "./compile-schema.ts";
import { readAnswer } from "./read-answer.ts";
import type { StructuredSchema } from "./structured-schema.ts";

/** The schema and how the answer is read. */
export interface ParseStructuredOptions<T> {
  schema: StructuredSchema<T>;
  /** With `length` the answer is `ERR_TRUNCATED` even if it looks complete. */
  finishReason?: FinishReason | undefined;
  limits?: ExtractLimits | undefined;
}

/** The value of an answer with its repairs, or why there is none. */
export type ParsedAnswer<T> =
  | (Extract<Result<T>, { ok: true }> & { repairs: Repair[] })
  | Extract<Result<T>, { ok: false }>;

/**
 * Reads the outermost value in a model's answer that fits the schema, repaired if needed. If only its shape differs,
 * for example a number in a string or an enum in other case, the shape is fixed unless that takes a guess. Otherwise it
 * returns all issues at once: `ERR_TRUNCATED`, `ERR_JSON_EXTRACT`, `ERR_JSON_PARSE`, or one `ERR_SCHEMA_VALIDATION` per
 * broken rule, whose message begins with the rule's name.
 * @throws StructuredOutputError if the schema cannot be used
 */
export function parseStructured<T>(
  text: string,
  { schema, finishReason, limits }: ParseStructuredOptions<T>,
): ParsedAnswer<T> {
  const read = readAnswer(text, {
    check: createChecker(schema),
    shape: () => shapeOf(schema),
    finishReason,
    limits,
  });
  return read.ok ? { ok: true, ...read.value } : read;
}
