import { deepFreeze, isRecord, valueAt } from "@ccl/core/json";
import { type Issue, type Result, success } from "@ccl/core";
import { StructuredOutputError, createJsonSchemaChecker } from "@ccl/structured-output/json-schema";

import { readJson } from "../artifact/copy-json.ts";
import { tagPattern } from "../artifact/operation-artifact.ts";
import { problemOfWrite } from "../effects/operation-effect.ts";
import { paramsSchemaOf } from "../kinds/kinds.ts";
import { isJsonSchema } from "../kinds/tool-kind.ts";
import { defaultRenderer } from "../liquid/create-template-renderer.ts";
import type { OperationConfig, OperationDefinition } from "../operation/operation-definition.ts";
import { holdsToken } from "../kinds/mask-tokens.ts";
import type { OperationRegistry, RegisteredOperation } from "./registered-operation.ts";
import { writtenTag } from "./written-tag.ts";
import { checkDependencies, type PlacedOperation } from "./check-dependencies.ts";
import type { OperationProfile, ProfileIssue, ProfileOperation } from "./operation-profile.ts";
import { profileShape } from "./operation-profile-schema.ts";

/** A profile validated against a registry. It is a deep-frozen copy, so it stays valid. */
export interface ValidProfile extends OperationProfile {
  /** Issues that do not prevent a run. Not enumerable, and therefore not stored. */
  readonly warnings: readonly Issue[];
}

/**
 * Checks everything that can be known before a run: the shape, the operations and their configuration, the dependency
 * graph, that no two operations write the same tag, and that there are no secrets. Returns all issues at once, up to
 * 100. See `ProfileIssueCode`.
 */
export function validateProfile(
  profile: OperationProfile,
  registry: OperationRegistry,
): Result<ValidProfile> {
  const read = readJson(profile, profileShape);
  if (!read.ok) return read;
  const data = read.value;
  const entries = data.operations.map((operation, index): ProfileEntry => {
    const registered = registry.find(operation.operationId);
    const tag = registered && writtenTag(registered.definition, operation.config);
    return { ...operation, registered, tag, path: ["operations", index] };
  });
  const issues = [
    ...checkOperations(entries),
    ...checkTags(entries),
    ...checkDependencies(entries),
    ...checkConditions(entries),
  ];
  const warnings = issues.filter(({ severity }) => severity === "warning");
  if (warnings.length < issues.length) {
    return { ok: false, issues: issues.toSorted(errorsFirst).slice(0, maxIssues) };
  }
  const valid: ValidProfile = { ...data, warnings: Object.freeze(warnings) };
  Object.defineProperty(valid, "warnings", { enumerable: false });
  return success(deepFreeze(valid));
}

const maxIssues = 100;
const errorsFirst = (left: Issue, right: Issue): number =>
  Number(left.severity === "warning") - Number(right.severity === "warning");

function checkOperations(entries: readonly ProfileEntry[]): ProfileIssue[] {
  const seen = new Set<string>();
  return entries.flatMap(({ operationId, config, registered, path }): ProfileIssue[] => {
    const name = JSON.stringify(operationId);
    const issues: ProfileIssue[] = [];
    const add = (code: ProfileIssue["code"], key: string, message: string): void =>
      void issues.push({ code, path: [...path, key], message });
    if (seen.has(operationId)) {
      const message = `${name} is in the profile twice; an operation in both hooks is one entry with two hooks.`;
      add("duplicate_operation", "operationId", message);
    }
    seen.add(operationId);
    if (registered === undefined) {
      add(
        "unknown_operation",
        "operationId",
        `${name} is not registered; register it, or take it out.`,
      );
      return issues;
    }
    issues.push(...checkParams(registered, config, [...path, "config", "params"]));
    if (holdsToken(config) || holdsSecretField(config.params)) {
      const message = `Something in the settings of ${name} looks like a secret; use a credentialRef instead.`;
      add("secret_in_profile", "config", message);
    }
    return issues;
  });
}

const secretKey =
  /^(api_?key|password|passwd|secret|client_?secret|access_?token|auth_?token|authorization)$/i;

/** True if a field with a secret-like name contains a string. */
function holdsSecretField(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([key, field]) =>
      (typeof field === "string" && field !== "" && secretKey.test(key)) || holdsSecretField(field),
  );
}

/** Checks what an operation writes, if its parameters specify a write. */
function checkWrite(
  { kind, operationId }: OperationDefinition,
  write: unknown,
  path: Issue["path"],
): ProfileIssue | undefined {
  if (isRecord(write) && "tag" in write) {
    const problem = problemOfWrite(write);
    return problem && { ...problem, path: [...path, problem.field] };
  }
  if (kind !== "llm") return undefined;
  const message = `${JSON.stringify(operationId)} calls a model and needs writeArtifact, which says where the answer goes.`;
  return { code: "missing_tag", path, message };
}

