import { describe, expect, it } from "vitest";
import { findConflicts } from "./find-conflicts.ts";

const conflictsOf = (...paths: string[]): ReturnType<typeof findConflicts> =>
  findConflicts(paths.map((path, index) => ({ kind: "CREATE_FILE", path, index })));

describe("findConflicts", () => {
  it.each([
    ["case", "src/a.ts", "src/A.ts"],
    ["full case folding", "STRASSE.txt", "stra\u00dfe.txt"],
    ["Unicode normalisation", "caf\u00e9.md", "cafe\u0301.md"],
    ["compatibility forms", "file.txt", "\ufb01le.txt"],
    ["sigma at the end of a word", "\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c2"],
    ["the case of a folder on the way", "Src/a.ts", "src/b.ts"],
  ])("finds paths that differ only by %s", (_name, first, second) => {
    expect(conflictsOf(first, "other", second)).toMatchObject([
      { code: "ERR_ACTION_CONFLICT", path: ["actions", 2, "path"] },
    ]);
  });

  it("lets different paths pass", () => {
    expect(conflictsOf("src/a.ts", "src/b.ts", "other")).toEqual([]);
  });
});
