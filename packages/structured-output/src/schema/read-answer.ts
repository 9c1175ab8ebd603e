import { type FinishReason, type Issue, type Result, success } from "@ccl/core";

import { extractJson } from "../extract/extract-json.ts";
import type { ExtractedJson, ExtractLimits } from "../extract/extract-options.ts";
import type { JsonSchema } from "../json-schema/json-schema.ts";
import { alignValue } from "./align-value.ts";

/** How an answer is read. */
export interface ReadAnswerOptions<T> {
  check(value: unknown): Result<T>;
  /** Forms that a candidate may have, in order; the first that fits gives the value. Default: as it is. */
  decoders?: readonly ((candidate: unknown) => unknown)[] | undefined;
  /** The schema whose shape an answer is brought into that does not fit as it is; asked for only then. */
  shape?: (() => JsonSchema | undefined) | undefined;
  finishReason?: FinishReason | undefined;
  limits?: ExtractLimits | undefined;
}

/** A checked value and what it took to find it. */
export interface ReadAnswer<T> {
  value: T;
  repairs: ExtractedJson["repairs"];
}

type Shaped = ReturnType<typeof alignValue>;

/** The value in an answer that fits, or why there is none. */
export function readAnswer<T>(text: string, options: ReadAnswerOptions<T>): Result<ReadAnswer<T>> {
  const exact = readBy(text, options, (value) => ({ value, steps: [] }));
  const code = exact.ok ? undefined : exact.issues[0]?.code;
  const isOther = code !== "ERR_SCHEMA_VALIDATION" && code !== "ERR_JSON_EXTRACT";
  const shape = isOther ? undefined : options.shape?.();
  if (shape === undefined) return exact;
  const aligned =
    code === "ERR_JSON_EXTRACT"
      ? readWords(text, shape, options)
      : readBy(text, options, (value) => alignValue(shape, value));
  return aligned.ok ? aligned : exact;
}

/** The outermost value of the answer that fits in one of its forms, once it is shaped. */
function readBy<T>(
  text: string,
  { check, decoders = [(candidate) => candidate], finishReason, limits }: ReadAnswerOptions<T>,
  shape: (value: unknown) => Shaped,
): Result<ReadAnswer<T>> {
  let accepted: { value: T; steps: NonNullable<Shaped>["steps"] } | undefined;
  let issuesOfFirst: Issue[] | undefined;
  const accept = (candidate: unknown): boolean => {
    for (const decode of decoders) {
      const decoded = decode(candidate);
      const { value, steps } = shape(decoded) ?? { value: decoded, steps: [] };
      const result = check(value);
      if (result.ok) {
        accepted = { value: result.value, steps };
        return true;
      }
      issuesOfFirst ??= result.issues;
    }
    return false;
  };
  const extracted = extractJson(text, { accept, finishReason, limits });
  if (extracted.ok && accepted !== undefined) {
    const { repairs, source } = extracted.value;
    const steps = accepted.steps.map((step) => ({ ...step, position: source.start }));
    return success({ value: accepted.value, repairs: [...repairs, ...steps] });
  }
  const issues = extracted.ok ? [] : extracted.issues;
  // What was read first is what was most likely meant; its faults say more than that nothing fits.
  const isMisfit = issues.every((issue) => issue.code === "ERR_SCHEMA_VALIDATION");
  return { ok: false, issues: isMisfit ? (issuesOfFirst ?? issues) : issues };
}

/** A bare word or number where one of some words, a number or a truth is asked for; any text would fit a string. */
function readWords<T>(
  text: string,
  shape: JsonSchema,
  { check }: ReadAnswerOptions<T>,
): Result<ReadAnswer<T>> {
  const words = text.trim().replace(/^```\w*\n([^`]*)\n```$/, "$1");
  const aligned =
    shape["type"] === "string" && !("enum" in shape) ? undefined : alignValue(shape, words);
  const result = check(aligned?.value);
  if (!result.ok || aligned === undefined) return { ok: false, issues: [] };
  const steps = aligned.steps.map((step) => ({ ...step, position: text.indexOf(words) }));
  return success({ value: result.value, repairs: steps });
}
