import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseAlias } from "./alias-name.ts";

describe("parseAlias", () => {
  it.each([
    ["S.entities", { prefix: "S", name: "entities" }],
    ["P.default", { prefix: "P", name: "default" }],
    ["PR.default", { prefix: "PR", name: "default" }],
    ["A.ADR1@d00dad42", { prefix: "A", name: "ADR1", sha8: "d00dad42" }],
    ["API2.v1.user-list", { prefix: "API2", name: "v1.user-list" }],
    ["H._", { prefix: "H", name: "_" }],
    [`H.${"x".repeat(120)}`, { prefix: "H", name: "x".repeat(120) }],
  ])("reads %s", (text, value) => {
    expect(parseAlias(text)).toEqual({ ok: true, value });
  });

  it.each([
    "",
    "main",
    "h.main",
    "H.",
    "H..x",
    "H.-x",
    "H.a/b",
    "H.a b",
    "H.main\n",
    "H.main@",
    "H.main@D00DAD42",
    "H.main@d00dad4",
    "2H.main",
    "ABCDEFGHI.x",
    `H.${"x".repeat(121)}`,
    "__proto__",
  ])("rejects %j", (text) => {
    expect(parseAlias(text)).toMatchObject({ ok: false, issues: [{ code: "alias_invalid" }] });
  });

  it("never throws and keeps its message short", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 5000 }), (text) => {
        const parsed = parseAlias(text);
        expect(parsed.ok ? "" : parsed.issues[0]?.message).toSatisfy(
          (message: string) => message.length < 800,
        );
      }),
    );
  });
});
