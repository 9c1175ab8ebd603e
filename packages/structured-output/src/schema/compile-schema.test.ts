import { describe, expect, it } from "vitest";

import { createChecker, jsonSchemaOf } from "./compile-schema.ts";

describe("createChecker", () => {
  it("does not fit a value nested too deep for its schema's checker", () => {
    const check = createChecker({
      $defs: { a: { type: "array", items: { $ref: "#/$defs/a" } } },
      $ref: "#/$defs/a",
    });
    let value: unknown[] = [];
    for (let level = 0; level < 100_000; level++) value = [value];
    expect(check(value)).toMatchObject({ ok: false, issues: [{ code: "ERR_SCHEMA_VALIDATION" }] });
  });

  it("counts the faults beyond the first 200", () => {
    const check = createChecker({ items: { type: "string" } });
    const result = check(Array.from({ length: 1000 }, (_, index) => index));
    const issues = result.ok ? [] : result.issues;
    expect(issues).toHaveLength(201);
    expect(issues.at(-1)?.message).toBe("800 more rules are broken.");
  });
});

describe("jsonSchemaOf", () => {
  it("says what to do where a library gives no JSON Schema", () => {
    const validate = (value: unknown): { value: unknown } => ({ value });
    const ask = (vendor: string) => (): unknown =>
      jsonSchemaOf({ "~standard": { vendor, validate } });
    expect(ask("zod")).toThrow("update zod to 4.2 or newer");
    expect(ask("other")).toThrow("pass a JSON Schema instead");
  });
});
