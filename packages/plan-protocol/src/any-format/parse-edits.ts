import { planIssue, refusal } from "../plan-issue.ts";
import { type FinishReason, type Result, success } from "@ccl/core";
import { extractJson } from "@ccl/structured-output";

import type { PlanLimits } from "../limits/plan-limits.ts";
import { parsePlan } from "../parse/parse-plan.ts";
import type { EditFormat } from "../place/file-change.ts";
import { defaultPlanVersion } from "../plan/action-kinds.ts";
import type { Plan, PlanVersion } from "../plan/plan.ts";
import type { PlanPolicy } from "../paths/path-allow-list.ts";
import { checkPlanOf, type ReadAnswer } from "../validate/validate-plan.ts";
import { noChangesMarker } from "../validate/check-summary.ts";
import type { PlanMode, ReadSet, ValidPlan } from "../validate/valid-plan.ts";
import { actionsOf } from "./actions-of.ts";
import { type FoundEdits } from "./found-edits.ts";
import { readCalls } from "./read-calls.ts";
import { editsOfCalls, scanAnswer } from "./scan-answer.ts";

/** How to read an answer in any edit format. */
export interface ParseEditsOptions {
  /** Files that the model was shown in full. Edits are placed in these files only, and no other file is changed. */
  readSet: ReadSet;
  /** Requested files that could not be read, with the reason. Issues show it, since another request would not help. */
  unread?: ReadonlyMap<string, string> | undefined;
  /** Folder that absolute paths may start with. */
  root?: string | undefined;
  /** Default `apply`. */
  mode?: PlanMode | undefined;
  policy?: PlanPolicy | undefined;
  limits?: Partial<PlanLimits> | undefined;
  /** The required version of a JSON plan. A plan of another version is rejected. */
  version?: PlanVersion | undefined;
  /** With `length`, the result is `ERR_TRUNCATED` even if the answer looks complete. */
  finishReason?: FinishReason | undefined;
}

/** A checked plan and the answer's format. If the answer mixes formats, this is the first one. */
export interface ParsedEdits {
  plan: ValidPlan;
  format: EditFormat;
}

/**
 * Reads the plan in an answer, in any mix of edit formats. Accepts all edits or none. An edit is placed where its old
 * lines match exactly. Otherwise, incorrect whitespace and missing context lines are forgiven if exactly one place
 * fits, and listed in the action. Placement never relies on similarity. The result holds all issues at once. For an
 * edit that cannot be placed, the issue shows the nearest lines.
 */
export function parseEdits(answer: string, options: ParseEditsOptions): Result<ParsedEdits> {
  const read = readEdits(answer, options);
  if (!read.ok) return read;
  const { mode = "apply", readSet, unread, policy, limits } = options;
  const { plan, edits, format, remarks } = read.value;
  const given = { edits, unread, remarks };
  const valid = checkPlanOf(plan, { mode, readSet, policy, limits }, given);
  return valid.ok ? success({ plan: valid.value, format }) : valid;
}

/**
 * Returns the files that an answer's edits change, so that they can be read before `parseEdits`. Empty if the answer is
 * unreadable.
 */
export function editedPaths(
  answer: string,
  options: Omit<ReadEditsOptions, "readSet"> = {},
): string[] {
  const read = readEdits(answer, { ...options, readSet: new Map() });
  return read.ok ? read.value.plan.actions.map(({ path }) => path) : [];
}

/** How to read an answer whose plan is checked later. */
export type ReadEditsOptions = Omit<ParseEditsOptions, "mode" | "policy">;

/** An answer's plan before it is checked. */
export interface ReadEdits {
  plan: Plan;
  format: EditFormat;
  edits: ReadAnswer["edits"];
  remarks: ReadAnswer["remarks"];
}

/**
 * Like `parseEdits`, but does not check the plan, so the answer may also request context. With `isJson`, only a plan in
 * this package's JSON is accepted.
 */
