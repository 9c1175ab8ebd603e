import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z as zod3 } from "zod/v3";
import { z } from "zod";

import { formatPointer } from "../json-schema/json-pointer.ts";
import { parseStructured } from "./parse-structured.ts";
import type { StructuredSchema } from "./structured-schema.ts";

const city = z.strictObject({
  name: z.string().min(2),
  people: z.int(),
  tags: z.array(z.enum(["old", "new"])).default([]),
});
const cityJson = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2 },
    people: { type: "integer" },
    tags: { type: "array", items: { enum: ["old", "new"] } },
  },
  required: ["name", "people"],
  additionalProperties: false,
};

const codes = (text: string, schema: StructuredSchema<unknown>): string[] => {
  const result = parseStructured(text, { schema });
  return result.ok
    ? []
    : result.issues.map((issue) => `${formatPointer(issue.path)} ${issue.message}`);
};

describe("parseStructured", () => {
  it.each([
    ["JSON as it stands", '{"name":"Ulm","people":1}'],
    ["a fenced answer", 'Here:\n```json\n{"name":"Ulm","people":1}\n```'],
    ["a broken answer", "{name: 'Ulm', people: 1,}"],
    ["the fitting one of two values", 'Not {"name":"U"} but {"name":"Ulm","people":1}'],
  ])("takes %s, and gives the schema's output", (_name, text) => {
    expect(parseStructured(text, { schema: city })).toMatchObject({
      ok: true,
      value: { name: "Ulm", people: 1, tags: [] },
    });
    expect(parseStructured(text, { schema: cityJson })).toMatchObject({
      ok: true,
      value: { name: "Ulm", people: 1 },
    });
  });

  it("tells every broken rule of a zod schema at once, by place and rule", () => {
    expect(codes('{"name":"U","tags":["old","odd"],"size":3}', city)).toMatchInlineSnapshot(`
      [
        "/name too_small: Too small: expected string to have >=2 characters (got "U")",
        "/people invalid_type: Invalid input: expected number, received undefined",
        "/tags/1 invalid_value: Invalid option: expected one of "old"|"new" (got "odd")",
        " unrecognized_keys: Unrecognized key: "size" (got an object)",
      ]
    `);
  });

  it("tells every broken rule of a JSON Schema at once, by place and rule", () => {
    expect(codes('{"name":"U","tags":["old","odd"],"size":3}', cityJson)).toMatchInlineSnapshot(`
      [
        "/name minLength: String is too short (1 < 2). (got "U")",
        "/people required: Is required.",
        "/size additionalProperties: Is not a property of the schema. Leave it out.",
        "/tags/1 enum: Instance does not match any of ["old","new"]. (got "odd")",
      ]
    `);
  });

  it("looks into the closest branch of a union", () => {
    const schema = z.union([
      z.object({ a: z.string(), b: z.string() }),
      z.object({ c: z.number() }),
    ]);
    expect(codes('{"c":"x"}', schema)).toMatchInlineSnapshot(`
      [
        "/c invalid_type: Invalid input: expected number, received string (got "x")",
      ]
    `);
  });

  it("shows no long value and no secret", () => {
    const secret = `sk-proj-${"a1B2".repeat(10)}`;
    const text = JSON.stringify({ a: secret, b: "x".repeat(1000) });
    const shown = codes(text, {
      properties: { a: { type: "number" }, b: { type: "number" } },
    }).join("\n");
    expect(shown).not.toContain(secret);
    expect(shown).toContain("a string of 1000 characters");
  });

  it.each([
    ["an unclosed object", '{"name":"Ulm","people":1', undefined, "ERR_TRUNCATED"],
    [
      "a complete object that the model was cut off after",
      '{"name":"Ulm","people":1}',
      "length",
      "ERR_TRUNCATED",
    ],
    ["prose", "I cannot say.", undefined, "ERR_JSON_EXTRACT"],
  ] as const)("refuses %s", (_name, text, finishReason, code) => {
    const options = finishReason === undefined ? {} : { finishReason };
    expect(parseStructured(text, { schema: city, ...options })).toMatchObject({
      ok: false,
      issues: [{ code }],
    });
  });

  it("reads draft-07 by its own rules", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "array",
      items: [{ type: "string" }],
      additionalItems: false,
    };
    expect(parseStructured('["a"]', { schema }).ok).toBe(true);
    expect(parseStructured('["a", 1]', { schema }).ok).toBe(false);
  });

  it.each([
    ["an invalid JSON Schema", { type: "nothing" }, "schema_invalid"],
    [
      "a schema of another dialect's $async",
      { $async: true, type: "object" },
      "schema_unsupported",
    ],
    [
      "an asynchronous zod schema",
      z.object({ a: z.string().refine(async () => true) }),
      "schema_unsupported",
    ],
  ])("throws on %s", (_name, schema: StructuredSchema<unknown>, code) => {
    expect(() => parseStructured('{"a":"x"}', { schema })).toThrow(
      expect.objectContaining({ code }),
    );
  });

  it("does not touch prototypes", () => {
    const schema = z.object({ a: z.string(), b: z.number() });
    expect(parseStructured('{"__proto__":{"a":"x"},"b":1}', { schema }).ok).toBe(false);
    const text = '{"a":"x","b":1,"__proto__":{"c":1}}';
    expect(parseStructured(text, { schema })).toMatchObject({ ok: true, value: { a: "x", b: 1 } });
  });

  it("checks by a schema of zod 3, which says no shape", () => {
    const schema = zod3.object({ name: zod3.string(), age: zod3.number().nullish() });
    const read = (text: string): unknown => {
      const result = parseStructured(text, { schema });
      return result.ok ? result.value : result.issues[0]?.code;
    };
    expect(read("Here: {name: 'A', age: null}")).toEqual({ name: "A", age: null });
    expect(read('{"person": {"name": "A"}}')).toEqual({ name: "A" });
    expect(read('{"name": "A", "age": "3"}')).toBe("ERR_SCHEMA_VALIDATION");
  });

  it("gives back whatever fits any schema", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        const expected: unknown = JSON.parse(text);
        expect(parseStructured(text, { schema: { type: "object" } })).toEqual({
          ok: true,
          value: expected,
          repairs: [],
        });
      }),
    );
  });
});
