import { isSameJson } from "@ccl/core/json";
import { describe, expect, it } from "vitest";

import { createHiddenNames } from "./hidden-names.ts";

const nested = (levels: number): unknown =>
  JSON.parse(`${'{"a":['.repeat(levels / 2)}"leaf"${"]}".repeat(levels / 2)}`);

describe("createHiddenNames", () => {
  it("keeps all that a record may nest, and removes what lies deeper", () => {
    const hidden = createHiddenNames(["salary"]);
    expect(hidden.removeFrom(nested(32))).toEqual(nested(32));
    expect(JSON.stringify(hidden.removeFrom(nested(20_000)))).not.toContain("leaf");
    expect(isSameJson(hidden.removeFrom({ list: ["salary", "city"] }), { list: ["city"] })).toBe(
      true,
    );
  });
});
