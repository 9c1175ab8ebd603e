import { arrayAt, isRecord } from "@ccl/core/json";
import type { Result } from "@ccl/core";
import { createJsonSchemaChecker, type JsonSchema } from "@ccl/structured-output/json-schema";

import {
  actionKinds,
  defaultPlanVersion,
  isActionKind,
  kindsOf,
  planVersions,
} from "../plan/action-kinds.ts";
import type { ContextRequest, Plan, PlanAction, PlanVersion } from "../plan/plan.ts";
import { type PlanIssue, type PlanIssueCode, quote, planIssue } from "../plan-issue.ts";
import { actionSchemas, requestSchemas } from "../schema/plan-schema.ts";

/** Fields in which models give reasons. They have no effect. */
const REMARKS: ReadonlySet<string> = new Set(["reason", "explanation"]);

/** The fields of all kinds of action. */
const FIELDS: ReadonlySet<string> = new Set(
  Object.values(actionKinds).flatMap(({ fields }) => fields),
);

const LIST: JsonSchema = { type: "array" };

/**
 * The fields of a plan. Items of its lists are read one by one, so that an issue names the fields of the item's kind.
 */
const MEMBERS: Readonly<Record<string, JsonSchema>> = {
  version: {},
  actions: LIST,
  proposed_changes: { type: "object", properties: { actions: LIST }, additionalProperties: false },
  summary: { type: "string" },
  context_requests: LIST,
  memory_patch: { type: "object" },
};
const PLAN: JsonSchema = { type: "object", properties: MEMBERS, additionalProperties: false };
const REQUEST = tagged("type", Object.keys(requestSchemas));

interface Place {
  path: (string | number)[];
  issues: PlanIssue[];
  code: PlanIssueCode;
}

/** True for a value meant as a plan, valid or not: an object with one of a plan's keys, or a list of likely actions. */
export function isPlanLike(value: unknown): boolean {
  if (Array.isArray(value))
    return value.every((item) => isRecord(item) && ("kind" in item || "path" in item));
  const { version: _version, ...members } = MEMBERS;
  return isRecord(value) && Object.keys(members).some((key) => Object.hasOwn(value, key));
}

/** Converts a JSON value to a plan, or returns everything wrong with it. Never guesses a kind or a path. */
export function readPlan(value: unknown, wanted?: PlanVersion): Result<Plan> {
  const issues: PlanIssue[] = [];
  const at = (...path: Place["path"]): Place => ({ path, issues, code: "ERR_SCHEMA_VALIDATION" });
  const whole = without(Array.isArray(value) ? { actions: value as unknown } : value);
  const fields = isRecord(whole) ? whole : {};
  const { version: stated, summary } = fields;
  const version = readVersion(stated, wanted ?? versionOfList(value), issues);
  const proposed = without(fields["proposed_changes"]);
  const nested = isRecord(proposed) ? { proposed_changes: proposed } : {};
  check(PLAN, isRecord(whole) ? { ...whole, ...nested } : whole, at());
  if (proposed !== undefined && fields["actions"] !== undefined)
    issues.push(
      planIssue(
        "ERR_SCHEMA_VALIDATION",
        "A plan has its actions in one place: actions or proposed_changes.actions.",
        ["proposed_changes"],
      ),
    );
  const holder = isRecord(proposed) ? proposed : fields;
  const path = isRecord(proposed) ? ["proposed_changes", "actions"] : ["actions"];
  const actions = arrayAt(holder, "actions").flatMap(
    (item, index) => readAction(item, version, at(...path, index)) ?? [],
  );
  const requests = arrayAt(fields, "context_requests").flatMap(
    (item, index) => readRequest(item, at("context_requests", index)) ?? [],
  );
  if (issues.length > 0) return { ok: false, issues };
  const memory = without(fields["memory_patch"]);
  const plan: Plan = {
    version,
    actions,
    summary: typeof summary === "string" ? summary : undefined,
    context_requests: requests,
    memory_patch: isRecord(memory) ? memory : {},
  };
  return { ok: true, value: plan };
}

/** Returns the version of a bare list of actions, which cannot state it. EDIT_FILE means version 3. */
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
      ? `Unknown plan version ${quote(String(stated))}. Known versions: ${planVersions.join(", ")}.`
      : `The plan has version ${known}. Version ${expected} was requested.`;
  issues.push(planIssue("ERR_UNSUPPORTED_VERSION", message, ["version"]));
  return expected;
}

function readAction(value: unknown, version: PlanVersion, place: Place): PlanAction | undefined {
  const kind = isRecord(value) ? value["kind"] : undefined;
  if (!isActionKind(kind, version)) return check(tagged("kind", kindsOf(version)), value, place);
  const own: readonly string[] = actionKinds[kind].fields;
  // Models also write fields of other kinds. Empty ones are ignored.
  const isEmpty = (key: string, item: unknown): boolean =>
    FIELDS.has(key) &&
    ((Array.isArray(item) && item.length === 0) || (item === "" && !own.includes(key)));
  const action = without(value, isEmpty);
  const edits = isRecord(action) ? action["edits"] : undefined;
  const isNoAnchor = (key: string, item: unknown): boolean => key === "anchor" && item === "";
  const whole = Array.isArray(edits)
    ? { ...Object(action), edits: edits.map((edit: unknown) => without(edit, isNoAnchor)) }
    : action;
  return check(actionSchemas[kind] ?? {}, whole, place);
}

function readRequest(value: unknown, at: Place): ContextRequest | undefined {
  const place: Place = { ...at, code: "ERR_CONTEXT_REQUEST" };
  const request = without(value, (_key, item) => typeof item === "string" && item.trim() === "");
  const type = isRecord(request) ? request["type"] : undefined;
  const [, schema = REQUEST] = Object.entries(requestSchemas).find(([name]) => name === type) ?? [];
  const read = check<ContextRequest>(schema, request, place);
  if (read?.type !== "read_file") return read;
  const { start_line: start = 1, end_line: end = start } = read;
  if (end < start)
    place.issues.push(
      planIssue(place.code, `The range ends at ${end}, before it starts at ${start}.`, [
        ...place.path,
        "end_line",
      ]),
    );
  return read;
}

/** Returns the value if it fits the schema, whose type is `T`. Otherwise, records its issues. */
function check<T>(
  schema: JsonSchema,
  value: unknown,
  { path, issues, code }: Place,
): T | undefined {
  const checked = createJsonSchemaChecker<T>(schema)(value);
  if (checked.ok) return checked.value;
  for (const issue of checked.issues)
    issues.push(planIssue(code, issue.message, [...path, ...issue.path]));
  return undefined;
}

/** Removes remarks, and fields that strict formats require even when absent. */
function without(
  value: unknown,
  isLeftOut: (key: string, item: unknown) => boolean = () => false,
): unknown {
  if (!isRecord(value)) return value ?? undefined;
  return Object.fromEntries(
    Object.entries(value).filter(
      ([key, item]) =>
        item !== null &&
        item !== undefined &&
        !(REMARKS.has(key) && typeof item === "string") &&
        !isLeftOut(key, item),
    ),
  );
}

/** Builds the schema of an object whose `tag` field selects one of several types. */
function tagged(tag: string, known: readonly string[]): JsonSchema {
  const path = tag === "kind" ? { path: { type: "string" } } : {};
  const properties = { [tag]: { type: "string", enum: known }, ...path };
  return { type: "object", properties, required: Object.keys(properties) };
}
