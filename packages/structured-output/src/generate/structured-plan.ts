import type { Issue, LanguageModel, Result } from "@ccl/core";

import { createChecker, jsonSchemaOf } from "../schema/compile-schema.ts";
import type { JsonSchema } from "../json-schema/json-schema.ts";
import { toWireSchema, type WireSchema } from "../schema/wire/to-wire-schema.ts";
import { createFormatLadder, type FormatLadder, type StructuredFormat } from "./format-ladder.ts";
import type { GenerateStructuredOptions } from "./generate-structured-options.ts";

const ladders = new WeakMap<LanguageModel, FormatLadder>();

/** What stays the same over all attempts. */
export interface Plan<T> {
  model: LanguageModel;
  options: GenerateStructuredOptions<T>;
  ladder: FormatLadder;
  domain: JsonSchema;
  wire: WireSchema;
  check(value: unknown): Result<T>;
}

/** Reads the schema and finds the model's format ladder. @throws StructuredOutputError */
export function createPlan<T>(
  model: LanguageModel,
  options: GenerateStructuredOptions<T>,
): Plan<T> {
  const ladder = options.ladder ?? ladders.get(model) ?? createFormatLadder();
  if (options.ladder === undefined) ladders.set(model, ladder);
  const { schema } = options;
  const domain = jsonSchemaOf(schema);
  return {
    model,
    options,
    ladder,
    domain,
    wire: toWireSchema(schema),
    check: createChecker(schema),
  };
}

/** An answer that is to be repaired. */
export interface PendingRepair {
  issues: Issue[];
  /** The answer to repair. If it was cut off, all pieces so far. */
  answer: string;
}

/** True if answers have the wire shape. JSON mode allows only objects, so other roots are wrapped there as well. */
export function usesWire<T>({ domain }: Plan<T>, format: StructuredFormat): boolean {
  return format === "json_schema" || (format === "json_object" && domain["type"] !== "object");
}
