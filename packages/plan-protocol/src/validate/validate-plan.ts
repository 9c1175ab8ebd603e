import type { Issue, Result } from "@ccl/core";
import { createJsonSchemaChecker } from "@ccl/structured-output/json-schema";

import { defaultPlanLimits, type PlanLimits } from "../limits/plan-limits.ts";
import { checkPath } from "../paths/check-path.ts";
import type { EditOfFile } from "../place/place-changes.ts";
import type { PathUse, PlanPolicy } from "../paths/path-allow-list.ts";
import { isActionKind, pathUseOf, planVersions } from "../plan/action-kinds.ts";
import type { Plan, PlanAction, PlanVersion } from "../plan/plan.ts";
import { planIssue, quote } from "../plan-issue.ts";
import { builtPlanSchema } from "../schema/plan-schema.ts";
import type { ActionCheck } from "./action-check.ts";
import { checkChange } from "./check-change.ts";
import { checkSummary } from "./check-summary.ts";
import { findConflicts, type PlacedAction } from "./find-conflicts.ts";
import { orderActions } from "./order-actions.ts";
import type { PlanMode, ReadSet, ValidAction, ValidPlan } from "./valid-plan.ts";

/** What to check a plan against. */
export interface ValidatePlanOptions {
  mode: PlanMode;
  /** Files read for the plan. In apply mode, UPDATE_FILE, PATCH_FILE and EDIT_FILE need their file to be here. */
  readSet?: ReadSet | undefined;
  policy?: PlanPolicy | undefined;
  limits?: Partial<PlanLimits> | undefined;
}

interface Settings {
  mode: PlanMode;
  version: PlanVersion;
  readSet: ReadSet;
  policy: PlanPolicy;
  limits: PlanLimits;
  issues: Issue[];
  answer: ReadAnswer;
  totalBytes: number;
}

/** Data that only an answer in another format has. */
export interface ReadAnswer {
  /** Edits to place, keyed by action index. */
  edits?: ReadonlyMap<number, readonly EditOfFile[]> | undefined;
  /** Why a requested file could not be read, keyed by path. */
  unread?: ReadonlyMap<string, string> | undefined;
  /** One sentence about each part of the answer without edits. */
  remarks?: string[] | undefined;
}

/**
 * Checks everything in a plan that can be checked without the files, and sorts its actions into application order. The
 * result holds all issues at once, with paths into the plan as given. Codes are those of `PlanIssueCode`.
 */
export function validatePlan(plan: Plan, options: ValidatePlanOptions): Result<ValidPlan> {
  return checkPlanOf(plan, options);
}

/** Like `validatePlan`, for a plan from an answer in any format. */
export function checkPlanOf(
  plan: Plan,
  options: ValidatePlanOptions,
  answer: ReadAnswer = {},
): Result<ValidPlan> {
  const shape = createJsonSchemaChecker(builtPlanSchema)(plan);
  if (!shape.ok) return shape;
  const { mode, readSet = new Map(), policy = {} } = options;
  const limits = { ...defaultPlanLimits, ...options.limits };
  const issues: Issue[] = [];
  const { version, context_requests, memory_patch } = plan;
  const settings: Settings = {
    mode,
    version,
    readSet,
    policy,
    limits,
    issues,
    answer,
    totalBytes: 0,
  };
  checkVersion(version, issues);
  const summary = checkSummary(plan, mode, issues);
  const { maxActions } = limits;
  if (plan.actions.length > maxActions)
    issues.push(
      planIssue(
        "ERR_TOO_MANY_ACTIONS",
        `${plan.actions.length} actions are more than ${maxActions}. Split the plan.`,
        ["actions"],
      ),
    );
  // A plan far over the limit is rejected for that. Checking all of it would only waste time.
  const actions = checkActions(plan.actions.slice(0, maxActions), settings);
  checkRequests(plan, settings);
  if (issues.length > 0) return { ok: false, issues };
  const ordered = orderActions(actions);
  const { remarks } = answer;
  return {
    ok: true,
    value: { version, mode, actions: ordered, summary, context_requests, memory_patch, remarks },
  };
}

