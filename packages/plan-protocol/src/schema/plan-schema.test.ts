import { lintWireSchema, parseStructured } from "@ccl/structured-output";
import { describe, expect, it } from "vitest";
import { memorySchemas } from "../memory/apply-memory-patch.ts";
import { parsePlan } from "../parse/parse-plan.ts";
import { planVersions } from "../plan/action-kinds.ts";
import { planWireSchema, schemaHash } from "./plan-schema.ts";

const base_sha256 = "0".repeat(64);
const edits = [{ anchor: null, before: "a", after: "b" }];

describe("the schemas of plans", () => {
  it.each(planVersions)("of version %i pass the rules of strict formats on the wire", (version) => {
    expect(lintWireSchema(planWireSchema(version))).toEqual([]);
    expect(planWireSchema(version)).toBe(planWireSchema(version));
  });

  it("have a hash of their own that does not depend on the order of keys", () => {
    expect(new Set(planVersions.map((version) => schemaHash(planWireSchema(version)))).size).toBe(
      3,
    );
    expect(schemaHash({ a: 1, b: 2 })).toBe(schemaHash({ b: 2, a: 1 }));
  });

  it.each([
    [1, { kind: "UPDATE_FILE", path: "a", content: "x" }],
    [2, { kind: "PATCH_FILE", path: "a", patch: "@@", base_sha256 }],
    [3, { kind: "EDIT_FILE", path: "a", base_sha256, edits }],
  ] as const)("of version %i allow on the wire what parsePlan reads", (version, action) => {
    const request = { type: "read_file", path: "a", start_line: null, end_line: null };
    const memory = Object.fromEntries(Object.keys(memorySchemas).map((key) => [key, null]));
    const answer = JSON.stringify({
      actions: [action],
      summary: null,
      context_requests: [request],
      memory_patch: memory,
    });
    expect(parseStructured(answer, { schema: planWireSchema(version) }).ok).toBe(true);
    expect(parsePlan(answer, { version })).toMatchObject({
      ok: true,
      value: {
        actions: [{ kind: action.kind }],
        context_requests: [{ type: "read_file", path: "a" }],
        memory_patch: {},
      },
    });
  });
});
