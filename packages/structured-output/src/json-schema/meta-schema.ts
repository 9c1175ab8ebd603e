const schema = { $ref: "#" };
const schemas = { type: "array", items: schema, minItems: 1 };
const map = { type: "object", additionalProperties: schema };
const text = { type: "string" };
const flag = { type: "boolean" };
const number = { type: "number" };
const count = { type: "integer", minimum: 0 };
const names = { type: "array", items: text, uniqueItems: true };
const type = { enum: ["array", "boolean", "integer", "null", "number", "object", "string"] };

const each = (keywords: string, rule: object): Record<string, object> =>
  Object.fromEntries(keywords.split(" ").map((keyword) => [keyword, rule]));

const keywords = {
  ...each("$id $ref $anchor $comment title description pattern", text),
  ...each("deprecated readOnly writeOnly uniqueItems", flag),
  ...each("minimum maximum exclusiveMinimum exclusiveMaximum", number),
  ...each("minLength maxLength minItems maxItems minContains maxContains", count),
  ...each("minProperties maxProperties", count),
  ...each("contains propertyNames not if then else", schema),
  ...each("additionalProperties unevaluatedProperties additionalItems unevaluatedItems", schema),
  ...each("allOf anyOf oneOf prefixItems", schemas),
  ...each("$defs definitions properties patternProperties dependentSchemas", map),
  type: { anyOf: [type, { type: "array", items: type, minItems: 1, uniqueItems: true }] },
  enum: { type: "array", minItems: 1 },
  examples: { type: "array" },
  multipleOf: { type: "number", exclusiveMinimum: 0 },
  required: names,
  dependentRequired: { type: "object", additionalProperties: names },
  dependencies: { type: "object", additionalProperties: { anyOf: [schema, names] } },
};

/** Creates the meta-schema for prepared schemas, used for references to the dialect's own schema. */
export function metaSchema(isDraft7: boolean): Record<string, unknown> {
  return structuredClone({
    $id: isDraft7
      ? "http://json-schema.org/draft-07/schema"
      : "https://json-schema.org/draft/2020-12/schema",
    type: ["object", "boolean"],
    properties: { ...keywords, items: isDraft7 ? { anyOf: [schema, schemas] } : schema },
  });
}