function checkVersion(version: PlanVersion, issues: Issue[]): void {
  if (planVersions.includes(version)) return;
  const message = `Unknown plan version ${quote(String(version))}. Known versions: ${planVersions.join(", ")}.`;
  issues.push(planIssue("ERR_UNSUPPORTED_VERSION", message, ["version"]));
}

function checkActions(actions: readonly PlanAction[], settings: Settings): ValidAction[] {
  const valid: ValidAction[] = [];
  const placed: PlacedAction[] = [];
  for (const [index, action] of actions.entries()) {
    const at: ["actions", number] = ["actions", index];
    if (!isActionKind(action.kind, settings.version)) {
      const message = `Unknown action kind ${quote(String(action.kind))} in version ${settings.version}.`;
      settings.issues.push(planIssue("ERR_SCHEMA_VALIDATION", message, [...at, "kind"]));
      continue;
    }
    const path = checkPathAt(action.path, [...at, "path"], {
      use: pathUseOf(action.kind),
      settings,
    });
    if (path !== undefined) placed.push({ kind: action.kind, path, index });
    const to = targetOf(action, at, settings);
    if (to !== undefined) placed.push({ kind: "CREATE_FILE", path: to, index });
    const check = createCheck(at, path ?? "", settings);
    // A rejected path must be repaired first.
    if (path === undefined && check.edits !== undefined) continue;
    valid.push(checkChange({ ...action, path: path ?? action.path, to }, check));
  }
  const { totalBytes } = settings;
  const { maxTotalContentBytes } = settings.limits;
  if (totalBytes > maxTotalContentBytes)
    settings.issues.push(
      planIssue(
        "ERR_CONTENT_TOO_LARGE",
        `${totalBytes} bytes are more than ${maxTotalContentBytes} for one plan. Split it.`,
        ["actions"],
      ),
    );
  settings.issues.push(...findConflicts(placed));
  return valid;
}

/** Returns MOVE_FILE's new path. */
function targetOf(
  { kind, to }: PlanAction,
  at: (string | number)[],
  settings: Settings,
): string | undefined {
  if (kind !== "MOVE_FILE") return undefined;
  if (to !== undefined) return checkPathAt(to, [...at, "to"], { use: "write", settings });
  settings.issues.push(
    planIssue("ERR_SCHEMA_VALIDATION", "MOVE_FILE needs the path that the file moves to.", [
      ...at,
      "to",
    ]),
  );
  return undefined;
}

function createCheck(at: ["actions", number], path: string, settings: Settings): ActionCheck {
  const { readSet, issues, answer } = settings;
  return {
    ...settings,
    base: readSet.get(path),
    edits: answer.edits?.get(at[1]),
    unread: answer.unread?.get(path),
    addBytes: (count) => void (settings.totalBytes += count),
    add: (code, place, message) => issues.push(planIssue(code, message, [...at, ...place])),
    addAll: (found, place) =>
      issues.push(...found.map((issue) => ({ ...issue, path: [...at, ...place, ...issue.path] }))),
  };
}

function checkRequests({ context_requests: requests }: Plan, settings: Settings): void {
  for (const [index, request] of requests.entries()) {
    if (request.type === "read_file")
      checkPathAt(request.path, ["context_requests", index, "path"], { use: "read", settings });
  }
}

function checkPathAt(
  path: string,
  at: (string | number)[],
  { use, settings }: { use: PathUse; settings: Settings },
): string | undefined {
  const checked = checkPath(path, { policy: settings.policy, limits: settings.limits, use });
  if (checked.ok) return checked.value;
  settings.issues.push(...checked.issues.map((issue) => ({ ...issue, path: at })));
  return undefined;
}