export function readEdits(
  answer: string,
  options: ReadEditsOptions,
  isJson = false,
): Result<ReadEdits> {
  if (options.finishReason === "length")
    return refusal(
      "ERR_TRUNCATED",
      "The answer stopped at the model's length limit. Give all changes again, in a shorter answer.",
    );
  const text = answer.replace(REASONING, "");
  // Only prose can start with the marker. A JSON plan has it in its summary.
  if (text.startsWith(noChangesMarker))
    return finish([], options, { summary: text.trim(), remarks: [] });
  if (isJson) return readOwnPlan(answer, options);
  const scanned = scanAnswer(text);
  if (!scanned.ok) return scanned;
  const { found, hasPlan, remarks } = scanned.value;
  if (found.length > 0 && hasPlan)
    return refusal(
      "ERR_SCHEMA_VALIDATION",
      "The answer contains a plan and separate edits. Give all changes in one of the two.",
    );
  const edits = found.length > 0 || hasPlan ? found : callsInProse(text);
  if ("code" in edits) return { ok: false, issues: [edits] };
  if (edits.length > 0) return finish(edits, options, { summary: leadOf(text), remarks });
  const own = readOwnPlan(answer, options);
  return own.ok || own.issues[0]?.code !== "ERR_JSON_EXTRACT"
    ? own
    : refusal("ERR_JSON_EXTRACT", NO_EDIT);
}

const NO_EDIT =
  "The answer contains no edit. Put each file's path alone on the line above a fence with the whole file, or give SEARCH blocks, a patch or a plan in JSON.";

const REASONING = /^\s*<(think|thinking|thought|reasoning)>[\s\S]*?<\/\1>\s*/;
const MAX_LEAD = 500;

/** Returns the first sentence or two of prose, which describe the edits below. */
function leadOf(text: string): string | undefined {
  const [line = ""] = text.split("\n");
  const isProse = /^[\p{L}\d"'`].*\s/u.test(line) && !/^(?:diff|Index:) /.test(line);
  return isProse ? line.trim().slice(0, MAX_LEAD) : undefined;
}

/** Finds tool calls in a JSON value within a line. */
function callsInProse(text: string): ReturnType<typeof editsOfCalls> {
  const accept = (value: unknown): boolean => readCalls(value) !== undefined;
  const extracted = extractJson(text, { accept });
  // Text written to a file is never guessed.
  if (!extracted.ok || extracted.value.repairs.length > 0) return [];
  const { value, source } = extracted.value;
  if (extractJson(text.slice(0, source.start) + text.slice(source.end), { accept }).ok)
    return planIssue(
      "ERR_SCHEMA_VALIDATION",
      "The answer contains two values. Give one list of calls.",
    );
  const calls = readCalls(value);
  if (calls === undefined || "code" in calls) return calls ?? [];
  return editsOfCalls(calls);
}

function readOwnPlan(answer: string, options: ReadEditsOptions): Result<ReadEdits> {
  const { limits, finishReason, version, readSet } = options;
  const parsed = parsePlan(answer, { limits, finishReason, version });
  if (!parsed.ok) return parsed;
  const plan = parsed.value;
  // The model may omit the hash. If present, it is checked.
  const actions = plan.actions.map((action) => {
    const base = readSet.get(action.path);
    const isEdit = action.patch !== undefined || action.edits !== undefined;
    return isEdit && base !== undefined ? { base_sha256: base.sha256, ...action } : action;
  });
  return success({
    plan: { ...plan, actions },
    format: "json",
    edits: undefined,
    remarks: undefined,
  });
}

function finish(
  found: readonly Omit<FoundEdits, "end">[],
  options: ReadEditsOptions,
  { summary, remarks }: { summary: string | undefined; remarks: string[] },
): Result<ReadEdits> {
  const changes = found.flatMap((one) => one.changes);
  if (changes.length === 0 && summary?.startsWith(noChangesMarker) !== true)
    return refusal("ERR_APPLY_EMPTY_ACTIONS", "The answer changes no file.");
  const { actions, edits } = actionsOf(changes, options);
  const version = defaultPlanVersion;
  const plan = { version, actions, summary, context_requests: [], memory_patch: {} };
  return success({ plan, format: found[0]?.format ?? "v4a", edits, remarks });
}
