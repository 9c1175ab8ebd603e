import { describe, expect, it } from "vitest";
import { findCollisions } from "./find-collisions.ts";

describe("findCollisions", () => {
  it.each([
    ["case", "src/a.ts", "src/A.ts"],
    ["full case folding", "STRASSE.txt", "stra\u00dfe.txt"],
    ["Unicode normalisation", "caf\u00e9.md", "cafe\u0301.md"],
    ["compatibility forms", "file.txt", "\ufb01le.txt"],
    ["sigma at the end of a word", "\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c2"],
    ["the case of a folder on the way", "Src/a.ts", "src/b.ts"],
  ])("finds paths that differ only by %s", (_name, first, second) => {
    expect(findCollisions([first, "other", second])).toMatchObject([{ indexes: [0, 2] }]);
  });

  it("lets what is equal and what is different pass", () => {
    expect(findCollisions(["src/a.ts", "src/a.ts", "src/b.ts", "src"])).toEqual([]);
  });
});
