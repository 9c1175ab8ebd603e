import { arrayAt, isRecord, type JsonRecord, recordAt, stringAt } from "@ccl/core/json";

import type { JsonSchema } from "../json-schema/json-schema.ts";

type Convert = (schema: unknown) => JsonSchema;

/** Shape of a value by its type's name. Omits bounds, since the schema itself checks them. */
const FORMS: Readonly<Record<string, (def: JsonRecord, convert: Convert) => JsonSchema>> = {
  ZodString: () => ({ type: "string" }),
  ZodBoolean: () => ({ type: "boolean" }),
  ZodNull: () => ({ type: "null" }),
  ZodNumber: (def) => {
    const isWhole = arrayAt(def, "checks").some((one) => stringAt(one, "kind") === "int");
    return { type: isWhole ? "integer" : "number" };
  },
  ZodLiteral: ({ value }) => ({ const: value }),
  ZodEnum: ({ values }) => ({ enum: values }),
  ZodNativeEnum: (def) => {
    const values = recordAt(def, "values");
    // A numeric enum also maps each number to its name, which is not a value of it.
    const names = Object.keys(values).filter(
      (key) => typeof values[String(values[key])] !== "number",
    );
    return { enum: names.map((name) => values[name]) };
  },
  ZodObject: ({ shape, unknownKeys, catchall }, convert) => {
    const members: unknown = typeof shape === "function" ? shape() : {};
    const fields = Object.entries(isRecord(members) ? members : {});
    return {
      type: "object",
      properties: Object.fromEntries(fields.map(([name, field]) => [name, convert(field)])),
      required: fields.filter(([, field]) => !mayBeAbsent(field)).map(([name]) => name),
      additionalProperties: unknownKeys === "strict" ? false : convert(catchall),
    };
  },
  ZodArray: ({ type }, convert) => ({ type: "array", items: convert(type) }),
  ZodTuple: (def, convert) => ({
    type: "array",
    prefixItems: arrayAt(def, "items").map(convert),
    items: convert(def["rest"]),
  }),
  ZodRecord: ({ valueType }, convert) => ({
    type: "object",
    additionalProperties: convert(valueType),
  }),
  ZodUnion: unionOf,
  ZodDiscriminatedUnion: unionOf,
  ZodIntersection: ({ left, right }, convert) => ({ allOf: [convert(left), convert(right)] }),
  ZodNullable: ({ innerType }, convert) => ({ anyOf: [convert(innerType), { type: "null" }] }),
};

/**
 * Returns the JSON Schema of a zod 3 schema's input, with `{}` where JSON Schema cannot express it. Undefined for other
 * schemas.
 */
export function schemaOfZod3(schema: object): JsonSchema | undefined {
  if (recordAt(schema, "_def")["typeName"] === undefined) return undefined;
  const names = new Map<unknown, string>();
  const $defs: Record<string, JsonSchema> = {};
  const convert: Convert = (node) => {
    const def = recordAt(node, "_def");
    const { typeName, getter, innerType, in: first, schema: checked, type, effect } = def;
    if (typeof getter === "function") {
      const name = names.get(node) ?? `part${names.size}`;
      if (!names.has(node)) {
        names.set(node, name);
        $defs[name] = convert(getter());
      }
      return { $ref: `#/$defs/${name}` };
    }
    const form = FORMS[String(typeName)];
    if (form !== undefined) return form(def, convert);
    // A wrapper accepts the same input as its inner type. `preprocess` accepts anything.
    const isAny = stringAt(effect, "type") === "preprocess";
    const inner = innerType ?? first ?? checked ?? type;
    return isAny || inner === undefined ? {} : convert(inner);
  };
  return { ...convert(schema), $defs };
}

function unionOf(def: JsonRecord, convert: Convert): JsonSchema {
  return { anyOf: arrayAt(def, "options").map(convert) };
}

function mayBeAbsent(field: unknown): boolean {
  return (
    isRecord(field) && typeof field["isOptional"] === "function" && field["isOptional"]() === true
  );
}
