import { describe, expect, it } from "vitest";

import { isJsonSchema, readJsonSchema } from "./json-schema-fields.ts";
import { renderField } from "./schema-field.ts";

const fieldsOf = (schema: Record<string, unknown>): string[] =>
  readJsonSchema(schema).map(renderField);
const typeOf = (property: unknown, definitions: object = {}): string | undefined =>
  fieldsOf({ type: "object", properties: { a: property }, $defs: definitions })[0]?.slice(
    "a: ".length,
    -"(opt)".length,
  );

describe("readJsonSchema", () => {
  it.each([
    [{ type: "string" }, "string"],
    [{ type: ["string", "null"] }, "string|null"],
    [{ type: "string", nullable: true }, "string|null"],
    [{ enum: ["x", 1, null] }, "enum[x,1]|null"],
    [{ const: "x" }, "const[x]"],
    [{ const: null }, "const[null]"],
    [{ oneOf: [{ const: "x" }, { const: "y" }] }, "enum[x,y]"],
    [{ anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] }, "string|number|null"],
    [{ anyOf: [{ enum: ["x", "y"] }, { type: "null" }] }, "enum[x,y]|null"],
    [{ type: "array", items: { enum: ["x", "y"] } }, "enum[x,y][]"],
    [{ type: "array", items: { type: ["string", "null"] } }, "(string|null)[]"],
    [{ type: "array", items: { type: "array", items: { type: "number" } } }, "number[][]"],
    [{ type: "array", prefixItems: [{ type: "string" }, { type: "number" }] }, "[string,number]"],
    [{ type: "array", items: [{ type: "string" }, true] }, "[string,any]"],
    [{ type: "array" }, "any[]"],
    [{ type: "object", additionalProperties: { type: "integer" } }, "map<integer>"],
    [{ type: "object" }, "object"],
    [{ allOf: [{ type: "string" }] }, "string"],
    [{ $ref: "#/$defs/Size" }, "enum[s,m]"],
    [{ $ref: "#/$defs/Alias" }, "enum[s,m]"],
    [{ $ref: "https://example.org/person.json" }, "person"],
    [{ $ref: "#/$defs/missing" }, "missing"],
    [{ $ref: "#/$defs/Loop" }, "Loop"],
    [{ $ref: "#" }, "self"],
    [{ type: "string", format: "date-time" }, "string date-time"],
    [true, "any"],
    [false, "never"],
    [{}, "any"],
    [null, "any"],
  ])("shows %j as %s", (property, type) => {
    const definitions = {
      Size: { enum: ["s", "m"] },
      Alias: { $ref: "#/$defs/Size" },
      Loop: { $ref: "#/$defs/Loop" },
    };
    expect(typeOf(property, definitions)).toBe(type);
  });

  it("merges the properties of allOf, and does not require those of an alternative", () => {
    const schema = {
      allOf: [
        { $ref: "#/definitions/Base" },
        { properties: { b: { type: "string" } }, required: ["b"] },
      ],
      oneOf: [{ properties: { c: { type: "string" } }, required: ["c"] }],
      properties: { a: { type: "string" } },
      definitions: { Base: { properties: { id: { type: "integer" } }, required: ["id"] } },
    };
    expect(fieldsOf(schema)).toEqual([
      "a: string(opt)",
      "id: integer(required)",
      "b: string(required)",
      "c: string(opt)",
    ]);
  });

  it("lists the types of a document with only definitions, and those of OpenAPI", () => {
    const schemas = {
      Pet: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
      Kind: { enum: ["cat", "dog"] },
    };
    const expected = ["Pet.name: string(required)", "Kind: enum[cat,dog]"];
    expect(fieldsOf({ $defs: schemas })).toEqual(expected);
    expect(fieldsOf({ openapi: "3.1.0", components: { schemas } })).toEqual(expected);
  });

  it("stops at schemas that contain themselves or never end", () => {
    const list = { type: "object", properties: { next: { $ref: "#/$defs/List" } } };
    expect(fieldsOf({ ...list, $defs: { List: list } })).toEqual([
      "next: List(opt)",
      "List.next: List(opt)",
    ]);
    let deep: Record<string, unknown> = { type: "string" };
    for (let level = 0; level < 5_000; level += 1)
      deep = { type: "object", properties: { a: deep } };
    expect(fieldsOf(deep)).toHaveLength(2_000);
    let nested: Record<string, unknown> = { type: "string" };
    for (let level = 0; level < 50; level += 1) nested = { type: "array", items: nested };
    expect(typeOf(nested)).toContain("...");
  });
});

describe("isJsonSchema", () => {
  it.each([
    [{ $schema: "http://json-schema.org/draft-07/schema#" }, true],
    [{ type: "object", properties: {} }, true],
    [{ $defs: { a: { type: "string" } } }, true],
    [{ $schema: "https://turbo.build/schema.json", tasks: {} }, false],
    [{ type: "module", name: "a" }, false],
    [{ definitions: { a: 1 } }, false],
    [[], false],
    [null, false],
  ])("recognizes %j", (value, is) => {
    expect(isJsonSchema(value)).toBe(is);
  });
});
