// oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema
import fc from "fast-check";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";

import type { JsonSchema, JsonSchemaChecker } from "./json-schema.ts";
import { createJsonSchemaChecker } from "./json-schema-checker.ts";
import { formatPointer } from "./json-pointer.ts";

const draft7 = "http://json-schema.org/draft-07/schema#";
const tree = {
  $defs: {
    node: { properties: { kids: { items: { $ref: "#/$defs/node" } }, id: { type: "integer" } } },
  },
  $ref: "#/$defs/node",
};

type Case = [name: string, schema: JsonSchema, value: unknown, issues: string[]];

/** What is said of a value. */
const cases: Case[] = [
  [
    "a type",
    { type: "string" },
    1,
    [' type: Instance type "number" is invalid. Expected "string". (got 1)'],
  ],
  [
    "several types",
    { type: ["string", "null"] },
    1,
    [' type: Instance type "number" is invalid. Expected "string", "null". (got 1)'],
  ],
  ["an integer in another notation", { type: "integer" }, 1.0, []],
  [
    "a fraction for an integer",
    { type: "integer" },
    1.5,
    [' type: Instance type "number" is invalid. Expected "integer". (got 1.5)'],
  ],
  ["nullable", { type: "string", nullable: true }, null, []],
  [
    "no nullable",
    { type: "string", nullable: false },
    null,
    [' type: Instance type "null" is invalid. Expected "string". (got null)'],
  ],
  [
    "an enum",
    { enum: ["a", { b: 1 }] },
    "c",
    [' enum: Instance does not match any of ["a",{"b":1}]. (got "c")'],
  ],
  ["an object in an enum", { enum: ["a", { b: [1] }] }, { b: [1] }, []],
  ["a constant", { const: null }, 0, [" const: Instance does not match null. (got 0)"]],
  [
    "numbers out of range",
    { items: { minimum: 1, maximum: 3, exclusiveMinimum: 1, exclusiveMaximum: 3 } },
    [1, 2, 3, 4],
    [
      "/0 exclusiveMinimum: The rule is 1. (got 1)",
      "/2 exclusiveMaximum: 3 is greater than or equal to 3. (got 3)",
      "/3 maximum: 4 is greater than 3. (got 4)",
      "/3 exclusiveMaximum: 4 is greater than or equal to 3. (got 4)",
    ],
  ],
  ["a decimal multiple", { multipleOf: 0.1 }, 0.3, []],
  [
    "no multiple",
    { multipleOf: 0.1 },
    0.35,
    [" multipleOf: 0.35 is not a multiple of 0.1. (got 0.35)"],
  ],
  [
    "lengths in code points",
    { items: { minLength: 2, maxLength: 3 } },
    ["😀", "😀😀😀", "four"],
    [
      '/0 minLength: String is too short (1 < 2). (got "😀")',
      '/2 maxLength: String is too long (4 > 3). (got "four")',
    ],
  ],
  ["a pattern", { pattern: "^\\p{Lu}" }, "ab", [' pattern: The rule is "^\\\\p{Lu}". (got "ab")']],
  [
    "a format under not",
    { not: { format: "email" } },
    "a@b.c",
    [' not: Instance matched "not" schema. (got "a@b.c")'],
  ],
  [
    "missing properties, own ones only",
    { required: ["a", "constructor", "__proto__"] },
    {},
    [
      "/__proto__ required: Is required.",
      "/a required: Is required.",
      "/constructor required: Is required.",
    ],
  ],
  [
    "a property too many",
    { properties: { a: {} }, patternProperties: { "^x-": {} }, additionalProperties: false },
    { a: 1, "x-b": 2, "c/d ~é": 3 },
    ["/c~1d ~0é additionalProperties: Is not a property of the schema. Leave it out."],
  ],
  [
    "further properties of a kind",
    { additionalProperties: { type: "number" } },
    { a: 1, b: "x" },
    ['/b type: Instance type "string" is invalid. Expected "number". (got "x")'],
  ],
  [
    "names",
    { propertyNames: { pattern: "^[a-z]+$", maxLength: 2 } },
    { ok: 1, No: 2 },
    [
      ' propertyNames: Property name "No" does not match schema. (got an object)',
      '/No pattern: The rule is "^[a-z]+$". (got 2)',
    ],
  ],
  [
    "a property called propertyNames",
    { properties: { propertyNames: { properties: { a: { type: "null" } } } } },
    { propertyNames: { a: 1 } },
    ['/propertyNames/a type: Instance type "number" is invalid. Expected "null". (got 1)'],
  ],
  [
    "numbers of properties",
    { minProperties: 2, maxProperties: 0 },
    { a: 1 },
    [
      " minProperties: Instance does not have at least 2 properties. (got an object)",
      " maxProperties: The rule is 0. (got an object)",
    ],
  ],
  [
    "properties that need others",
    { dependentRequired: { a: ["b", "c"] }, dependentSchemas: { a: { required: ["d"] } } },
    { a: 1, c: 1 },
    ["/b dependentRequired: Is required.", "/d required: Is required."],
  ],
  [
    "dependencies of draft-07",
    { $schema: draft7, dependencies: { a: ["b"], c: { required: ["d"] } } },
    { a: 1, c: 1 },
    [
      ' dependencies: Instance has "c" but does not match dependant schema. (got an object)',
      "/b dependencies: Is required.",
      "/d required: Is required.",
    ],
  ],
  [
    "a forbidden property",
    { properties: { a: false } },
    { a: 1 },
    ["/a properties: Must not be there. (got 1)"],
  ],
  [
    "a tuple of 2020-12",
    { prefixItems: [{ type: "string" }, { type: "number" }], items: false },
    [1, 2, 3, 4],
    [
      '/0 type: Instance type "number" is invalid. Expected "string". (got 1)',
      "/2 items: Must not be there. (got 3)",
      "/3 items: Must not be there. (got 4)",
    ],
  ],
  [
    "a tuple of draft-07",
    { $schema: draft7, items: [{ type: "string" }], additionalItems: false },
    [1, 2],
    [
      '/0 type: Instance type "number" is invalid. Expected "string". (got 1)',
      "/1 additionalItems: Must not be there. (got 2)",
    ],
  ],
  ["no items at all", { items: false }, [1], ["/0 items: Must not be there. (got 1)"]],
  [
    "numbers of items",
    { minItems: 3, maxItems: 1 },
    [1, 2],
    [
      " maxItems: Array has too many items (2 > 1). (got an array of 2)",
      " minItems: Array has too few items (2 < 3). (got an array of 2)",
    ],
  ],
  [
    "duplicates",
    { uniqueItems: true },
    [{ a: 1 }, 2, { a: 1 }],
    [" uniqueItems: Duplicate items at indexes 0 and 2. (got an array of 3)"],
  ],
  [
    "nothing that fits contains",
    { contains: { type: "string" } },
    [1],
    [" contains: Array does not contain item matching schema. (got an array of 1)"],
  ],
  [
    "too few for minContains",
    { contains: { type: "string" }, minContains: 2, maxContains: 3 },
    ["a"],
    [" minContains: Array has less items (1) than minContains (2). (got an array of 1)"],
  ],
  [
    "minContains of another draft",
    { $schema: draft7, contains: { type: "string" }, minContains: 2 },
    ["a"],
    [],
  ],
  [
    "no branch of anyOf",
    { anyOf: [{ type: "string" }, { required: ["a"], type: "object" }] },
    1,
    [
      " anyOf: Instance does not match any subschemas. (got 1)",
      ' type: Instance type "number" is invalid. Expected "string". (got 1)',
      ' type: Instance type "number" is invalid. Expected "object". (got 1)',
    ],
  ],
  [
    "two branches of oneOf",
    { oneOf: [{ type: "number" }, { minimum: 0 }] },
    1,
    [" oneOf: Instance does not match exactly one subschema (2 matches). (got 1)"],
  ],
  [
    "all of allOf",
    { allOf: [{ type: "number" }, { minimum: 2 }] },
    1,
    [" minimum: 1 is less than 2. (got 1)"],
  ],
  [
    "then and else",
    { items: { if: { type: "number" }, then: { minimum: 2 }, else: { type: "string" } } },
    [1, null],
    [
      '/0 if: Instance does not match "then" schema. (got 1)',
      "/0 minimum: 1 is less than 2. (got 1)",
      '/1 if: Instance does not match "else" schema. (got null)',
      '/1 type: Instance type "null" is invalid. Expected "string". (got null)',
    ],
  ],
  [
    "properties that no part evaluates",
    {
      allOf: [{ properties: { a: {} } }],
      anyOf: [{ properties: { b: {} }, required: ["b"] }, {}],
      unevaluatedProperties: false,
    },
    { a: 1, b: 2, c: 3 },
    ["/c unevaluatedProperties: Is not a property of the schema. Leave it out."],
  ],
  [
    "items that no part evaluates",
    { allOf: [{ prefixItems: [{}] }], unevaluatedItems: false },
    [1, 2, 3],
    [
      "/1 unevaluatedItems: Must not be there. (got 2)",
      "/2 unevaluatedItems: Must not be there. (got 3)",
    ],
  ],
  [
    "unevaluatedProperties of another draft",
    { $schema: draft7, unevaluatedProperties: false },
    { a: 1 },
    [],
  ],
  [
    "a recursive reference",
    tree,
    { kids: [{ id: 1 }, { kids: [{ id: "x" }] }] },
    ['/kids/1/kids/0/id type: Instance type "string" is invalid. Expected "integer". (got "x")'],
  ],
  [
    "rules beside a reference",
    {
      $schema: draft7,
      definitions: { a: { type: "number" } },
      properties: { a: { $ref: "#/definitions/a", minimum: 2 } },
    },
    { a: 1 },
    ["/a minimum: 1 is less than 2. (got 1)"],
  ],
  [
    "references by anchor and id",
    {
      $id: "https://x.test/root",
      $defs: { a: { $anchor: "a", type: "null" }, b: { $id: "b", type: "null" } },
      prefixItems: [{ $ref: "#a" }, { $ref: "b" }],
    },
    [1, 2],
    [
      '/0 type: Instance type "number" is invalid. Expected "null". (got 1)',
      '/1 type: Instance type "number" is invalid. Expected "null". (got 2)',
    ],
  ],
  [
    "a dynamic reference",
    { $dynamicAnchor: "node", type: "object", properties: { kid: { $dynamicRef: "#node" } } },
    { kid: 1 },
    ['/kid type: Instance type "number" is invalid. Expected "object". (got 1)'],
  ],
  [
    "a reference with escapes",
    { $defs: { "a/b c": { type: "null" } }, $ref: "#/$defs/a~1b%20c" },
    1,
    [' type: Instance type "number" is invalid. Expected "null". (got 1)'],
  ],
  [
    "a reference into a part of the caller's own",
    { components: { schemas: { a: { type: "null" } } }, $ref: "#/components/schemas/a" },
    1,
    [' type: Instance type "number" is invalid. Expected "null". (got 1)'],
  ],
  [
    "a reference to the dialect",
    { properties: { schema: { $ref: "https://json-schema.org/draft/2020-12/schema" } } },
    { schema: { minLength: -1 } },
    ["/schema/minLength minimum: -1 is less than 0. (got -1)"],
  ],
  [
    "examples and keywords of the caller's own",
    { example: { $id: "x", pattern: "(", $ref: "#/nowhere" }, x_schema_version: { type: 5 } },
    1,
    [],
  ],
];

