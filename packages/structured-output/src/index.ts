export { extractJson } from "./extract/extract-json.ts";
export type { ExtractedJson, ExtractLimits } from "./extract/extract-options.ts";
export {
  createFormatLadder,
  type FormatLadder,
  type StructuredFormat,
} from "./generate/format-ladder.ts";
export {
  generateStructured,
  type StructuredAttempt,
  type StructuredResult,
} from "./generate/generate-structured.ts";
export { repairMessages } from "./generate/repair-messages.ts";
export { type PartialAnswer, type PartialValue, parsePartial } from "./partial/parse-partial.ts";
export type { Repair, RepairKind } from "./repair/repair.ts";
export { parseStructured } from "./schema/parse-structured.ts";
export type { JsonSchema } from "./json-schema/json-schema.ts";
export type { StandardSchema, StructuredSchema } from "./schema/structured-schema.ts";
export { lintWireSchema } from "./schema/wire/lint-wire-schema.ts";
export { toWireSchema } from "./schema/wire/to-wire-schema.ts";
export { StructuredOutputError } from "./structured-output-error.ts";
