import { deepFreeze, isRecord, valueAt } from "@ccl/core/json";
import { success, type Issue, type Result } from "@ccl/core";
import { createJsonSchemaChecker, StructuredOutputError } from "@ccl/structured-output/json-schema";

import { copyJson } from "../artifact/copy-json.ts";
import { tagPattern } from "../artifact/tag-pattern.ts";
import { problemOfWrite } from "../effects/write-problem.ts";
import { paramsSchemaOf } from "../kinds/kinds.ts";
import { isJsonSchema } from "../kinds/tool-kind.ts";
import { defaultRenderer } from "../liquid/create-template-renderer.ts";
import type { OperationConfig } from "../operation/operation-config.ts";
import type { OperationDefinition } from "../operation/operation-definition.ts";
import { holdsToken } from "../kinds/mask-tokens.ts";
import type { OperationRegistry, RegisteredOperation } from "./registered-operation.ts";
import { writtenTag } from "./written-tag.ts";
import { checkConditions } from "./check-conditions.ts";
import { checkDependencies } from "./check-dependencies.ts";
import type { OperationProfile } from "./operation-profile.ts";
import { profileShape } from "./operation-profile-schema.ts";
import type { ProfileIssue } from "./profile-issue.ts";

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
  const copy = copyJson(profile);
  if (!copy.ok) return copy;
  const shape = profileShape.safeParse(copy.value);
  if (!shape.success) {
    const issues = shape.error.issues
      .slice(0, maxIssues)
      .map(({ path, message }): ProfileIssue => ({
        code: "invalid_shape",
        path: path.map(toKey),
        message,
      }));
    return { ok: false, issues };
  }
  const { data } = shape;
  const issues = [
    ...checkOperations(data, registry),
    ...checkTags(data, registry),
    ...checkDependencies(data),
    ...checkConditions(data, registry),
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
const toKey = (key: PropertyKey): string | number => (typeof key === "number" ? key : String(key));
const errorsFirst = (left: Issue, right: Issue): number =>
  Number(left.severity === "warning") - Number(right.severity === "warning");

function checkOperations(
  { operations }: OperationProfile,
  registry: OperationRegistry,
): ProfileIssue[] {
  const issues: ProfileIssue[] = [];
  const seen = new Set<string>();
  for (const [index, { operationId, config }] of operations.entries()) {
    const path = ["operations", index];
    const name = JSON.stringify(operationId);
    if (seen.has(operationId)) {
      const message = `${name} stands in the profile twice; an operation in both hooks is one entry with two hooks.`;
      issues.push({ code: "duplicate_operation", path: [...path, "operationId"], message });
    }
    seen.add(operationId);
    const registered = registry.find(operationId);
    if (registered === undefined) {
      const message = `${name} is not registered; register it, or take it out.`;
      issues.push({ code: "unknown_operation", path: [...path, "operationId"], message });
      continue;
    }
    const configPath = [...path, "config"];
    issues.push(
      ...checkConfig(registered, config, configPath),
      ...checkTemplates(registered, config, configPath),
    );
  }
  return issues;
}

function checkConfig(
  registered: RegisteredOperation,
  config: OperationConfig,
  path: Issue["path"],
): ProfileIssue[] {
  const issues = checkParams(registered, config, [...path, "params"]);
  const { definition } = registered;
  if (holdsToken(config) || holdsSecretField(config.params)) {
    const message = `Something in the settings of ${JSON.stringify(definition.operationId)} looks like a secret; name a credentialRef instead.`;
    issues.push({ code: "secret_in_profile", path, message });
  }
  return issues;
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

/** Checks the templates that the engine's own renderer will render. */
function checkTemplates(
  { definition, handler }: RegisteredOperation,
  { params }: OperationConfig,
  path: Issue["path"],
): ProfileIssue[] {
  const templates = [["writeArtifact", "inclusion", "template"]];
  if (definition.kind === "template" && handler === undefined) templates.push(["template"]);
  return templates.flatMap((keys): ProfileIssue[] => {
    const text = valueAt(params, keys);
    const checked = typeof text === "string" ? defaultRenderer().check(text) : success("");
    if (checked.ok) return [];
    const [issue] = checked.issues;
    const message = issue?.message ?? "The template can't be parsed.";
    return [{ code: "invalid_template", path: [...path, "params", ...keys], message }];
  });
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
  const write = checkWrite(definition, params["writeArtifact"], [...path, "writeArtifact"]);
  const issues: ProfileIssue[] = write === undefined ? [] : [write];
  const { kind, operationId } = definition;
  const { paramsSchema: given = handler === undefined ? "kind" : undefined } = definition;
  const paramsSchema = given === "kind" ? paramsSchemaOf(kind) : given;
  if (paramsSchema === undefined || !isJsonSchema(paramsSchema)) return issues;
  try {
    // Passes the same object each time, since compiled schemas are cached by identity.
    const read = createJsonSchemaChecker(paramsSchema)(JSON.parse(JSON.stringify(params)));
    for (const { path: at, message } of read.ok ? [] : read.issues) {
      issues.push({ code: "invalid_params", path: [...path, ...at], message });
    }
  } catch (error) {
    if (!StructuredOutputError.isInstance(error)) throw error;
    const message = `The paramsSchema of ${JSON.stringify(operationId)} can't be used. ${error.message}`;
    issues.push({ code: "invalid_params", path, message });
  }
  return issues;
}

function checkTags({ operations }: OperationProfile, registry: OperationRegistry): ProfileIssue[] {
  const issues: ProfileIssue[] = [];
  const writers = new Map<string, string>();
  for (const [index, { operationId, config }] of operations.entries()) {
    const definition = registry.find(operationId)?.definition;
    const tag = definition && writtenTag(definition, config);
    if (tag === undefined) continue;
    const path = ["operations", index, "config", "params", "writeArtifact", "tag"];
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
  }
  return issues;
}