const said = (check: JsonSchemaChecker<unknown>, value: unknown): string[] => {
  const result = check(value);
  const issues = result.ok ? [] : result.issues;
  return issues.map(({ path, message }) => `${formatPointer(path)} ${message}`);
};

describe("createJsonSchemaChecker", () => {
  it.each(cases)("knows %s", (_name, schema, value, issues) => {
    expect(said(createJsonSchemaChecker(structuredClone(schema)), value)).toEqual(issues);
  });

  it.each([
    ["a type that is none", { properties: { a: { type: "text" } } }, "/properties/a/type"],
    ["a negative length", { minLength: -1 }, "/minLength"],
    ["a list of items of another draft", { items: [{}] }, "/items"],
    ["an empty enum", { enum: [] }, "/enum"],
    ["a broken pattern", { pattern: "(" }, "regular expression"],
    ["a broken pattern of names", { patternProperties: { "(": {} } }, "regular expression"],
    ["a reference that leads nowhere", { items: { $ref: "#/$defs/none" } }, "#/$defs/none"],
    ["an id of draft-04", { id: "x" }, "$id"],
    ["nullable without a type", { nullable: true }, "nullable"],
  ])("refuses %s", (_name, schema, part) => {
    const failed = { code: "schema_invalid", message: expect.stringContaining(part) };
    expect(() => createJsonSchemaChecker(schema)).toThrow(expect.objectContaining(failed));
  });

  it("refuses $async", () => {
    expect(() => createJsonSchemaChecker({ $async: true })).toThrow(
      expect.objectContaining({ code: "schema_unsupported" }),
    );
  });

  it("leaves a frozen schema as it is", () => {
    const shared = Object.freeze({ $ref: "#/$defs/a" });
    const $defs = Object.freeze({ a: Object.freeze({ type: "null" }) });
    const schema = Object.freeze({ prefixItems: [shared, shared], $defs });
    expect(said(createJsonSchemaChecker(schema), [null, 1])).toHaveLength(1);
  });
});

