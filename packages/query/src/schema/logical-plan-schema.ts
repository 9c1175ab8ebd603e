import type { JsonSchema } from "@ccl/structured-output";

const text = (description: string): JsonSchema => ({ type: "string", description });
const oneOf = (...names: readonly string[]): JsonSchema => ({ type: "string", enum: [...names] });
const list = (items: JsonSchema, minItems = 0): JsonSchema => ({
  type: "array",
  items,
  ...(minItems > 0 && { minItems }),
});

function record(
  properties: Record<string, JsonSchema>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required, additionalProperties: false };
}

const step = (
  op: string,
  properties: Record<string, JsonSchema>,
  optional: readonly string[] = [],
): JsonSchema =>
  record(
    { name: text("Unique in the plan."), op: { type: "string", const: op }, ...properties },
    optional,
  );

const from = text("The name of an earlier step.");
const expression = text(
  "Like: status = 'paid' and amount >= 10.5 and created_at >= date '2026-01-01'",
);

const steps: JsonSchema[] = [
  step(
    "scan",
    {
      resource: text("The id of a resource of the catalog."),
      columns: list(text("A column of it.")),
    },
    ["columns"],
  ),
  step("filter", { from, where: expression }),
  step("project", { from, columns: list(text("Like: date(created_at) as day"), 1) }),
  step(
    "join",
    {
      kind: oneOf("inner", "left", "semi", "anti"),
      left: from,
      right: from,
      on: list(text("Like: user_id = id"), 1),
      prefix: text("Stands before the names of the right columns."),
    },
    ["prefix"],
  ),
  step("aggregate", {
    from,
    by: list(text("Like: date(created_at) as day")),
    aggregates: list(
      text("Like: sum(amount) as revenue; count, count_distinct, sum, avg, min, max"),
    ),
  }),
  step("sort", { from, by: list(text("Like: revenue desc"), 1) }),
  step(
    "limit",
    { from, count: { type: "integer", minimum: 0 }, offset: { type: "integer", minimum: 0 } },
    ["offset"],
  ),
  step("union", { from: list(from, 2) }),
  step("distinct", { from }),
];

/**
 * The JSON Schema (draft 2020-12) for plans written by a model. Expressions are text, which takes a third of a
 * tree's tokens. `toWireSchema(logicalPlanSchema)` is the strict form.
 */
export const logicalPlanSchema: JsonSchema = record({
  version: { type: "integer", const: 1 },
  steps: { type: "array", minItems: 1, items: { anyOf: steps } },
});
