import { isRecord } from "@ccl/core/json";

import { actionKinds, isActionKind } from "../plan/action-kinds.ts";
import type { FileEdit, PlanAction, PlanVersion } from "../plan/plan.ts";
import { type PlanIssue, quote } from "../plan-issue.ts";
import { createFieldReader } from "./field-reader.ts";

const TEXT_FIELDS = ["content", "patch", "base_sha256", "to"] as const;

/** Where a value stands in the answer, and what is wrong so far. */
export interface ReadContext {
  version: PlanVersion;
  path: (string | number)[];
  issues: PlanIssue[];
}

/** One action of an answer; undefined with issues if it is none. Nothing is guessed: not a kind, not a path. */
export function readAction(
  value: unknown,
  { version, path, issues }: ReadContext,
): PlanAction | undefined {
  const code = "ERR_SCHEMA_VALIDATION";
  if (!isRecord(value)) {
    issues.push({ code, path, message: "An action must be an object with kind and path." });
    return undefined;
  }
  const reader = createFieldReader(value, { path, issues, code });
  const kind = reader.text("kind");
  const target = reader.text("path");
  if (target === undefined && typeof value["path"] !== "number")
    reader.refuse("path", "An action needs a path.");
  if (!isActionKind(kind, version)) {
    const known = Object.keys(actionKinds).filter((known) => isActionKind(known, version));
    const given =
      kind === undefined
        ? "An action needs a kind"
        : `There is no kind ${quote(kind)} in version ${version}`;
    reader.refuse("kind", `${given}. Known are ${known.join(", ")}.`);
    return undefined;
  }
  const { fields } = actionKinds[kind];
  reader.refuseOthers(["kind", "path", ...fields, ...emptyFields(value)]);
  if (target === undefined) return undefined;
  const action: PlanAction = { kind, path: target };
  for (const field of TEXT_FIELDS) {
    const text = fields.includes(field) ? reader.text(field) : undefined;
    if (text !== undefined) action[field] = text;
  }
  const edits = fields.includes("edits")
    ? readEdits(value["edits"], { version, path: [...path, "edits"], issues })
    : [];
  if (edits.length > 0) action.edits = edits;
  return action;
}

/** Fields that models write for kinds that have none of them, as long as nothing stands in them. */
function emptyFields(value: Readonly<Record<string, unknown>>): string[] {
  const isEmpty = (item: unknown): boolean =>
    item === "" || (Array.isArray(item) && item.length === 0);
  return ["content", "patch", "base_sha256", "edits", "to"].filter((key) => isEmpty(value[key]));
}

function readEdits(value: unknown, { path, issues }: ReadContext): FileEdit[] {
  const code = "ERR_SCHEMA_VALIDATION";
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    issues.push({ code, path, message: "Edits must be a list." });
    return [];
  }
  return value.flatMap((item: unknown, index) => {
    const place = [...path, index];
    if (!isRecord(item)) {
      issues.push({
        code,
        path: place,
        message: "An edit must be an object with before and after.",
      });
      return [];
    }
    const reader = createFieldReader(item, { path: place, issues, code });
    const anchor = reader.text("anchor");
    const before = reader.text("before");
    const after = reader.text("after");
    reader.refuseOthers(["anchor", "before", "after"]);
    if (before === undefined) reader.refuse("before", "An edit needs the text before it.");
    if (after === undefined) reader.refuse("after", 'An edit needs the text after it; "" removes.');
    if (before === undefined || after === undefined) return [];
    return [anchor === undefined || anchor === "" ? { before, after } : { anchor, before, after }];
  });
}
