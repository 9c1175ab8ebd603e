import { isRecord } from "@ccl/core/json";
import type { Issue } from "@ccl/core";
import { createJsonSchemaChecker, type JsonSchema } from "@ccl/structured-output/json-schema";

import { planIssue, quote } from "../plan-issue.ts";
import type { PlanMemory } from "./plan-memory.ts";

/** A memory after a patch, and the outcome for each key. */
export interface MemoryPatchOutcome {
  memory: PlanMemory;
  /** Keys that were set, in patch order. */
  applied: string[];
  /** One `ERR_SCHEMA_VALIDATION` for each key that is unknown or has a value of the wrong type. */
  rejected: Issue[];
}

const text: JsonSchema = { type: "string" };
const list: JsonSchema = { type: "array", items: text };

/** The keys that a patch may set, in rendering order. If space runs short, the last ones are dropped first. */
export const memorySchemas: Readonly<Record<string, JsonSchema>> = {
  "user.preferred_style": { type: "string", enum: ["brief", "normal", "verbose"] },
  "user.ask_budget": { type: "integer", minimum: 0, maximum: 2 },
  "user.risk_tolerance": { type: "string", enum: ["low", "medium", "high"] },
  "user.default_language": text,
  "user.output_format": { type: "string", enum: ["patch_first", "plan_first"] },
  "project.default_test_command": text,
  "project.default_lint_command": text,
  "project.default_format_command": text,
  "project.package_manager": text,
  "project.build_command": text,
  "project.src_roots": list,
  "project.test_roots": list,
  "project.ci_notes": text,
};

/** A line break could make a value look like a prompt heading. */
const TEXT: JsonSchema = {
  type: "string",
  maxLength: 500,
  pattern: String.raw`^(?=.*\S)[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*$`,
};
const LIMITS: Readonly<Record<string, JsonSchema>> = {
  string: TEXT,
  array: { maxItems: 20, items: TEXT },
};

const checkPatch = createJsonSchemaChecker({
  type: "object",
  properties: Object.fromEntries(
    Object.entries(memorySchemas).map(([key, schema]) => [
      key,
      { ...schema, ...LIMITS[String(schema["type"])] },
    ]),
  ),
  additionalProperties: false,
});

/**
 * Sets the keys that a model may set, such as `project.default_test_command`, and lists the rejected ones. It cannot
 * check the user's consent, so call it only after the user agreed. The given memory is not changed.
 */
export function applyMemoryPatch(
  memory: PlanMemory,
  patch: Readonly<Record<string, unknown>>,
): MemoryPatchOutcome {
  const checked = checkPatch(patch);
  const rejected = checked.ok
    ? []
    : checked.issues.map(({ path: [key = ""], message }) =>
        planIssue("ERR_SCHEMA_VALIDATION", `${quote(String(key))}: ${message}`, [key]),
      );
  const applied = Object.keys(patch).filter((key) => !rejected.some(({ path }) => path[0] === key));
  const fields = {
    ...flatten(memory),
    ...Object.fromEntries(applied.map((key) => [key, patch[key]])),
  };
  return { memory: { user: {}, project: {}, ...nest(fields) }, applied, rejected };
}

/** Validates memory parsed from its files. Invalid parts are left out and listed. */
export function readMemory(files: Layers): MemoryPatchOutcome {
  return applyMemoryPatch({ user: {}, project: {} }, flatten(files));
}

type Layers = Readonly<Record<keyof PlanMemory, unknown>>;

/** Flattens layers to fields keyed as in a patch (`project.ci_notes`). */
export function flatten(layers: Layers): Record<string, unknown> {
  const fields = Object.entries(layers).flatMap(([layer, of]) =>
    isRecord(of) ? Object.entries(of).map(([name, value]) => [`${layer}.${name}`, value]) : [],
  );
  return Object.fromEntries(fields);
}

/** Groups fields by layer and name. A layer without fields is left out. */
export function nest(
  fields: Readonly<Record<string, unknown>>,
): Partial<Record<keyof PlanMemory, Record<string, unknown>>> {
  const layers: Record<string, Record<string, unknown>> = {};
  for (const [key, value] of Object.entries(fields)) {
    const [layer = "", name = ""] = key.split(".");
    (layers[layer] ??= {})[name] = value;
  }
  return layers;
}
