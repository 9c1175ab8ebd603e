import { type FinishReason, type Result, success } from "@ccl/core";
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
import { findRepeatedKey } from "./find-repeated-key.ts";
import { isPlanLike, readPlan } from "./read-plan.ts";

/** How an answer is read. */
export interface ParsePlanOptions {
  /** What was asked for; a plan that says another is refused. Where absent, what the plan says, else 2. */
  version?: PlanVersion | undefined;
  /** With `length` the answer is `ERR_TRUNCATED`, however complete it looks. */
  finishReason?: FinishReason | undefined;
  limits?: Partial<Pick<PlanLimits, "maxTotalContentBytes">> | undefined;
}

/** A plan, and what it took to read it. */
export interface ParsedPlan extends Plan {
  /** In the order of the answer; empty for JSON as it stood. Only such as leave no doubt about what was meant. */
  repairs: Repair[];
}

/**
 * Repairs after which a string or a list may differ from what the model meant. A plan is written to disk, so these send
 * the answer back instead.
 */
const GUESSES: ReadonlySet<RepairKind> = new Set<RepairKind>([
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

/**
 * The plan in a model's answer: JSON as it stands, in a fence or in prose, repaired where that is no guess. Everything
 * that is wrong comes back at once. What is cut off is `ERR_TRUNCATED`, two different plans are refused, and so are members
 * that a plan does not have.
 */
export function parsePlan(answer: string, options: ParsePlanOptions = {}): Result<ParsedPlan> {
  const { version, finishReason, limits } = options;
  const extractLimits = extractLimitsOf(limits);
  const extracted = extractJson(answer, {
    accept: isPlanLike,
    limits: extractLimits,
    finishReason,
  });
  if (!extracted.ok) return extracted;
  const doubt = doubtOf(answer, extracted.value, extractLimits);
  if (doubt !== undefined) return refusal(...doubt);
  const plan = readPlan(extracted.value.value, version);
  return plan.ok ? success({ ...plan.value, repairs: extracted.value.repairs }) : plan;
}

function doubtOf(
  answer: string,
  { value, repairs, source }: ExtractedJson,
  limits: ExtractLimits,
): [PlanIssueCode, string] | undefined {
  // The plan may be whole, but the string that it stands in is not, and more may have been meant to follow.
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
  // Of two quotes beside each other either may be the content's own.
  const isGuess = ({ kind, position }: Repair): boolean =>
    GUESSES.has(kind) ||
    (/^(?:quote_style|concatenation)$/.test(kind) &&
      (source.kind === "double_encoded" ||
        answer.slice(position - 1, position + 2).includes('""')));
  const guess = repairs.find(isGuess);
  // Even valid JSON: a backspace before a letter was meant as `\\b` in nearly every text.
  const remedy =
    guess?.kind === "invalid_escape"
      ? String.raw`Write \\ for a backslash, \u0008 for a backspace, \u000c for a form feed.`
      : "Give valid JSON.";
  if (guess !== undefined)
    return [
      "ERR_JSON_PARSE",
      `The JSON can only be guessed at offset ${guess.position} (${guess.kind}). ${remedy}`,
    ];
  if (source.path.length > 0)
    return [
      "ERR_SCHEMA_VALIDATION",
      `The plan stands inside ${quote(source.path.join("."))}. Give it as the whole answer.`,
    ];
  const key = repairs.length === 0 ? repeatedKeyIn(answer, source) : undefined;
  if (key !== undefined)
    return ["ERR_JSON_PARSE", `An object has ${quote(key)} twice. Give each member once.`];
  if (source.kind === "fence" || source.kind === "prose")
    return secondPlanIn(answer, value, limits);
  return undefined;
}

function repeatedKeyIn(answer: string, source: ExtractedJson["source"]): string | undefined {
  const text = answer.slice(source.start, source.end);
  let json: unknown = text;
  // JSON in a JSON string, at most twice.
  while (source.kind === "double_encoded" && typeof json === "string" && json.startsWith('"'))
    json = JSON.parse(json);
  return typeof json === "string" ? findRepeatedKey(json) : undefined;
}

function secondPlanIn(
  answer: string,
  plan: unknown,
  limits: ExtractLimits,
): [PlanIssueCode, string] | undefined {
  const first = JSON.stringify(plan);
  // The actions of a plan are a list of actions too, and no second plan.
  const isOther = (value: unknown): boolean =>
    Array.isArray(value) === Array.isArray(plan) &&
    isPlanLike(value) &&
    JSON.stringify(value) !== first;
  const second = extractJson(answer, { accept: isOther, limits });
  if (!second.ok || second.value.source.path.length > 0) return undefined;
  // A list without items is as likely a footnote as a plan.
  if (Array.isArray(second.value.value) && second.value.value.length === 0) return undefined;
  return ["ERR_SCHEMA_VALIDATION", "The answer holds two different plans. Give one."];
}

// A character may take six of JSON (an escape), and what stands round the contents is small.
function extractLimitsOf(limits: ParsePlanOptions["limits"]): ExtractLimits {
  const { maxTotalContentBytes } = { ...defaultPlanLimits, ...limits };
  return { maxBytes: maxTotalContentBytes * 6 + 1024 * 1024, maxDepth: 64 };
}
