import { type FinishReason, type Result } from "@ccl/core";

import type { ExtractLimits } from "../extract/extract-options.ts";
import type { Repair } from "../repair/repair.ts";
import { createChecker, shapeOf } from "./compile-schema.ts";
import { readAnswer } from "./read-answer.ts";
import type { StructuredSchema } from "./structured-schema.ts";

/** What an answer is read against. */
export interface ParseStructuredOptions<T> {
  schema: StructuredSchema<T>;
  /** With `length` the answer is `ERR_TRUNCATED`, however complete it looks. */
  finishReason?: FinishReason | undefined;
  limits?: ExtractLimits | undefined;
}

/** The value of an answer with each repair that it took, or why there is none. */
export type ParsedAnswer<T> =
  | (Extract<Result<T>, { ok: true }> & { repairs: Repair[] })
  | Extract<Result<T>, { ok: false }>;

/**
 * The value in a model's answer that fits the schema: the outermost one, repaired if need be. One that fits but for its
 * shape, such as a number in a string or an enum in other case, is brought into it where that takes no guess. Otherwise
 * every issue at once: `ERR_TRUNCATED`, `ERR_JSON_EXTRACT`, `ERR_JSON_PARSE`, or one `ERR_SCHEMA_VALIDATION` for each
 * broken rule, its message beginning with the rule's name.
 * @throws StructuredOutputError for a schema that cannot be used
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
