import { type FinishReason, type Issue, type Result, success } from "@ccl/core";
import { extractJson } from "@ccl/structured-output";

import type { PlanLimits } from "../limits/plan-limits.ts";
import { parsePlan } from "../parse/parse-plan.ts";
import { defaultPlanVersion } from "../plan/action-kinds.ts";
import type { Plan, PlanVersion } from "../plan/plan.ts";
import { noChangesMarker } from "../validate/check-summary.ts";
import type { PlanIssue } from "../plan-issue.ts";
import type { PlanMode, ReadSet, ValidPlan } from "../validate/valid-plan.ts";
import {
  type PlanPolicy,
  validatePlan,
  type ValidatePlanOptions,
} from "../validate/validate-plan.ts";
import { type EditFormat, type FileChange, refuseFormat } from "./file-change.ts";
import { actionsOf, type PlacedActions, placedActions } from "./actions-of.ts";
import { readSearchReplace, readWholeFiles } from "./read-blocks.ts";
import { readCalls, type ToolCalls } from "./read-calls.ts";
import { readUnifiedDiff } from "./read-unified-diff.ts";
import { readV4a } from "./read-v4a.ts";

/** How an answer in any format of edits is read. */
export interface ParseEditsOptions {
  /** What was shown to the model in full: edits are placed in these texts, and nothing else is changed. */
  readSet: ReadSet;
  /** Files that were asked for and could not be read, with the reason: asking again would not help. */
  unread?: ReadonlyMap<string, string> | undefined;
  /** Default `apply`. */
  mode?: PlanMode | undefined;
  /** The formats that are accepted; all where absent. */
  formats?: readonly EditFormat[] | undefined;
  policy?: PlanPolicy | undefined;
  limits?: Partial<PlanLimits> | undefined;
  /** Of a plan in this package's own JSON; one that says another is refused. */
  version?: PlanVersion | undefined;
  /** With `length` the answer is `ERR_TRUNCATED`, however complete it looks. */
  finishReason?: FinishReason | undefined;
}

/** A checked plan, and the format in which it was given. */
export interface ParsedEdits {
  plan: ValidPlan;
  format: EditFormat;
}

const ALL: readonly EditFormat[] = [
  "v4a",
  "search_replace",
  "unified_diff",
  "str_replace",
  "whole_file",
  "json",
];

/**
 * The plan that an answer means, whatever format of edits it is written in. An edit is placed where its old lines stand; where
 * none do, spaces at the ends of lines and lost lines of context are forgiven if exactly one place fits. Nothing is placed by
 * likeness. Hashes come from the read set; one that is given is checked. All issues at once; those of places name the
 * hunk, show the nearest lines, and say what to send.
 */
export function parseEdits(answer: string, options: ParseEditsOptions): Result<ParsedEdits> {
  const read = readEdits(answer, options);
  if (!read.ok) return read;
  const { mode = "apply", readSet, policy, limits } = options;
  const valid = validateEdits(read.value, { mode, readSet, policy, limits });
  return valid.ok ? success({ plan: valid.value, format: read.value.format }) : valid;
}

/** The files that an answer's edits change, so that they can be read before `parseEdits`; empty for what can't be read. */
export function editedPaths(
  answer: string,
  options: Omit<ReadEditsOptions, "readSet"> = {},
): string[] {
  const read = readEdits(answer, { ...options, readSet: new Map() });
  return read.ok ? read.value.plan.actions.map(({ path }) => path) : [];
}

/** `validatePlan` for edits, some of which may have no place: all issues at once, one that explains another in its stead. */
export function validateEdits(
  { plan, unplaced }: ReadEdits,
  options: ValidatePlanOptions,
): Result<ValidPlan> {
  const valid = validatePlan(plan, options);
  if (unplaced.length === 0) return valid;
  const isWithoutPlace = new Set(unplaced.map(({ path }) => path[1]));
  const isKept = ({ code, path: [list, index, field] }: Issue): boolean =>
    list !== "actions" ||
    !isWithoutPlace.has(index) ||
    (field === "path" && code !== "ERR_UPDATE_WITHOUT_BASE");
  const others = valid.ok ? [] : valid.issues.filter(isKept);
  const isRefused = new Set(others.map(({ path }) => path[1]));
  return {
    ok: false,
    issues: [...unplaced.filter(({ path }) => !isRefused.has(path[1])), ...others],
  };
}

/** How an answer is read whose plan is checked later. */
export type ReadEditsOptions = Omit<ParseEditsOptions, "mode" | "policy">;

/** An answer's plan, not yet checked. */
export interface ReadEdits {
  plan: Plan;
  format: EditFormat;
  /** Edits that have no place in their files. */
  unplaced: PlanIssue[];
}

