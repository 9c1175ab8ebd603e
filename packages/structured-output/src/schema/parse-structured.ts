import { type FinishReason, type Result, success } from "@ccl/core";

import type { ExtractLimits } from "../extract/extract-options.ts";
import { createChecker } from "./compile-schema.ts";
import { readAnswer } from "./read-answer.ts";
import type { StructuredSchema } from "./structured-schema.ts";

/** What an answer is read against. */
export interface ParseStructuredOptions<T> {
  schema: StructuredSchema<T>;
  /** With `length` the answer is `ERR_TRUNCATED`, however complete it looks. */
  finishReason?: FinishReason | undefined;
  limits?: ExtractLimits | undefined;
}

/**
 * The value in a model's answer that fits the schema: the outermost one, repaired if need be. Otherwise every issue at
 * once: `ERR_TRUNCATED`, `ERR_JSON_EXTRACT`, `ERR_JSON_PARSE`, or one `ERR_SCHEMA_VALIDATION` for each broken rule,
 * its message beginning with the rule's name.
 * @throws StructuredOutputError for a schema that cannot be used
 */
export function parseStructured<T>(text: string, options: ParseStructuredOptions<T>): Result<T> {
  const { schema, finishReason, limits } = options;
  const read = readAnswer(text, { readings: [createChecker(schema)], finishReason, limits });
  return read.ok ? success(read.value.value) : read;
}
