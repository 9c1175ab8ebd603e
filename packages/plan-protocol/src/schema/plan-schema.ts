import { canonicalJson, sha256Hex } from "@ccl/core";
import { type JsonSchema, toWireSchema } from "@ccl/structured-output";

import { memoryKeys } from "../memory/memory-keys.ts";
import { actionKinds, isActionKind } from "../plan/action-kinds.ts";
import type { ActionKind, PlanVersion } from "../plan/plan.ts";

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
  base_sha256: {
    type: "string",
    pattern: "^[0-9a-f]{64}$",
    description: "The SHA-256 of the file as it was read.",
  },
  edits: { type: "array", items: EDIT, minItems: 1 },
  to: PATH,
};

const line = { type: "integer", minimum: 1 };

const REQUEST: JsonSchema = {
  anyOf: [
    objectOf({ type: { const: "read_file" }, path: PATH, start_line: line, end_line: line }, [
      "type",
      "path",
    ]),
    objectOf({ type: { const: "search" }, query: { type: "string" }, glob: { type: "string" } }, [
      "type",
      "query",
    ]),
    objectOf({ type: { const: "logs" }, source: { type: "string" }, last_n: line }, [
      "type",
      "source",
    ]),
    objectOf({ type: { const: "env" } }, ["type"]),
  ],
};

const domainSchemas = new Map<PlanVersion, JsonSchema>();
const wireSchemas = new Map<PlanVersion, JsonSchema>();

/** The JSON Schema of a plan's object form in a version, named by `x_schema_version`; for people and for local checks. */
export function planDomainSchema(version: PlanVersion): JsonSchema {
  const known = domainSchemas.get(version) ?? { ...planSchema(version), x_schema_version: version };
  domainSchemas.set(version, known);
  return known;
}

/** The same in the strict subset that providers decode by: send it as `response_format`. */
export function planWireSchema(version: PlanVersion): JsonSchema {
  const known = wireSchemas.get(version) ?? toWireSchema(planSchema(version)).schema;
  wireSchemas.set(version, known);
  return known;
}

/** SHA-256 of a schema's canonical JSON: names in a trace what was sent. */
export function schemaHash(schema: JsonSchema): string {
  return sha256Hex(canonicalJson(schema));
}

function planSchema(version: PlanVersion): JsonSchema {
  const kinds = Object.keys(actionKinds).filter((kind) => isActionKind(kind, version));
  return objectOf(
    {
      actions: { type: "array", items: { anyOf: kinds.map((kind) => actionSchema(kind)) } },
      summary: text(
        'What is wrong and the steps, or what was done and how to check it; "NO_CHANGES: ..." without actions.',
      ),
      context_requests: { type: "array", items: REQUEST },
      memory_patch: objectOf(
        Object.fromEntries(memoryKeys.map(({ key, schema }) => [key, schema])),
        [],
      ),
    },
    ["actions"],
  );
}

function actionSchema(kind: ActionKind): JsonSchema {
  const fields: Fields = { kind: { const: kind }, path: PATH };
  for (const field of actionKinds[kind].fields) fields[field] = FIELDS[field] ?? {};
  const { optional = [] } = actionKinds[kind];
  const isNeeded = (field: string): boolean => !optional.some((one) => one === field);
  return objectOf(fields, Object.keys(fields).filter(isNeeded));
}

function objectOf(properties: Fields, required: string[]): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}
