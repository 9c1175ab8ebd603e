// oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";

import type { JsonSchema, JsonSchemaChecker } from "./json-schema.ts";
import { createJsonSchemaChecker, loadJsonSchemaChecker } from "./json-schema-checker.ts";
import { formatPointer } from "./json-pointer.ts";

const draft7 = "http://json-schema.org/draft-07/schema#";
const tree = {
  $defs: {
    node: { properties: { kids: { items: { $ref: "#/$defs/node" } }, id: { type: "integer" } } },
  },
  $ref: "#/$defs/node",
};

type Case = [name: string, schema: JsonSchema, value: unknown, issues: string[]];

/** What both engines say of a value. */
const cases: Case[] = [
  ["a type", { type: "string" }, 1, [" type: must be string (got 1)"]],
  ["several types", { type: ["string", "null"] }, 1, [" type: must be string,null (got 1)"]],
  ["an integer in another notation", { type: "integer" }, 1.0, []],
  ["a fraction for an integer", { type: "integer" }, 1.5, [" type: must be integer (got 1.5)"]],
  ["nullable", { type: "string", nullable: true }, null, []],
  ["no nullable", { type: "string", nullable: false }, null, [" type: must be string (got null)"]],
  [
    "an enum",
    { enum: ["a", { b: 1 }] },
    "c",
    [' enum: must be equal to one of the allowed values ("a", {"b":1}) (got "c")'],
  ],
  ["an object in an enum", { enum: ["a", { b: [1] }] }, { b: [1] }, []],
  ["a constant", { const: null }, 0, [" const: must be equal to constant (null) (got 0)"]],
  [
    "numbers out of range",
    { items: { minimum: 1, maximum: 3, exclusiveMinimum: 1, exclusiveMaximum: 3 } },
    [1, 2, 3, 4],
    [
      "/0 exclusiveMinimum: must be > 1 (got 1)",
      "/2 exclusiveMaximum: must be < 3 (got 3)",
      "/3 exclusiveMaximum: must be < 3 (got 4)",
      "/3 maximum: must be <= 3 (got 4)",
    ],
  ],
  ["a decimal multiple", { multipleOf: 0.1 }, 0.3, []],
  ["no multiple", { multipleOf: 0.1 }, 0.35, [" multipleOf: must be multiple of 0.1 (got 0.35)"]],
  [
    "lengths in code points",
    { items: { minLength: 2, maxLength: 3 } },
    ["😀", "😀😀😀", "four"],
    [
      '/0 minLength: must NOT have fewer than 2 characters (got "😀")',
      '/2 maxLength: must NOT have more than 3 characters (got "four")',
    ],
  ],
  [
    "a pattern",
    { pattern: "^\\p{Lu}" },
    "ab",
    [' pattern: must match pattern "^\\p{Lu}" (got "ab")'],
  ],
  ["a format, which is an annotation", { type: "string", format: "date-time" }, "soon", []],
  [
    "a format under not",
    { not: { format: "email" } },
    "a@b.c",
    [' not: must NOT be valid (got "a@b.c")'],
  ],
  [
    "missing properties, own ones only",
    { required: ["a", "constructor", "__proto__"] },
    {},
    [
      "/__proto__ required: is required",
      "/a required: is required",
      "/constructor required: is required",
    ],
  ],
  [
    "a property too many",
    { properties: { a: {} }, patternProperties: { "^x-": {} }, additionalProperties: false },
    { a: 1, "x-b": 2, "c/d ~é": 3 },
    ["/c~1d ~0é additionalProperties: is not a property of the schema; leave it out"],
  ],
  [
    "further properties of a kind",
    { additionalProperties: { type: "number" } },
    { a: 1, b: "x" },
    ['/b type: must be number (got "x")'],
  ],
  [
    "names",
    { propertyNames: { pattern: "^[a-z]+$", maxLength: 2 } },
    { ok: 1, No: 2 },
    [
      '/No pattern: must match pattern "^[a-z]+$" (got "No")',
      '/No propertyNames: property name must be valid (got "No")',
    ],
  ],
  [
    "a property called propertyNames",
    { properties: { propertyNames: { properties: { a: { type: "null" } } } } },
    { propertyNames: { a: 1 } },
    ["/propertyNames/a type: must be null (got 1)"],
  ],
  [
    "numbers of properties",
    { minProperties: 2, maxProperties: 0 },
    { a: 1 },
    [
      " maxProperties: must NOT have more than 0 properties (got an object)",
      " minProperties: must NOT have fewer than 2 properties (got an object)",
    ],
  ],
  [
    "properties that need others",
    { dependentRequired: { a: ["b", "c"] }, dependentSchemas: { a: { required: ["d"] } } },
    { a: 1, c: 1 },
    ["/b dependentRequired: is required", "/d required: is required"],
  ],
  [
    "dependencies of draft-07",
    { $schema: draft7, dependencies: { a: ["b"], c: { required: ["d"] } } },
    { a: 1, c: 1 },
    ["/b dependencies: is required", "/d required: is required"],
  ],
  [
    "a forbidden property",
    { properties: { a: false } },
    { a: 1 },
    ["/a false schema: boolean schema is false (got 1)"],
  ],
  [
    "a tuple of 2020-12",
    { prefixItems: [{ type: "string" }, { type: "number" }], items: false },
    [1, 2, 3, 4],
    [
      " items: must NOT have more than 2 items (got an array of 4)",
      "/0 type: must be string (got 1)",
    ],
  ],
  [
    "a tuple of draft-07",
    { $schema: draft7, items: [{ type: "string" }], additionalItems: false },
    [1, 2],
    [
      " additionalItems: must NOT have more than 1 items (got an array of 2)",
      "/0 type: must be string (got 1)",
    ],
  ],
  ["no items at all", { items: false }, [1], ["/0 false schema: boolean schema is false (got 1)"]],
  [
    "numbers of items",
    { minItems: 3, maxItems: 1 },
    [1, 2],
    [
      " maxItems: must NOT have more than 1 items (got an array of 2)",
      " minItems: must NOT have fewer than 3 items (got an array of 2)",
    ],
  ],
  [
    "duplicates",
    { uniqueItems: true },
    [{ a: 1 }, 2, { a: 1 }],
    [
      " uniqueItems: must NOT have duplicate items (items 0 and 2 are identical) (got an array of 3)",
    ],
  ],
  [
    "nothing that fits contains",
    { contains: { type: "string" } },
    [1],
    [
      " contains: must contain at least 1 valid item(s) (got an array of 1)",
      "/0 type: must be string (got 1)",
    ],
  ],
  [
    "too few for minContains",
    { contains: { type: "string" }, minContains: 2, maxContains: 3 },
    ["a"],
    [" contains: must contain at least 2 and no more than 3 valid item(s) (got an array of 1)"],
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
      " anyOf: must match a schema in anyOf (got 1)",
      " type: must be object (got 1)",
      " type: must be string (got 1)",
    ],
  ],
  [
    "two branches of oneOf",
    { oneOf: [{ type: "number" }, { minimum: 0 }] },
    1,
    [" oneOf: must match exactly one schema in oneOf (got 1)"],
  ],
  [
    "all of allOf",
    { allOf: [{ type: "number" }, { minimum: 2 }] },
    1,
    [" minimum: must be >= 2 (got 1)"],
  ],
  [
    "then and else",
    { items: { if: { type: "number" }, then: { minimum: 2 }, else: { type: "string" } } },
    [1, null],
    [
      '/0 if: must match "then" schema (got 1)',
      "/0 minimum: must be >= 2 (got 1)",
      '/1 if: must match "else" schema (got null)',
      "/1 type: must be string (got null)",
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
    ["/c unevaluatedProperties: is not a property of the schema; leave it out"],
  ],
  [
    "items that no part evaluates",
    { allOf: [{ prefixItems: [{}] }], unevaluatedItems: false },
    [1, 2, 3],
    [" unevaluatedItems: must NOT have unevaluated items (got an array of 3)"],
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
    ['/kids/1/kids/0/id type: must be integer (got "x")'],
  ],
  [
    "rules beside a reference",
    {
      $schema: draft7,
      definitions: { a: { type: "number" } },
      properties: { a: { $ref: "#/definitions/a", minimum: 2 } },
    },
    { a: 1 },
    ["/a minimum: must be >= 2 (got 1)"],
  ],
  [
    "references by anchor and id",
    {
      $id: "https://x.test/root",
      $defs: { a: { $anchor: "a", type: "null" }, b: { $id: "b", type: "null" } },
      prefixItems: [{ $ref: "#a" }, { $ref: "b" }],
    },
    [1, 2],
    ["/0 type: must be null (got 1)", "/1 type: must be null (got 2)"],
  ],
  [
    "a dynamic reference",
    { $dynamicAnchor: "node", type: "object", properties: { kid: { $dynamicRef: "#node" } } },
    { kid: 1 },
    ["/kid type: must be object (got 1)"],
  ],
  [
    "a reference with escapes",
    { $defs: { "a/b c": { type: "null" } }, $ref: "#/$defs/a~1b%20c" },
    1,
    [" type: must be null (got 1)"],
  ],
  [
    "a reference into a part of the caller's own",
    { components: { schemas: { a: { type: "null" } } }, $ref: "#/components/schemas/a" },
    1,
    [" type: must be null (got 1)"],
  ],
  [
    "a reference to the dialect",
    { properties: { schema: { $ref: "https://json-schema.org/draft/2020-12/schema" } } },
    { schema: { minLength: -1 } },
    ["/schema/minLength minimum: must be >= 0 (got -1)"],
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

describe.each([
  ["the interpreter", async (schema: JsonSchema) => createJsonSchemaChecker(schema)],
  ["ajv", async (schema: JsonSchema) => loadJsonSchemaChecker(schema)],
])("a JSON Schema checked by %s", (_engine, open) => {
  it.each(cases)("knows %s", async (_name, schema, value, issues) => {
    expect(said(await open(structuredClone(schema)), value)).toEqual(issues);
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
  ])("refuses %s", async (_name, schema, part) => {
    const failed = { code: "schema_invalid", message: expect.stringContaining(part) };
    await expect(open(schema)).rejects.toMatchObject(failed);
  });

  it("refuses $async", async () => {
    await expect(open({ $async: true })).rejects.toMatchObject({ code: "schema_unsupported" });
  });

  it("leaves a frozen schema as it is", async () => {
    const shared = Object.freeze({ $ref: "#/$defs/a" });
    const $defs = Object.freeze({ a: Object.freeze({ type: "null" }) });
    const schema = Object.freeze({ prefixItems: [shared, shared], $defs });
    expect(said(await open(schema), [null, 1])).toHaveLength(1);
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

describe("both engines", () => {
  it("agree on random schemas and values", async () => {
    await fc.assert(
      fc.asyncProperty(
        schemas(["#/$defs/a"]),
        schemas(["#/$defs/b"]),
        schemas(["#/$defs/c"]),
        values,
        async (root, a, b, value) => {
          const schema = { allOf: [root], $defs: { a, b, c: { type: "string" } } };
          const interpret = createJsonSchemaChecker(schema);
          const compiled = await loadJsonSchemaChecker(schema);
          expect(interpret(value).ok).toBe(compiled(value).ok);
        },
      ),
    );
  });
});

describe("the interpreter", () => {
  it.each([
    ["undefined", undefined],
    ["a function", { a: () => 1 }],
    ["a name that is not well-formed", { "\ud800": 1 }],
  ])("does not take %s for JSON", (_name, value) => {
    const check = createJsonSchemaChecker({ additionalProperties: { type: "number" } });
    expect(said(check, value)).toEqual([expect.stringContaining("json: is not a JSON value")]);
  });
});

describe("where code generation is forbidden", () => {
  afterEach(() => void vi.unstubAllGlobals());

  it("checks without ajv", async () => {
    vi.doMock("ajv", () => {
      throw new Error("ajv was loaded");
    });
    vi.stubGlobal("Function", function forbidden() {
      throw new EvalError("Code generation from strings disallowed for this context");
    });
    vi.resetModules();
    const fresh = await import("./json-schema-checker.ts");
    const check = await fresh.loadJsonSchemaChecker({ $schema: draft7, type: "null" });
    expect(said(check, 1)).toEqual([" type: must be null (got 1)"]);
    vi.doUnmock("ajv");
  });
});
