import type { JsonSchema } from "@ccl/structured-output";

/** One key that a memory patch may set. */
export interface MemoryKey {
  /** With a dot, as in a patch: `project.src_roots`. */
  key: string;
  layer: "user" | "project";
  name: string;
  schema: JsonSchema;
}

const text: JsonSchema = { type: "string" };
const list: JsonSchema = { type: "array", items: text };

const USER: Readonly<Record<string, JsonSchema>> = {
  preferred_style: { type: "string", enum: ["brief", "normal", "verbose"] },
  ask_budget: { type: "integer", minimum: 0, maximum: 2 },
  risk_tolerance: { type: "string", enum: ["low", "medium", "high"] },
  default_language: text,
  output_format: { type: "string", enum: ["patch_first", "plan_first"] },
};

const PROJECT: Readonly<Record<string, JsonSchema>> = {
  default_test_command: text,
  default_lint_command: text,
  default_format_command: text,
  package_manager: text,
  build_command: text,
  src_roots: list,
  test_roots: list,
  ci_notes: text,
};

/** All keys in the order of rendering. The first ones are dropped last if space is short. */
export const memoryKeys: readonly MemoryKey[] = [
  ...keysOf("user", USER),
  ...keysOf("project", PROJECT),
];

function keysOf(
  layer: MemoryKey["layer"],
  fields: Readonly<Record<string, JsonSchema>>,
): MemoryKey[] {
  return Object.entries(fields).map(([name, schema]) => ({
    key: `${layer}.${name}`,
    layer,
    name,
    schema,
  }));
}
