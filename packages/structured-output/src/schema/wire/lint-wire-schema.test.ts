import { describe, expect, it } from "vitest";

import { formatPointer } from "../../json-schema/json-pointer.ts";
import type { JsonSchema } from "../../json-schema/json-schema.ts";
import { lintWireSchema } from "./lint-wire-schema.ts";

const object = (properties: Record<string, unknown>, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

const nested = (levels: number): JsonSchema =>
  levels === 1 ? object({}) : object({ a: nested(levels - 1) });

describe("lintWireSchema", () => {
  it.each<[string, JsonSchema]>([
    [
      "every kind of node",
      object(
        {
          a: { type: "string", format: "date", description: "A day" },
          b: { type: ["integer", "null"], minimum: 1 },
          c: {
            type: "array",
            items: { anyOf: [{ $ref: "#/$defs/d" }, { $ref: "#" }, { type: "null" }] },
            maxItems: 3,
          },
          e: { type: "string", enum: ["x"] },
          f: { type: "string", pattern: "^(?:a|b)+$" },
        },
        { $defs: { d: object({ next: { $ref: "#/$defs/d" } }) } },
      ),
    ],
    ["ten levels", nested(10)],
    ["an object without properties", object({})],
  ])("accepts %s", (_name, schema) => {
    expect(lintWireSchema(schema)).toEqual([]);
  });

  const many = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `v${index}`);
  it.each<[string, JsonSchema, string[]]>([
    ["an array at the root", { type: "array", items: { type: "null" } }, ["wire_root "]],
    ["a union at the root", { anyOf: [object({})] }, ["wire_root ", "wire_root /anyOf"]],
    [
      "an optional property",
      object({ a: { type: "null" } }, { required: [] }),
      ["wire_required /properties/a"],
    ],
    [
      "a required name without a property",
      object({}, { required: ["a"] }),
      ["wire_required /required"],
    ],
    [
      "open objects",
      object({ a: { type: "object", properties: {}, required: [] } }),
      ["wire_additional_properties /properties/a"],
    ],
    [
      "a map",
      object({ a: { type: "object", additionalProperties: { type: "null" } } }),
      ["wire_additional_properties /properties/a"],
    ],
    ["a property without a type", object({ a: {} }), ["wire_type /properties/a"]],
    ["a schema that is true", object({ a: true }), ["wire_type /properties/a"]],
    ["an array without items", object({ a: { type: "array" } }), ["wire_type /properties/a"]],
    [
      "oneOf",
      object({ a: { oneOf: [] } }),
      ["wire_keyword /properties/a/oneOf", "wire_type /properties/a"],
    ],
    ["an empty union", object({ a: { anyOf: [] } }), ["wire_any_of /properties/a/anyOf"]],
    [
      "a default",
      object({ a: { type: "string", default: "x" } }),
      ["wire_keyword /properties/a/default"],
    ],
    [
      "a reference into nothing",
      object({ a: { $ref: "#/$defs/b" } }),
      ["wire_ref /properties/a/$ref"],
    ],
    [
      "keywords beside a reference",
      object({ a: { $ref: "#", description: "x" } }),
      ["wire_ref /properties/a"],
    ],
    [
      "an unknown format",
      object({ a: { type: "string", format: "uri" } }),
      ["wire_format /properties/a/format"],
    ],
    [
      "look-ahead",
      object({ a: { type: "string", pattern: "^(?=a)" } }),
      ["wire_pattern /properties/a/pattern"],
    ],
    [
      "an enum of objects",
      object({
        a: {
          type: "object",
          properties: {},
          required: [],
          additionalProperties: false,
          enum: [{}],
        },
      }),
      ["wire_enum /properties/a"],
    ],
    ["eleven levels", nested(11), [`wire_depth ${"/properties/a".repeat(10)}`]],
    [
      "1,001 enum values",
      object({ a: { type: "string", enum: many(600) }, b: { type: "string", enum: many(401) } }),
      ["wire_size "],
    ],
    [
      "a large enum of long values",
      object({ a: { type: "string", enum: many(251).map((value) => value.padEnd(60)) } }),
      ["wire_size /properties/a"],
    ],
    [
      "5,001 properties",
      object(Object.fromEntries(many(5001).map((name) => [name, { type: "null" }]))),
      ["wire_size "],
    ],
    [
      "names of 120,001 characters",
      object({ ["n".repeat(120_001)]: { type: "null" } }),
      ["wire_size "],
    ],
  ])("refuses %s", (_name, schema, expected) => {
    expect(
      lintWireSchema(schema).map((issue) => `${issue.code} ${formatPointer(issue.path)}`),
    ).toEqual(expected);
  });

  it("finds all faults at once", () => {
    const schema = object({
      a: { type: "string", minLength: 1 },
      b: { type: "object" },
      c: { not: {} },
    });
    expect(lintWireSchema(schema)).toHaveLength(4);
  });
});
