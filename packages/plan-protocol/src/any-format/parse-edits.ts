import { type FinishReason, type Result, success } from "@ccl/core";
import { extractJson } from "@ccl/structured-output";

import type { PlanLimits } from "../limits/plan-limits.ts";
import { parsePlan } from "../parse/parse-plan.ts";
import type { Plan } from "../plan/plan.ts";
import type { PlanMode, ReadSet, ValidPlan } from "../validate/valid-plan.ts";
import { type PlanPolicy, validatePlan } from "../validate/validate-plan.ts";
import { type EditFormat, type FileChange, refuseFormat } from "./file-change.ts";
import { actionsOf, placedActions } from "./actions-of.ts";
import { readSearchReplace, readWholeFiles } from "./read-blocks.ts";
import { readCalls, type ToolCalls } from "./read-calls.ts";
import { readUnifiedDiff } from "./read-unified-diff.ts";
import { readV4a } from "./read-v4a.ts";

/** How an answer in any format of edits is read. */
export interface ParseEditsOptions {
  /** What was shown to the model in full: edits are placed in these texts, and nothing else is changed. */
  readSet: ReadSet;
  /** Default `apply`. */
  mode?: PlanMode | undefined;
  /** The formats that are accepted; all where absent. */
  formats?: readonly EditFormat[] | undefined;
  policy?: PlanPolicy | undefined;
  limits?: Partial<PlanLimits> | undefined;
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
 * hunk, show the nearest lines, and say what to send. A file that is moved is created and deleted.
 */
export function parseEdits(answer: string, options: ParseEditsOptions): Result<ParsedEdits> {
  if (options.finishReason === "length")
    return refuseFormat("ERR_TRUNCATED", "The model stopped at its length limit. Ask it to go on.");
  const { formats = ALL } = options;
  const text = withoutReasoning(answer);
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

function readText(
  text: string,
  format: TextFormat,
  options: ParseEditsOptions,
): Result<ParsedEdits> {
  const changes = READERS[format](text);
  return changes.ok ? finish(changes.value, format, options) : changes;
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

function readToolCalls(calls: Result<ToolCalls>, options: ParseEditsOptions): Result<ParsedEdits> {
  if (!calls.ok) return calls;
  const { changes, texts } = calls.value;
  const [patch] = texts;
  if (patch === undefined) return finish(changes, "str_replace", options);
  if (changes.length > 0 || texts.length > 1)
    return refuseFormat("ERR_SCHEMA_VALIDATION", "Give all edits in one call.");
  return parseEdits(patch, { ...options, formats: (options.formats ?? ALL).filter(isTextFormat) });
}

function isTextFormat(format: EditFormat): boolean {
  return Object.hasOwn(READERS, format);
}

function readOwnPlan(answer: string, options: ParseEditsOptions): Result<ParsedEdits> {
  const { limits, finishReason, readSet } = options;
  const parsed = parsePlan(answer, { limits, finishReason });
  if (!parsed.ok) return parsed;
  const { repairs: _, ...plan } = parsed.value;
  const actions = placedActions(plan.actions, readSet);
  return actions.ok ? check({ ...plan, actions: actions.value }, "json", options) : actions;
}

function finish(
  changes: readonly FileChange[],
  format: EditFormat,
  options: ParseEditsOptions,
): Result<ParsedEdits> {
  if (changes.length === 0)
    return refuseFormat("ERR_APPLY_EMPTY_ACTIONS", "The answer changes no file.");
  const actions = actionsOf(changes, options.readSet);
  if (!actions.ok) return actions;
  const plan: Plan = { version: 2, actions: actions.value, context_requests: [], memory_patch: {} };
  return check(plan, format, options);
}

function check(
  plan: Plan,
  format: EditFormat,
  { mode = "apply", readSet, policy, limits }: ParseEditsOptions,
): Result<ParsedEdits> {
  const valid = validatePlan(plan, { mode, readSet, policy, limits });
  return valid.ok ? success({ plan: valid.value, format }) : valid;
}
