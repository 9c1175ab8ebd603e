import type { FinishReason, Result } from "@ccl/core";
import {
  type ExtractedJson,
  extractJson,
  type ExtractLimits,
  type Repair,
  type RepairKind,
} from "@ccl/structured-output";

import { defaultPlanLimits, type PlanLimits } from "../limits/plan-limits.ts";
import type { Plan, PlanVersion } from "../plan/plan.ts";
import { type PlanIssueCode, quote, refusal } from "../plan-issue.ts";
import { isPlanLike, readPlan } from "./read-plan.ts";

/** How to read an answer. */
export interface ParsePlanOptions {
  /**
   * The requested version. A plan of another version is rejected. Defaults to the plan's own version, or 2 if it has
   * none.
   */
  version?: PlanVersion | undefined;
  /** With `length`, the result is `ERR_TRUNCATED` even if the answer looks complete. */
  finishReason?: FinishReason | undefined;
  limits?: Partial<Pick<PlanLimits, "maxTotalContentBytes">> | undefined;
}

/**
 * Repairs after which a string or list may differ from what the model meant. Since a plan is written to disk, these are
 * rejected instead.
 */
const GUESSES: ReadonlySet<RepairKind> = new Set<RepairKind>([
  "draft",
  "invalid_escape",
  "missing_braces",
  "missing_closer",
  "missing_quote",
  "missing_value",
  "repeated_key",
  "stray_text",
  "unescaped_quote",
  "unquoted_string",
  "wrong_closer",
]);

/** Both occur in valid JSON. A backspace before a letter nearly always means `\\b`. */
const REMEDIES: Readonly<Record<string, string>> = {
  invalid_escape: String.raw`Write \\ for a backslash, \u0008 for a backspace, \u000c for a form feed.`,
  repeated_key: "Give each member once.",
};

/**
 * Parses the plan in a model's answer: plain JSON, in a fence or in prose. Repairs the JSON only if no guess is needed.
 * The result holds all issues at once. Returns `ERR_TRUNCATED` if the answer was cut off. Two different plans and
 * unknown fields are rejected.
 */
export function parsePlan(answer: string, options: ParsePlanOptions = {}): Result<Plan> {
  const { version, finishReason, limits } = options;
  const extracted = extractJson(answer, {
    accept: isPlanLike,
    limits: extractLimitsOf(limits),
    finishReason,
  });
  if (!extracted.ok) return extracted;
  const doubt = doubtOf(answer, extracted.value);
  if (doubt !== undefined) return refusal(...doubt);
  return readPlan(extracted.value.value, version);
}

function doubtOf(
  answer: string,
  { repairs, source }: ExtractedJson,
): [PlanIssueCode, string] | undefined {
  // The plan may be complete, but the surrounding string is not, so more may have been meant to follow.
  const isInOpenString =
    /^\s*"/.test(answer) && source.kind === "prose" && answer.slice(source.end).trim() === "";
  if (isInOpenString)
    return ["ERR_TRUNCATED", "The answer ends inside a string. Give the whole plan."];
  const elided = repairs.find((repair) => repair.kind === "ellipsis");
  if (elided !== undefined)
    return [
      "ERR_ELISION",
      `The answer leaves something out at offset ${elided.position}. Give the whole plan.`,
    ];
  // Either of two adjacent quotes may be part of the content.
  const isGuess = ({ kind, position }: Repair): boolean =>
    GUESSES.has(kind) ||
    (/^(?:quote_style|concatenation)$/.test(kind) &&
      (source.kind === "double_encoded" ||
        answer.slice(position - 1, position + 2).includes('""')));
  const guess = repairs.find(isGuess);
  const remedy = REMEDIES[guess?.kind ?? ""] ?? "Give valid JSON.";
  if (guess !== undefined)
    return [
      "ERR_JSON_PARSE",
      `The JSON can only be guessed at offset ${guess.position} (${guess.kind}). ${remedy}`,
    ];
  if (source.path.length > 0)
    return [
      "ERR_SCHEMA_VALIDATION",
      `The plan is inside ${quote(source.path.join("."))}. Give it as the whole answer.`,
    ];
  return undefined;
}

// A character can take six in JSON (an escape). Everything around the contents is small.
function extractLimitsOf(limits: ParsePlanOptions["limits"]): ExtractLimits {
  const { maxTotalContentBytes } = { ...defaultPlanLimits, ...limits };
  return { maxBytes: maxTotalContentBytes * 6 + 1024 * 1024, maxDepth: 64 };
}
