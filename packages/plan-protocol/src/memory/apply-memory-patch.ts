import { isRecord } from "@ccl/core/json";
import type { Issue } from "@ccl/core";

import { quote, planIssue } from "../plan-issue.ts";
import { memoryKeys, memorySizes } from "./memory-keys.ts";
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
  const layers: Record<"user" | "project", Record<string, unknown>> = {
    user: { ...memory.user },
    project: { ...memory.project },
  };
  const applied: string[] = [];
  const rejected: Issue[] = [];
  for (const [key, value] of Object.entries(patch)) {
    const known = memoryKeys.find((candidate) => candidate.key === key);
    const problem =
      known === undefined ? "is not a key of the memory" : valueProblem(value, known.schema);
    if (known === undefined || problem !== undefined)
      rejected.push(
        planIssue("ERR_SCHEMA_VALIDATION", `${quote(key)} ${problem ?? "is unknown"}.`, [key]),
      );
    else {
      layers[known.layer][known.name] = Array.isArray(value) ? [...value] : value;
      applied.push(key);
    }
  }
  return { memory: { user: layers.user, project: layers.project }, applied, rejected };
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

function valueProblem(
  value: unknown,
  schema: Readonly<Record<string, unknown>>,
): string | undefined {
  if (schema["type"] === "integer") {
    const isWhole =
      typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 2;
    return isWhole ? undefined : "needs a whole number from 0 to 2";
  }
  if (schema["type"] === "array") {
    if (!Array.isArray(value) || value.length > memorySizes.listItems)
      return `needs a list of at most ${memorySizes.listItems} strings`;
    return value.map((item: unknown) => textProblem(item)).find((problem) => problem !== undefined);
  }
  const allowed = schema["enum"];
  if (Array.isArray(allowed) && !allowed.includes(value))
    return `needs one of ${allowed.join(", ")}`;
  return textProblem(value);
}

function textProblem(value: unknown): string | undefined {
  if (typeof value !== "string" || value.trim() === "") return "needs a string that is not empty";
  if (value.length > memorySizes.textCharacters)
    return `has more than ${memorySizes.textCharacters} characters`;
  // A line break could make a value look like a heading of the prompt.
  return /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(value)
    ? "has a character that cannot be seen"
    : undefined;
}
