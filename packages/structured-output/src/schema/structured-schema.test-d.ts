import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";

import { generateStructured, type StructuredResult } from "../generate/generate-structured.ts";
import { parseStructured } from "./parse-structured.ts";

type ValueOf<Outcome> = Outcome extends { ok: true; value: infer Value } ? Value : never;

describe("the type of a structured value", () => {
  it("is what a zod schema gives, after defaults and transforms", () => {
    const schema = z.object({
      a: z.string().transform(Number),
      b: z.boolean().default(false),
      c: z.int().optional(),
    });
    const result = parseStructured("{}", { schema });
    expectTypeOf<ValueOf<typeof result>>().toEqualTypeOf<{
      a: number;
      b: boolean;
      c?: number | undefined;
    }>();
  });

  it("is the caller's claim for a JSON Schema, and unknown without one", () => {
    const schema = { type: "object", properties: { a: { type: "string" } } };
    const result = parseStructured("{}", { schema });
    expectTypeOf<ValueOf<typeof result>>().toBeUnknown();
    const generate = generateStructured<{ a: string }>;
    expectTypeOf<Awaited<ReturnType<typeof generate>>>().toEqualTypeOf<
      StructuredResult<{ a: string }>
    >();
  });
});