const names = fc.constantFrom("a", "b", "constructor", "x y", "é/~");
const schemas = (references: string[]): fc.Arbitrary<unknown> =>
  fc.letrec<{ schema: unknown }>((tie) => {
    const list = fc.array(tie("schema"), { minLength: 1, maxLength: 2 });
    const map = fc.dictionary(names, tie("schema"), { maxKeys: 2, noNullPrototype: true });
    const types = fc.constantFrom("array", "integer", "null", "number", "object", "string");
    const rules: Record<string, fc.Arbitrary<unknown>> = {
      type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
      enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 }),
      minimum: fc.integer({ min: -2, max: 2 }),
      maxLength: fc.nat(3),
      minItems: fc.nat(2),
      properties: map,
      required: fc.uniqueArray(names, { maxLength: 2 }),
      additionalProperties: tie("schema"),
      prefixItems: list,
      items: tie("schema"),
      uniqueItems: fc.boolean(),
      anyOf: list,
      allOf: list,
      oneOf: list,
      not: tie("schema"),
      if: tie("schema"),
      then: tie("schema"),
      else: tie("schema"),
      $ref: fc.constantFrom(...references),
      unevaluatedProperties: tie("schema"),
    };
    const node = fc
      .uniqueArray(fc.constantFrom(...Object.entries(rules)), { maxLength: 4 })
      .chain((chosen) => fc.record(Object.fromEntries(chosen)));
    return {
      schema: fc.oneof(
        { maxDepth: 2 },
        { arbitrary: fc.boolean(), weight: 1 },
        { arbitrary: node, weight: 6 },
      ),
    };
  }).schema;
