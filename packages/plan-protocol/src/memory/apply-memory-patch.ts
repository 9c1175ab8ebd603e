import { isRecord } from "@ccl/core/json";
import type { Issue } from "@ccl/core";
import { createJsonSchemaChecker, type JsonSchema } from "@ccl/structured-output/json-schema";

import { quote, planIssue } from "../plan-issue.ts";
import { type MemoryKey, memoryKeys } from "./memory-keys.ts";
import type { PlanMemory } from "./plan-memory.ts";

/** A memory after a patch, and the result for each key. */
export interface MemoryPatchOutcome {
  memory: PlanMemory;
  /** Keys that were set, in the order of the patch. */
  applied: string[];
  /** `ERR_SCHEMA_VALIDATION` for each key that is unknown or has a value of the wrong kind. */
  rejected: Issue[];
}

/**
 * Sets the keys that a model may set, such as `project.default_test_command`, and lists the keys that it may not. It
 * cannot know whether the user agreed, so call it only after they did. The memory that is passed in is not changed.
 */
export function applyMemoryPatch(
  memory: PlanMemory,
  patch: Readonly<Record<string, unknown>>,
): MemoryPatchOutcome {
  const layers = copyLayers(memory);
  const applied: string[] = [];
  const rejected: Issue[] = [];
  for (const [key, value] of Object.entries(patch)) {
    const known = memoryKeys.find((candidate) => candidate.key === key);
    const problem =
      known !== undefined ? valueProblem(value, known.schema) : "is not a key of the memory.";
    if (known !== undefined && problem === undefined) {
      layers[known.layer][known.name] = Array.isArray(value) ? [...value] : value;
      applied.push(key);
    } else
      rejected.push(planIssue("ERR_SCHEMA_VALIDATION", `${quote(key)} ${problem ?? ""}`, [key]));
  }
  return { memory: layers, applied, rejected };
}

/** Copies both layers, so that their fields can be read and set by name. */
export function copyLayers({
  user,
  project,
}: PlanMemory): Record<MemoryKey["layer"], Record<string, unknown>> {
  return { user: { ...user }, project: { ...project } };
}

/** Validates memory as parsed from its files. Invalid parts are left out and listed. */
export function readMemory(user: unknown, project: unknown): MemoryPatchOutcome {
  const patch = { ...withPrefix("user", user), ...withPrefix("project", project) };
  return applyMemoryPatch({ user: {}, project: {} }, patch);
}

function withPrefix(layer: string, fields: unknown): Record<string, unknown> {
  if (!isRecord(fields)) return {};
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [`${layer}.${name}`, value]),
  );
}

/** A line break could make a value look like a heading of the prompt. */
const TEXT: JsonSchema = {
  type: "string",
  maxLength: 500,
  pattern: String.raw`^(?=.*\S)[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*$`,
};

function valueProblem(value: unknown, schema: JsonSchema): string | undefined {
  const limits = schema["type"] === "array" ? { maxItems: 20, items: TEXT } : TEXT;
  const checked = createJsonSchemaChecker({ ...schema, ...limits, type: schema["type"] })(value);
  return checked.ok ? undefined : checked.issues[0]?.message;
}