function checkParams(
  { definition, handler }: RegisteredOperation,
  { params }: OperationConfig,
  path: Issue["path"],
): ProfileIssue[] {
  const { kind, operationId } = definition;
  const write = checkWrite(definition, params["writeArtifact"], [...path, "writeArtifact"]);
  const issues: ProfileIssue[] = write === undefined ? [] : [write];
  // The templates that the engine renders itself.
  const templates = [["writeArtifact", "inclusion", "template"]];
  if (kind === "template" && handler === undefined) templates.push(["template"]);
  for (const keys of templates) {
    const text = valueAt(params, keys);
    const checked = typeof text === "string" ? defaultRenderer().check(text) : success("");
    for (const { message } of checked.ok ? [] : checked.issues)
      issues.push({ code: "invalid_template", path: [...path, ...keys], message });
  }
  const { paramsSchema: given = handler === undefined ? "kind" : undefined } = definition;
  const paramsSchema = given === "kind" ? paramsSchemaOf(kind) : given;
  if (paramsSchema === undefined || !isJsonSchema(paramsSchema)) return issues;
  try {
    // Passes the same object each time, since compiled schemas are cached by identity.
    const read = createJsonSchemaChecker(paramsSchema)(JSON.parse(JSON.stringify(params)));
    for (const { path: at, message } of read.ok ? [] : read.issues)
      issues.push({ code: "invalid_params", path: [...path, ...at], message });
  } catch (error) {
    if (!StructuredOutputError.isInstance(error)) throw error;
    const message = `The paramsSchema of ${JSON.stringify(operationId)} can't be used. ${error.message}`;
    issues.push({ code: "invalid_params", path, message });
  }
  return issues;
}

function checkTags(entries: readonly ProfileEntry[]): ProfileIssue[] {
  const writers = new Map<string, string>();
  return entries.flatMap(({ operationId, tag, ...entry }): ProfileIssue[] => {
    if (tag === undefined) return [];
    const path = [...entry.path, "config", "params", "writeArtifact", "tag"];
    const issues: ProfileIssue[] = [];
    if (!tagPattern.test(tag)) {
      const message = `${JSON.stringify(tag)} is not a tag: a letter or _, then up to 99 letters, digits, _ or -.`;
      issues.push({ code: "invalid_tag", path, message });
    }
    const other = writers.get(tag);
    if (other !== undefined && other !== operationId) {
      const message = `${JSON.stringify(operationId)} and ${JSON.stringify(other)} both write art.${tag}; a tag has one writer.`;
      issues.push({ code: "tag_collision", path, message });
    }
    writers.set(tag, operationId);
    return issues;
  });
}

/** An operation of a profile, and what its registry knows about it. */
interface ProfileEntry extends PlacedOperation {
  registered: RegisteredOperation | undefined;
  /** The tag that it may write. */
  tag: string | undefined;
}

/** Warns of conditions on tags that another operation of the hook writes without being a dependency. */
function checkConditions(entries: readonly ProfileEntry[]): ProfileIssue[] {
  const byId = new Map(entries.map((entry) => [entry.operationId, entry]));
  const writers = new Map(entries.map((entry) => [entry.tag, entry]));
  return entries.flatMap(({ operationId, config, path }) =>
    (config.when ?? []).flatMap(({ ref }, at): ProfileIssue[] => {
      const tag = ref.split(".")[1] ?? "";
      const writer = writers.get(tag);
      const hook = config.hooks.find((one) => writer?.config.hooks.includes(one));
      if (writer === undefined || hook === undefined || writer.operationId === operationId)
        return [];
      if (waitsFor(byId, operationId, writer.operationId)) return [];
      const [name, other] = [JSON.stringify(operationId), JSON.stringify(writer.operationId)];
      const message = `${name} reads art.${tag} as it was when ${hook} began, although ${other} writes it there; let it depend on ${other} to see the new value.`;
      const refPath = [...path, "config", "when", at, "ref"];
      return [{ code: "unawaited_condition", path: refPath, message, severity: "warning" }];
    }),
  );
}

function waitsFor(
  byId: ReadonlyMap<string, ProfileOperation>,
  operationId: string,
  wanted: string,
): boolean {
  const seen = new Set([operationId]);
  for (const id of seen) {
    for (const dependency of byId.get(id)?.config.dependsOn ?? []) seen.add(dependency);
    if (seen.has(wanted)) return true;
  }
  return false;
}
