import { canonicalJson, sha256Hex } from "@ccl/core";
import { type JsonSchema, toWireSchema } from "@ccl/structured-output";

import { memorySchemas } from "../memory/apply-memory-patch.ts";
import { actionKinds, kindsOf } from "../plan/action-kinds.ts";
import type { ActionKind, ContextRequest, PlanVersion } from "../plan/plan.ts";

type Fields = Record<string, JsonSchema>;

const text = (description: string): JsonSchema => ({ type: "string", description });

const EDIT: JsonSchema = objectOf(
  {
    anchor: text(
      "Text that stands exactly once in the file, near before; leave it out if before stands once in the file.",
    ),
    before: text("The exact text to replace; stands once in the file, or once near the anchor."),
    after: text("What replaces it; an empty string removes it."),
  },
  ["before", "after"],
);

const PATH = text(
  "Relative to the root of the project, with forward slashes; no .., no ~, not absolute.",
);

const FIELDS: Readonly<Record<string, JsonSchema>> = {
  content: text("The whole content of the file, nothing left out."),
  patch: text("A unified diff of this one file, with three lines of context."),
  base_sha256: text("The SHA-256 of the file as it was read."),
  edits: { type: "array", items: EDIT },
  to: PATH,
};

/** Rules for which `validatePlan` has its own codes. Answers that break them are still read. */
const RULES: Readonly<Record<string, JsonSchema>> = {
  base_sha256: { pattern: "^[0-9a-f]{64}$" },
  edits: { minItems: 1 },
};

const line = { type: "integer", minimum: 1 };

/** Schema for each type of context request. */
export const requestSchemas: Readonly<Record<ContextRequest["type"], JsonSchema>> = {
  read_file: requestOf("read_file", { path: PATH, start_line: line, end_line: line }, ["path"]),
  search: requestOf("search", { query: { type: "string" }, glob: { type: "string" } }, ["query"]),
  logs: requestOf("logs", { source: { type: "string" }, last_n: line }, ["source"]),
  env: requestOf("env", {}, []),
};

/**
 * Schema for reading each kind of action. `validatePlan` reports missing fields. An edit that is already placed has its
 * text as `content`.
 */
export const actionSchemas: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  kindsOf(3).map((kind) => {
    const isEdit = actionKinds[kind].fields.includes("base_sha256");
    const placed: Fields = isEdit ? { content: FIELDS["content"] ?? {} } : {};
    return [kind, actionOf(kind, { required: ["kind", "path"], others: placed })];
  }),
);

/** The minimum that a program-built plan must satisfy before it can be checked. */
export const builtPlanSchema: JsonSchema = {
  type: "object",
  properties: {
    actions: {
      type: "array",
      items: { type: "object", properties: { ...FIELDS, path: PATH }, required: ["path"] },
    },
    context_requests: {
      type: "array",
      items: {
        type: "object",
        properties: { path: PATH },
        anyOf: [
          { properties: { type: { enum: ["search", "logs", "env"] } } },
          { required: ["path"] },
        ],
      },
    },
  },
  required: ["actions", "context_requests"],
};

const wireSchemas = new Map<PlanVersion, JsonSchema>();

/**
 * Returns the JSON Schema of a version's plan, in the strict subset that providers support for decoding. Send it as
 * `response_format`.
 */
export function planWireSchema(version: PlanVersion): JsonSchema {
  const known = wireSchemas.get(version) ?? toWireSchema(planSchema(version)).schema;
  wireSchemas.set(version, known);
  return known;
}

/** Returns the SHA-256 of a schema's canonical JSON. In a trace, it identifies the schema sent. */
export function schemaHash(schema: JsonSchema): string {
  return sha256Hex(canonicalJson(schema));
}

function planSchema(version: PlanVersion): JsonSchema {
  return objectOf(
    {
      actions: {
        type: "array",
        items: { anyOf: kindsOf(version).map((kind) => wholeAction(kind)) },
      },
      summary: text(
        'What is wrong and the steps, or what was done and how to check it; "NO_CHANGES: ..." without actions.',
      ),
      context_requests: { type: "array", items: { anyOf: Object.values(requestSchemas) } },
      memory_patch: objectOf(memorySchemas, []),
    },
    ["actions"],
  );
}

/** Builds the schema of an action with all fields its kind needs. */
function wholeAction(kind: ActionKind): JsonSchema {
  const { fields, optional = [] } = actionKinds[kind];
  const needed = fields.filter((field) => !optional.includes(field));
  return actionOf(kind, { required: ["kind", "path", ...needed], rules: RULES });
}

function actionOf(
  kind: ActionKind,
  {
    required,
    rules = {},
    others = {},
  }: { required: string[]; rules?: typeof RULES | undefined; others?: Fields | undefined },
): JsonSchema {
  const fields: Fields = { kind: { const: kind }, path: PATH, ...others };
  for (const field of actionKinds[kind].fields)
    fields[field] = { ...FIELDS[field], ...rules[field] };
  return objectOf(fields, required);
}

function requestOf(type: string, properties: Fields, required: string[]): JsonSchema {
  return objectOf({ type: { const: type }, ...properties }, ["type", ...required]);
}

function objectOf(properties: Readonly<Fields>, required: string[]): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}
