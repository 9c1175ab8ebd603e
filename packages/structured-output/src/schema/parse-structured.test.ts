import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z as zod3 } from "zod/v3";
import { z } from "zod";

import { formatPointer } from "../json-schema/json-pointer.ts";
import { parseStructured } from "./parse-structured.ts";
import type { StructuredSchema } from "./structured-schema.ts";
import { schemaOfZod3 } from "./zod3-schema.ts";

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
    const either = z.union([z.string(), z.object({ a: z.number(), b: z.number() })]);
    expect(codes('{"a":"q","b":"w"}', either)).toEqual([
      expect.stringMatching(/^\/a .*expected number/),
      expect.stringMatching(/^\/b .*expected number/),
    ]);
    const strict = z.union([z.string(), z.strictObject({ a: z.number() })]);
    expect(codes('{"a":"q","b":1}', strict).join()).toContain("/a invalid_type");
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

  it.each(["zod 3", "zod 4"])("brings answers into the shape of a schema of %s", (version) => {
    // The parts of zod 3 that are used here are called as those of zod 4.
    const z3 = version === "zod 3" ? (zod3 as unknown as typeof z) : z;
    const schema = z3.object({
      name: z3.string(),
      age: z3.number().int().nullish(),
      size: z3.enum(["small", "Large"]).default("small"),
      tags: z3.array(z3.string()).optional(),
      pair: z3.tuple([z3.number(), z3.boolean()]).optional(),
      shape: z3
        .discriminatedUnion("kind", [
          z3.object({ kind: z3.literal("circle"), r: z3.number() }),
          z3.object({ kind: z3.literal("box"), w: z3.number() }).strict(),
        ])
        .optional(),
      scores: z3.record(z3.string(), z3.number()).optional(),
      code: z3
        .string()
        .min(1)
        .transform((text) => text.toUpperCase()),
    });
    const read = (members: object): unknown => {
      const result = parseStructured(JSON.stringify({ name: "A", code: "x", ...members }), {
        schema,
      });
      return result.ok ? result.value : result.issues[0]?.code;
    };
    const plain = { name: "A", code: "X", size: "small" };
    expect(read({ age: "3" })).toEqual({ ...plain, age: 3 });
    expect(read({ age: "3.5" })).toBe("ERR_SCHEMA_VALIDATION");
    expect(read({ Age: null, size: "LARGE" })).toEqual({ ...plain, age: null, size: "Large" });
    expect(read({ tags: "one", pair: ["1", "yes"] })).toEqual({
      ...plain,
      tags: ["one"],
      pair: [1, true],
    });
    expect(read({ shape: { kind: "Circle", r: "2" } })).toEqual({
      ...plain,
      shape: { kind: "circle", r: 2 },
    });
    expect(read({ shape: { kind: "box", w: 1, extra: 1 } })).toEqual({
      ...plain,
      shape: { kind: "box", w: 1 },
    });
    expect(read({ scores: { a: "1,000.5" } })).toEqual({ ...plain, scores: { a: 1000.5 } });
    expect(read({ code: "" })).toBe("ERR_SCHEMA_VALIDATION");
    expect(parseStructured('{"name": "A"}', { schema }).ok).toBe(false);
  });

  it("offers the values of an enum of numbers, not their names", () => {
    // What TypeScript compiles an enum to.
    const Level = { Low: 0, High: 1, 0: "Low", 1: "High" } as const;
    const schema = zod3.object({ level: zod3.nativeEnum(Level) });
    expect(parseStructured('{"level":"1"}', { schema })).toMatchObject({ value: { level: 1 } });
    expect(schemaOfZod3(schema)).toMatchObject({ properties: { level: { enum: [0, 1] } } });
  });

  it("follows a schema of zod 3 that contains itself", () => {
    type Tree = { value: number; children?: Tree[] | undefined };
    const tree: zod3.ZodType<Tree> = zod3.lazy(() =>
      zod3.object({ value: zod3.number(), children: zod3.array(tree).optional() }),
    );
    const answer = '{"value": "1", "children": [{"value": "2", "children": [{"value": "3"}]}]}';
    expect(parseStructured(answer, { schema: tree })).toMatchObject({
      value: { value: 1, children: [{ value: 2, children: [{ value: 3 }] }] },
    });
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
