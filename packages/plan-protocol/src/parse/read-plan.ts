import { isRecord } from "@ccl/core/json";
import type { Result } from "@ccl/core";

import { defaultPlanVersion, planVersions } from "../plan/action-kinds.ts";
import type { Plan, PlanVersion } from "../plan/plan.ts";
import { type PlanIssue, quote } from "../plan-issue.ts";
import { createFieldReader } from "./field-reader.ts";
import { readAction, type ReadContext } from "./read-action.ts";
import { readContextRequest } from "./read-context-request.ts";

const PLAN_KEYS = [
  "version",
  "actions",
  "proposed_changes",
  "summary",
  "context_requests",
  "memory_patch",
];

/** True for what is meant as a plan, right or wrong: an object with a key of one, or a list of what is meant as actions. */
export function isPlanLike(value: unknown): boolean {
  if (Array.isArray(value))
    return value.every((item) => isRecord(item) && ("kind" in item || "path" in item));
  return isRecord(value) && PLAN_KEYS.slice(1).some((key) => Object.hasOwn(value, key));
}

/** The plan that a JSON value is, or everything that keeps it from being one. */
export function readPlan(value: unknown, wanted?: PlanVersion): Result<Plan> {
  const issues: PlanIssue[] = [];
  const fields = Array.isArray(value) ? { actions: value as unknown } : value;
  if (!isRecord(fields)) return refuse([], "A plan is an object with actions.");
  const version = readVersion(fields["version"], wanted ?? versionOfList(value), issues);
  const context = { version, issues };
  const reader = createFieldReader(fields, { path: [], issues, code: "ERR_SCHEMA_VALIDATION" });
  const summary = reader.text("summary");
  reader.refuseOthers(PLAN_KEYS);
  const actions = readActions(fields, context);
  const requests = listOf(fields["context_requests"], ["context_requests"], issues);
  const plan: Plan = {
    version,
    actions,
    summary,
    context_requests: requests.flatMap((item, index) => {
      return readContextRequest(item, { ...context, path: ["context_requests", index] }) ?? [];
    }),
    memory_patch: readMemoryPatch(fields["memory_patch"] ?? {}, issues),
  };
  return issues.length === 0 ? { ok: true, value: plan } : { ok: false, issues };
}

/** A list of actions has no place for its version: edits are of version 3. */
function versionOfList(value: unknown): PlanVersion | undefined {
  const isEdit = (item: unknown): boolean => isRecord(item) && item["kind"] === "EDIT_FILE";
  return Array.isArray(value) && value.some(isEdit) ? 3 : undefined;
}

function readVersion(
  stated: unknown,
  wanted: PlanVersion | undefined,
  issues: PlanIssue[],
): PlanVersion {
  const known = planVersions.find((version) => version === stated);
  const expected = wanted ?? known ?? defaultPlanVersion;
  if (stated === undefined || (known !== undefined && known === expected)) return expected;
  const message =
    known === undefined
      ? `There is no version ${quote(String(stated))} of plans. Known are ${planVersions.join(", ")}.`
      : `The plan says that it is of version ${known}; version ${expected} was asked for.`;
  issues.push({ code: "ERR_UNSUPPORTED_VERSION", path: ["version"], message });
  return expected;
}

function readActions(
  fields: Readonly<Record<string, unknown>>,
  { version, issues }: Omit<ReadContext, "path">,
): Plan["actions"] {
  const proposed = fields["proposed_changes"] ?? undefined;
  const direct = fields["actions"] ?? undefined;
  if (proposed !== undefined && !isRecord(proposed)) {
    issues.push({
      code: "ERR_SCHEMA_VALIDATION",
      path: ["proposed_changes"],
      message: "proposed_changes must be an object with actions.",
    });
    return [];
  }
  if (proposed !== undefined && direct !== undefined)
    issues.push({
      code: "ERR_SCHEMA_VALIDATION",
      path: ["proposed_changes"],
      message: "A plan has its actions in one place: actions or proposed_changes.actions.",
    });
  if (proposed !== undefined) {
    const reader = createFieldReader(proposed, {
      path: ["proposed_changes"],
      issues,
      code: "ERR_SCHEMA_VALIDATION",
    });
    reader.refuseOthers(["actions"]);
  }
  const path = proposed === undefined ? ["actions"] : ["proposed_changes", "actions"];
  const list = listOf(proposed?.["actions"] ?? direct, path, issues);
  return list.flatMap(
    (item, index) => readAction(item, { version, path: [...path, index], issues }) ?? [],
  );
}

function listOf(value: unknown, path: string[], issues: PlanIssue[]): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  issues.push({
    code: "ERR_SCHEMA_VALIDATION",
    path,
    message: `${path.join(".")} must be a list.`,
  });
  return [];
}

function readMemoryPatch(value: unknown, issues: PlanIssue[]): Record<string, unknown> {
  if (!isRecord(value)) {
    const message = "memory_patch must be an object with keys like user.default_language.";
    issues.push({ code: "ERR_SCHEMA_VALIDATION", path: ["memory_patch"], message });
    return {};
  }
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}

function refuse(path: string[], message: string): Result<Plan> {
  return { ok: false, issues: [{ code: "ERR_SCHEMA_VALIDATION", path, message }] };
}
