import { describe, expect, it } from "vitest";
import { z } from "zod";

import { createJsonSchemaChecker } from "../../json-schema/json-schema-checker.ts";
import type { JsonSchema } from "../../json-schema/json-schema.ts";
import type { StructuredSchema } from "../structured-schema.ts";
import { lintWireSchema } from "./lint-wire-schema.ts";
import { toWireSchema } from "./to-wire-schema.ts";

const node = z.object({
  name: z.string(),
  get kids() {
    return z.array(node);
  },
  get next() {
    return node.nullable().optional();
  },
});

const closed = (
  properties: Record<string, unknown>,
  required = Object.keys(properties),
): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** A value of optional members as the wire has it, down to where it is JSON text. */
function onWire(value: unknown, given: unknown): unknown {
  const node = given as { anyOf?: object[]; properties?: Record<string, object> };
  if (node.anyOf !== undefined) return onWire(value, node.anyOf[0]);
  if (typeof value !== "object" || value === null) return value;
  if (node.properties === undefined) return JSON.stringify(value);
  const { properties } = node;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, onWire(member, properties[key])]),
  );
}

describe("toWireSchema", () => {
  const examples: {
    name: string;
    schema: StructuredSchema<unknown>;
    value: unknown;
    wire: unknown;
  }[] = [
    {
      name: "an absent optional property is null on the wire",
      schema: z.object({ a: z.string(), b: z.int().optional() }),
      value: { a: "x" },
      wire: { a: "x", b: null },
    },
    {
      name: "a property that is both optional and nullable is nullable",
      schema: z.object({
        a: z.string().nullish(),
        b: z.string().nullish(),
        c: z.string().nullish(),
      }),
      value: { b: "x" },
      wire: { a: null, b: "x", c: null },
    },
    {
      name: "a map becomes a list of pairs",
      schema: z.object({ scores: z.record(z.string(), z.number()) }),
      value: { scores: { "a/b": 1, c: 2 } },
      wire: {
        scores: [
          { key: "a/b", value: 1 },
          { key: "c", value: 2 },
        ],
      },
    },
    {
      name: "a map with a closed list of names becomes an object",
      schema: z.record(z.enum(["a", "b"]), z.boolean()),
      value: { a: true, b: false },
      wire: { a: true, b: false },
    },
    {
      name: "an array at the root is wrapped",
      schema: z.array(z.string()),
      value: ["a"],
      wire: { value: ["a"] },
    },
    {
      name: "a tuple becomes an object",
      schema: z.object({ pair: z.tuple([z.string(), z.number()], z.boolean()) }),
      value: { pair: ["a", 1, true, false] },
      wire: { pair: { item0: "a", item1: 1, rest: [true, false] } },
    },
    {
      name: "a tuple with an optional end keeps its length",
      schema: z.object({ pair: z.tuple([z.string(), z.number().optional()]) }),
      value: { pair: ["a"] },
      wire: { pair: { item0: "a", item1: null } },
    },
    {
      name: "a value of any kind is JSON text",
      schema: z.object({ data: z.any() }),
      value: { data: { a: [1, "x", null] } },
      wire: { data: '{"a":[1,"x",null]}' },
    },
    {
      name: "further properties of an open object are pairs beside the named ones",
      schema: z.looseObject({ a: z.string() }),
      value: { a: "x", b: 1 },
      wire: { a: "x", additionalProperties: [{ key: "b", value: "1" }] },
    },
    {
      name: "a discriminated union stays a union",
      schema: z.object({
        step: z.discriminatedUnion("type", [
          z.object({ type: z.literal("a"), n: z.number().optional() }),
          z.object({ type: z.literal("b"), n: z.record(z.string(), z.string()) }),
        ]),
      }),
      value: { step: { type: "b", n: { k: "v" } } },
      wire: { step: { type: "b", n: [{ key: "k", value: "v" }] } },
    },
    {
      name: "a union whose branches look alike on the wire is tagged",
      schema: z.object({
        both: z.union([
          z.array(z.object({ key: z.string(), value: z.string() })),
          z.record(z.string(), z.string()),
        ]),
      }),
      value: { both: { k: "v" } },
      wire: { both: { variant: "2", value: [{ key: "k", value: "v" }] } },
    },
    {
      name: "a recursive schema is followed by reference",
      schema: node,
      value: { name: "a", kids: [{ name: "b", kids: [] }] },
      wire: { name: "a", kids: [{ name: "b", kids: [], next: null }], next: null },
    },
    {
      name: "a recursive union with a map and an array is tagged on every level",
      schema: z.json(),
      value: { a: [1] },
      wire: {
        value: {
          variant: "6",
          value: [{ key: "a", value: { variant: "5", value: [{ variant: "2", value: 1 }] } }],
        },
      },
    },
    {
      name: "parts of allOf are one object",
      schema: {
        allOf: [{ $ref: "#/$defs/a" }, closed({ b: { type: "string" } })],
        $defs: { a: { type: "object", properties: { a: { type: "null" } } } },
      },
      value: { b: "x" },
      wire: { a: null, b: "x" },
    },
    {
      name: "draft-07 tuples and definitions are read",
      schema: {
        $schema: "http://json-schema.org/draft-07/schema#",
        definitions: {
          point: {
            type: "array",
            items: [{ type: "number" }, { type: "number" }],
            minItems: 2,
            additionalItems: false,
          },
        },
        type: "object",
        properties: { at: { $ref: "#/definitions/point" } },
        required: ["at"],
      },
      value: { at: [1, 2] },
      wire: { at: { item0: 1, item1: 2 } },
    },
    {
      name: "a reference with escaped characters is followed",
      schema: {
        type: "array",
        items: { $ref: "#/$defs/a%20b~1c%25" },
        $defs: { "a b/c%": { type: "null" } },
      },
      value: [null],
      wire: { value: [null] },
    },
    {
      name: "constraints beside a reference and a union are merged into it",
      schema: {
        type: "object",
        properties: { kind: { type: "string" } },
        required: ["kind"],
        anyOf: [{ $ref: "#/$defs/sized" }, { properties: { kind: { const: "plain" } } }],
        $defs: { sized: { properties: { size: { type: "integer" } }, required: ["size"] } },
      },
      value: { kind: "big", size: 3 },
      wire: { value: { kind: "big", size: 3 } },
    },
    {
      name: "names of the prototype are names like others",
      schema: { type: "object", additionalProperties: { type: "integer" } },
      value: JSON.parse('{"__proto__": 1, "constructor": 2}'),
      wire: {
        value: [
          { key: "__proto__", value: 1 },
          { key: "constructor", value: 2 },
        ],
      },
    },
  ];

  it.each(examples)("$name", ({ schema, value, wire }) => {
    const converted = toWireSchema(schema);
    expect(lintWireSchema(converted.schema)).toEqual([]);
    expect(converted.decode(wire)).toEqual(value);
  });

  it("keeps an optional item of a tuple that is null before the next one", () => {
    const item = [{ type: "string" }, { type: ["null", "integer"] }, { type: "string" }];
    const tuple = { type: "array", prefixItems: item, items: false, minItems: 1 };
    const wire = toWireSchema({ type: "object", properties: { t: tuple }, required: ["t"] });
    for (const t of [["a", null, "b"], ["a", 1, "b"], ["a", 1], ["a"]]) {
      const [item0, item1 = null, item2 = null] = t;
      expect(wire.decode({ t: { item0, item1, item2 } })).toEqual({ t });
    }
  });

  it("leaves out an optional union with null whose branches are tagged", () => {
    const choice = { anyOf: [{ type: "null" }, { enum: [{ a: 1 }, "b"] }, { type: "string" }] };
    const wire = toWireSchema({ type: "object", properties: { choice } });
    expect(JSON.stringify(wire.schema)).toContain("variant");
    expect(createJsonSchemaChecker(wire.schema)({ choice: null }).ok).toBe(true);
    expect(wire.decode({ choice: null })).toEqual({});
    expect(wire.decode({ choice: { variant: "3", value: "x" } })).toEqual({ choice: "x" });
  });

  it("says in the description what the subset cannot", () => {
    const schema = z.object({
      a: z.string().min(2).max(5).describe("A word"),
      b: z.array(z.int()).max(3),
      c: z.email(),
    });
    const converted = toWireSchema(schema);
    expect(converted.schema).toMatchInlineSnapshot(`
      {
        "additionalProperties": false,
        "properties": {
          "a": {
            "description": "A word (minLength 2, maxLength 5)",
            "type": "string",
          },
          "b": {
            "items": {
              "type": "integer",
            },
            "maxItems": 3,
            "type": "array",
          },
          "c": {
            "format": "email",
            "type": "string",
          },
        },
        "required": [
          "a",
          "b",
          "c",
        ],
        "type": "object",
      }
    `);
    expect(converted.notes.map((note) => note.message)).toMatchInlineSnapshot(`
      [
        "Properties that the schema does not name are not requested.",
        "Only checked locally: minLength 2.",
        "Only checked locally: maxLength 5.",
      ]
    `);
  });

  it("drops keywords of the caller's own and gives every enum its type", () => {
    const { schema } = toWireSchema({
      type: "object",
      properties: { a: { enum: ["x", 1, null], title: "Pick" } },
      required: ["a"],
      additionalProperties: false,
      x_schema_version: 1,
    });
    expect(schema).toMatchInlineSnapshot(`
      {
        "additionalProperties": false,
        "properties": {
          "a": {
            "anyOf": [
              {
                "enum": [
                  "x",
                ],
                "type": "string",
              },
              {
                "enum": [
                  1,
                ],
                "type": "number",
              },
              {
                "type": "null",
              },
            ],
            "description": "Pick",
          },
        },
        "required": [
          "a",
        ],
        "type": "object",
      }
    `);
  });

  it.each([
    [
      "a reference that leads nowhere",
      { type: "object", properties: { a: { $ref: "#/$defs/a" } } },
      "schema_invalid",
    ],
    ["a reference to another document", { $ref: "other.json" }, "schema_invalid"],
    ["a keyword of the wrong type", { type: "object", required: "a" }, "schema_invalid"],
    ["a zod type without a JSON form", z.object({ at: z.date() }), "schema_unsupported"],
  ])("%s is a typed error", (_name, schema: StructuredSchema<unknown>, code) => {
    expect(() => toWireSchema(schema)).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    [
      "a domain object where pairs were asked for",
      z.object({ m: z.record(z.string(), z.number()) }),
      { m: { a: 1 } },
    ],
    ["a root that was not wrapped", z.array(z.number()), [1, 2]],
    ["an absent property instead of null", z.object({ a: z.string().optional() }), {}],
  ])("decodes %s as it is", (_name, schema: StructuredSchema<unknown>, answer) => {
    expect(toWireSchema(schema).decode(answer)).toEqual(answer);
  });

  it("does not choose between two pairs of one name", () => {
    const twice = {
      m: [
        { key: "a", value: 1 },
        { key: "a", value: 2 },
      ],
    };
    expect(toWireSchema(z.object({ m: z.record(z.string(), z.number()) })).decode(twice)).toEqual(
      twice,
    );
  });

  it.each([5, 9, 10, 11, 40])("keeps a schema nested %i levels deep within the limit", (depth) => {
    let schema: JsonSchema = { type: "string" };
    let value: unknown = "x";
    for (let level = 0; level < depth; level++) {
      schema = closed({ a: schema }, []);
      value = { a: value };
    }
    const converted = toWireSchema(schema);
    expect(lintWireSchema(converted.schema)).toEqual([]);
    expect(converted.decode(onWire(value, converted.schema))).toEqual(value);
    expect(converted.notes.some((note) => note.code === "wire_json_text")).toBe(depth > 10);
  });

  it.each([
    [
      "an enum of 1,001 values",
      closed({ a: { enum: Array.from({ length: 1001 }, (_, index) => `v${index}`) } }),
      { a: "v7" },
      { a: "v7" },
    ],
    [
      "an enum of long values",
      closed({
        a: { enum: Array.from({ length: 251 }, (_, index) => `${index}`.padStart(100, "v")) },
      }),
      { a: "7".padStart(100, "v") },
      { a: "7".padStart(100, "v") },
    ],
    [
      "a name of 120,001 characters",
      closed({ ["n".repeat(120_001)]: { type: "null" } }, []),
      { value: "{}" },
      {},
    ],
  ])("keeps %s within the limits", (_name, schema, wire, value) => {
    const converted = toWireSchema(schema);
    expect(lintWireSchema(converted.schema)).toEqual([]);
    expect(converted.decode(wire)).toEqual(value);
  });

  it("asks for an integer where a long enum of integers is left out", () => {
    const many = Array.from({ length: 1001 }, (_, index) => index);
    const { schema } = toWireSchema(closed({ a: { enum: many }, b: { enum: [...many, 0.5] } }));
    expect(schema["properties"]).toEqual({ a: { type: "integer" }, b: { type: "number" } });
  });
});
