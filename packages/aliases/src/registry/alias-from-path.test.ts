import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { nameFiles } from "./alias-from-path.ts";
import { aliasKey, parseAlias } from "./alias-name.ts";
import { classifyPath } from "./scan-tree.ts";

const named = (paths: readonly string[], taken: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(
    nameFiles(
      paths.map((path) => ({ path, prefix: classifyPath(path) })),
      taken,
    ),
  );

const segment = fc.constantFrom(
  "src",
  "Src",
  "a",
  "b",
  "a b",
  "index",
  "mod",
  "x.y",
  ".hidden",
  "日本",
  "é",
  "e\u0301",
  "__proto__",
  "-",
  "z".repeat(70),
);
const fileName = fc.constantFrom(
  "index.ts",
  "index.js",
  "a.ts",
  "A.ts",
  "a.js",
  "a",
  "a.test.ts",
  "src.ts",
  "日.ts",
  "本.ts",
  "__init__.py",
  "-.ts",
  "README.md",
);
const path = fc
  .tuple(fc.array(segment, { maxLength: 5 }), fileName)
  .map(([folders, name]) => [...folders, name].join("/"));
const paths = fc.uniqueArray(path, { maxLength: 60 });

describe("nameFiles", () => {
  it("gives the names in the document's example, as far as they follow from the paths", () => {
    expect(
      named([
        "schemas/entities.json",
        "handlers/main.py",
        "prep/options.json",
        "prep/ADR-0001-decision.md",
        "profiles/default.yaml",
        "tests/test_contract.py",
        "README.md",
      ]),
    ).toEqual({
      "schemas/entities.json": "S.entities",
      "handlers/main.py": "H.main",
      "prep/options.json": "P.options",
      "prep/ADR-0001-decision.md": "A.ADR1",
      "profiles/default.yaml": "PR.default",
      "tests/test_contract.py": "T.contract",
      "README.md": "D.readme",
    });
  });

  it.each([
    [
      "names an index by its folder",
      ["src/pack/index.ts", "src/pack/pack.ts"],
      ["H.src.pack", "H.pack"],
    ],
    [
      "names an index beside a file with the folder's name",
      ["src/pack.ts", "src/pack/index.ts"],
      ["H.pack", "H.pack-index"],
    ],
    ["names an index at the root", ["index.ts"], ["H.index"]],
    [
      "adds folders until the name is unique",
      ["a/x/f.ts", "b/x/f.ts", "b/y/f.ts"],
      ["H.a.x.f", "H.b.x.f", "H.y.f"],
    ],
    ["keeps the name for the file without further folders", ["f.ts", "a/f.ts"], ["H.f", "H.a.f"]],
    ["distinguishes siblings by extension", ["lib/list.c", "lib/list.h"], ["H.list-c", "H.list-h"]],
    [
      "allows the same name under different prefixes",
      ["f.ts", "f.test.ts", "f.md", "f.yaml"],
      ["H.f", "T.f", "D.f", "C.f"],
    ],
    ["does not rely on case to distinguish names", ["a/F.ts", "b/f.ts"], ["H.a.F", "H.b.f"]],
    [
      "turns dots in a name into dashes",
      ["vitest.config.ts", "a/b.c/d.e.ts"],
      ["C.vitest-config", "H.d-e"],
    ],
    ["names dot files", [".gitignore", ".github/workflows/ci.yml"], ["C.gitignore", "C.ci"]],
    ["Cyrillic in Latin letters", ["docs/План.md", "src/разбор/index.ts"], ["D.Plan", "H.razbor"]],
    [
      "names files in other scripts",
      ["docs/筆記.md", "docs/計画.md"],
      ["D._-96942c", "D._-26529e"],
    ],
  ])("%s", (_, files, aliases) => {
    const names = named(files);
    expect(files.map((file) => names[file])).toEqual(aliases);
  });

  it("avoids names that are taken, in any case", () => {
    expect(named(["a/f.ts", "g.ts"], ["h.f", "h.g"])).toEqual({
      "a/f.ts": "H.a.f",
      "g.ts": expect.stringMatching(/^H\.g-[0-9a-f]{6}$/),
    });
  });

  it("gives every file a distinct legal name, even if case is ignored", () => {
    fc.assert(
      fc.property(
        paths,
        fc.array(fc.constantFrom("h.a", "h.src.a", "d.readme", "h.index")),
        (files, taken) => {
          const names = Object.values(named(files, taken));
          expect(names).toHaveLength(files.length);
          expect(names.filter((name) => !parseAlias(name).ok)).toEqual([]);
          expect(new Set([...names.map((name) => aliasKey(name)), ...taken]).size).toBe(
            names.length + new Set(taken).size,
          );
        },
      ),
    );
  });

  it("gives the same names in any order", () => {
    fc.assert(
      fc.property(
        paths.chain((files) =>
          fc.tuple(fc.constant(files), fc.shuffledSubarray(files, { minLength: files.length })),
        ),
        ([files, shuffled]) => {
          expect(named(shuffled)).toEqual(named(files));
        },
      ),
    );
  });

  it("keeps the names of files when files with other stems are added", () => {
    const other = path.map((text) => text.replace(/[^/]*$/, (name) => `q-${name}`));
    fc.assert(
      fc.property(paths, fc.uniqueArray(other, { maxLength: 20 }), (files, others) => {
        expect(named([...files, ...others])).toMatchObject(named(files));
      }),
    );
  });

  it("names thousands of files with the same name in deep folders", () => {
    const deep = Array.from(
      { length: 3000 },
      (_, index) => `d${index}/${"level/".repeat(40)}index.ts`,
    );
    const names = Object.values(named(deep));
    expect(new Set(names).size).toBe(3000);
    expect(names.every((name) => name.length <= 122)).toBe(true);
  });
});