/** The same as `parseEdits` without the checks of its plan, so that it may also ask for context. */
export function readEdits(answer: string, options: ReadEditsOptions): Result<ReadEdits> {
  if (options.finishReason === "length")
    return refuseFormat("ERR_TRUNCATED", "The model stopped at its length limit. Ask it to go on.");
  const { formats = ALL } = options;
  const text = withoutReasoning(answer);
  // Only prose can say so; a plan in JSON has its summary.
  if (text.startsWith(noChangesMarker))
    return success(planOf({ actions: [], unplaced: [] }, text.trim(), "v4a"));
  const format = formatOf(
    text,
    formats.filter((one) => one !== "whole_file"),
  );
  if (format !== undefined) return readText(text, format, options);
  if (formats.includes("whole_file")) {
    const files = readWholeFiles(text);
    if (files.ok && files.value.length > 0) return finish(files.value, "whole_file", options);
    if (!files.ok && !/^\s*(?:```\w*\s*)?[{[]/.test(text)) return files;
  }
  const calls = formats.includes("str_replace") ? callsIn(text) : undefined;
  if (calls !== undefined) return readToolCalls(calls, options);
  if (formats.includes("json")) return readOwnPlan(answer, options);
  return refuseFormat("ERR_JSON_EXTRACT", `The answer holds no edits in ${formats.join(", ")}.`);
}

const MAX_LEAD = 500;

function readText(text: string, format: TextFormat, options: ReadEditsOptions): Result<ReadEdits> {
  const changes = READERS[format](text);
  return changes.ok
    ? finish(changes.value, format, { ...options, summary: leadOf(text) })
    : changes;
}

/** The first sentence or two of prose, which say what the edits below them do. */
function leadOf(text: string): string | undefined {
  const [line = ""] = text.split("\n");
  const isProse = /^[\p{L}\d"'`].*\s/u.test(line) && !/^(?:diff|Index:) /.test(line);
  return isProse ? line.trim().slice(0, MAX_LEAD) : undefined;
}

type TextFormat = Exclude<EditFormat, "json" | "str_replace">;

const READERS: Readonly<Record<TextFormat, (text: string) => Result<FileChange[]>>> = {
  v4a: readV4a,
  search_replace: readSearchReplace,
  unified_diff: readUnifiedDiff,
  whole_file: readWholeFiles,
};

const SIGNS: readonly [TextFormat, RegExp][] = [
  ["v4a", /^\*\*\* Begin Patch\s*$/m],
  ["search_replace", /^<{5,9} ?(?:SEARCH|ORIGINAL|HEAD)\b/m],
  ["unified_diff", /^--- .+\r?\n\+\+\+ .+/m],
  ["whole_file", /^\s{0,3}(?:```|~~~)/m],
];

function formatOf(text: string, formats: readonly EditFormat[]): TextFormat | undefined {
  return SIGNS.find(([format, sign]) => formats.includes(format) && sign.test(text))?.[0];
}

function withoutReasoning(answer: string): string {
  return answer.replace(/^\s*<(think|thinking|thought|reasoning)>[\s\S]*?<\/\1>\s*/, "");
}

/** Calls one a line, or one JSON value that holds them. */
function callsIn(text: string): Result<ToolCalls> | undefined {
  const lines = text.split("\n").filter((line) => line.startsWith('{"'));
  const values = lines.map(parseLine);
  if (values.some((value) => readCalls(value) !== undefined)) {
    if (values.every((value) => value !== undefined)) return readCalls(values);
    return refuseFormat("ERR_TRUNCATED", "A call is cut off. Give all calls whole.");
  }
  const accept = (value: unknown): boolean => readCalls(value) !== undefined;
  const extracted = extractJson(text, { accept });
  // Texts that go to a file are never guessed.
  if (!extracted.ok || extracted.value.repairs.length > 0) return undefined;
  const { value, source } = extracted.value;
  const others = text.slice(0, source.start) + text.slice(source.end);
  return extractJson(others, { accept }).ok
    ? refuseFormat("ERR_SCHEMA_VALIDATION", "The answer holds two values. Give one list of calls.")
    : readCalls(value);
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function readToolCalls(calls: Result<ToolCalls>, options: ReadEditsOptions): Result<ReadEdits> {
  if (!calls.ok) return calls;
  const { changes, texts } = calls.value;
  const [patch] = texts;
  if (patch === undefined) return finish(changes, "str_replace", options);
  if (changes.length > 0 || texts.length > 1)
    return refuseFormat("ERR_SCHEMA_VALIDATION", "Give all edits in one call.");
  return readEdits(patch, { ...options, formats: (options.formats ?? ALL).filter(isTextFormat) });
}

function isTextFormat(format: EditFormat): boolean {
  return Object.hasOwn(READERS, format);
}

function readOwnPlan(answer: string, options: ReadEditsOptions): Result<ReadEdits> {
  const { limits, finishReason, version, readSet } = options;
  const parsed = parsePlan(answer, { limits, finishReason, version });
  if (!parsed.ok) return parsed;
  const { repairs: _, ...plan } = parsed.value;
  const { actions, unplaced } = placedActions(plan.actions, readSet);
  return success({ plan: { ...plan, actions }, format: "json", unplaced });
}

function finish(
  changes: readonly FileChange[],
  format: EditFormat,
  { readSet, unread, summary }: ReadEditsOptions & { summary?: string | undefined },
): Result<ReadEdits> {
  if (changes.length === 0)
    return refuseFormat("ERR_APPLY_EMPTY_ACTIONS", "The answer changes no file.");
  return success(planOf(actionsOf(changes, readSet, unread), summary, format));
}

function planOf(
  { actions, unplaced }: PlacedActions,
  summary: string | undefined,
  format: EditFormat,
): ReadEdits {
  const version = defaultPlanVersion;
  const plan = { version, actions, summary, context_requests: [], memory_patch: {} };
  return { plan, format, unplaced };
}
