import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { alignValue } from "./align-value.ts";
import { parseStructured } from "./parse-structured.ts";
import type { StructuredSchema } from "./structured-schema.ts";

const ticket = z.strictObject({
  title: z.string(),
  priority: z.enum(["HIGH", "LOW", "C", "C++"]),
  points: z.int(),
  price: z.number().nullable(),
  isOpen: z.boolean(),
  labels: z.array(z.string()),
  owner: z.object({ firstName: z.string() }).optional(),
});
const whole = {
  title: "Crash",
  priority: "HIGH",
  points: 3,
  price: 1.5,
  isOpen: true,
  labels: ["ui"],
};

const read = (given: unknown, schema: StructuredSchema<unknown> = ticket): unknown => {
  const result = parseStructured(typeof given === "string" ? given : JSON.stringify(given), {
    schema,
  });
  if (!result.ok) return "refused";
  return { value: result.value, repairs: result.repairs.map(({ kind, path }) => [kind, path]) };
};

describe("a value that fits but for its shape", () => {
  it.each<[string, object, object, string, (string | number)[]]>([
    ["a number in a string", { points: "3" }, {}, "schema_type", ["points"]],
    [
      "a number with separators",
      { price: "1,234,567.5" },
      { price: 1_234_567.5 },
      "schema_type",
      ["price"],
    ],
    ["a truth as a word", { isOpen: "Yes" }, {}, "schema_type", ["isOpen"]],
    ["a number for a text", { title: 404 }, { title: "404" }, "schema_type", ["title"]],
    ["an enum in other case", { priority: "high" }, {}, "schema_constant", ["priority"]],
    ["an enum in marks", { priority: "**High**" }, {}, "schema_constant", ["priority"]],
    ["an enum with its reason", { priority: "High: breaks" }, {}, "schema_constant", ["priority"]],
    ["one for a list", { labels: "ui" }, {}, "schema_list", ["labels"]],
    ["a list of one", { title: ["Crash"] }, {}, "schema_list", ["title"]],
    ["JSON in a string", { labels: '["ui"]' }, {}, "schema_nested_json", ["labels"]],
    ["a null for what may be absent", { owner: null }, {}, "schema_null", ["owner"]],
    [
      "what may be null and is absent",
      { price: undefined },
      { price: null },
      "schema_null",
      ["price"],
    ],
    ["none as a word", { price: "N/A" }, { price: null }, "schema_type", ["price"]],
    ["a member too many", { note: "x" }, {}, "schema_extra", ["note"]],
    [
      "a key in other case",
      { owner: { first_name: "Al" } },
      { owner: { firstName: "Al" } },
      "schema_key",
      ["owner", "firstName"],
    ],
  ])("is read with %s", (_, change, expected, kind, path) => {
    expect(read({ ...whole, ...change })).toEqual({
      value: { ...whole, ...expected },
      repairs: [[kind, path]],
    });
  });

  it.each<[string, object]>([
    ["a number that may be a decimal or a thousand", { price: "1,234" }],
    ["a number with a unit", { points: "3 days" }],
    ["a fraction for an integer", { points: "3.5" }],
    ["another enum", { priority: "urgent" }],
    ["an enum and more", { priority: "not HIGH" }],
    ["a longer name of an enum", { priority: "c#" }],
    ["a number for a truth", { isOpen: 1 }],
    ["an object for a text", { title: { a: 1 } }],
    ["two for one", { title: ["Crash", "Hang"] }],
    ["a null that is required", { title: null }],
    ["an empty text for a list", { labels: "" }],
    ["a word for no item", { labels: "None" }],
    ["a key that is given twice", { title: undefined, Title: "a", TITLE: "b" }],
  ])("is refused with %s", (_, change) => {
    expect(read({ ...whole, ...change })).toBe("refused");
  });

  it("is not another value beside the one that fits, nor what stands around it", () => {
    const open = z.strictObject({ name: z.string().optional(), size: z.int().optional() });
    expect(read({ result: { name: "a", size: 1 } }, open)).toMatchObject({ value: { size: 1 } });
    expect(read({ result: { name: "a", size: "1" } }, open)).toMatchObject({ value: { size: 1 } });
    expect(read('{"size":"2"} or rather {"size":3}', open)).toBe("refused");
  });

  it("takes the branch of a union that needs least, and none of two that need as much", () => {
    const shapes = z.union([
      z.strictObject({ kind: z.literal("circle"), radius: z.number() }),
      z.strictObject({ kind: z.literal("square"), side: z.number() }),
    ]);
    expect(read({ kind: "Circle", radius: "2" }, shapes)).toMatchObject({ value: { radius: 2 } });
    const either = z.union([z.strictObject({ a: z.int() }), z.strictObject({ a: z.boolean() })]);
    expect(read({ a: "1" }, either)).toMatchObject({ value: { a: 1 } });
    const scalar = { type: "object", properties: { a: { type: ["integer", "boolean"] } } };
    expect(read({ a: ["x"] }, scalar)).toBe("refused");
  });

  it("is read as a bare word where one of some words is asked for", () => {
    const mood = z.enum(["POSITIVE", "NEGATIVE"]);
    expect(read("positive", mood)).toMatchObject({ value: "POSITIVE" });
    expect(read("```\nNegative.\n```", mood)).toMatchObject({ value: "NEGATIVE" });
    expect(read("It is positive", mood)).toBe("refused");
    expect(read("Hello", z.string())).toBe("refused");
  });

  it("stays as it is where it fits, and ends in bounded time where unions nest", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const given = JSON.stringify({ value });
        expect(read(given, { type: "object" })).toEqual({ value: JSON.parse(given), repairs: [] });
      }),
    );
    const nested = {
      anyOf: [{ $ref: "#" }, { $ref: "#" }, { type: "array", items: { $ref: "#" } }],
    };
    expect(read('{"a":1}', nested)).toBe("refused");
  });

  it("asks how numbers are written once, and only where one becomes a text", () => {
    let count = 0;
    const digits = (): unknown => {
      count += 1;
      return [{ a: "1.10", b: "2.0" }];
    };
    const text = {
      type: "array",
      items: { properties: { a: { type: "string" }, b: { type: "string" } } },
    };
    const number = { type: "array", items: { properties: { a: { type: "integer" } } } };
    expect(alignValue(number, [{ a: "1" }], digits)?.value).toEqual([{ a: 1 }]);
    expect(count).toBe(0);
    expect(alignValue(text, [{ a: 1.1, b: 2 }], digits)?.value).toEqual([{ a: "1.10", b: "2.0" }]);
    expect(count).toBe(1);
    const version = { type: "array", items: { properties: { a: { enum: ["1.1", "1.10"] } } } };
    expect(alignValue(version, [{ a: 1.1 }], digits)?.value).toEqual([{ a: "1.10" }]);
  });
});