const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom(null, 0, 1, 1.5, "", "a", "long"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

describe("random schemas and values", () => {
  it("are judged as ajv does", () => {
    fc.assert(
      fc.property(
        schemas(["#/$defs/a"]),
        schemas(["#/$defs/b"]),
        schemas(["#/$defs/c"]),
        values,
        (root, a, b, value) => {
          const schema = { allOf: [root], $defs: { a, b, c: { type: "string" } } };
          const theirs = new Ajv2020({ ownProperties: true, strict: false }).compile(schema);
          expect(createJsonSchemaChecker(schema)(value).ok).toBe(theirs(value));
        },
      ),
    );
  });
});

describe("a value that is not JSON", () => {
  it.each([
    ["undefined", undefined],
    ["a function", { a: () => 1 }],
    ["a name that is not well-formed", { "\ud800": 1 }],
  ])("does not take %s for JSON", (_name, value) => {
    const check = createJsonSchemaChecker({ additionalProperties: { type: "number" } });
    expect(said(check, value)).toEqual([expect.stringContaining("json: is not a JSON value")]);
  });
});

describe("formats", () => {
  it.each([
    ["date", "2024-01-05", "2024-1-5"],
    ["date", "2024-02-29", "2023-02-29"],
    ["date-time", "2024-01-05T10:00:00Z", "2024-01-05 10:00"],
    ["time", "10:00:00Z", "10 o'clock"],
    ["uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567"],
    ["email", "a@b.org", "a at b.org"],
    ["uri", "https://a.org/b", "a.org/b c"],
    ["ipv4", "10.0.0.1", "10.0.0.256"],
  ])("checks %s", (format, right, wrong) => {
    for (const $schema of [undefined, draft7]) {
      const check = createJsonSchemaChecker({ $schema, type: "string", format });
      expect(check(right).ok).toBe(true);
      expect(said(check, wrong)).toEqual([expect.stringContaining(`format "${format}"`)]);
    }
  });

  it("leaves a format alone that it does not know", () => {
    expect(createJsonSchemaChecker({ format: "colour" })("no colour").ok).toBe(true);
  });
});
