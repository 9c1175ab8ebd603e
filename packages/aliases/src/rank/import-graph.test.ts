import { describe, expect, it } from "vitest";

import { buildImportGraph } from "./import-graph.ts";

const edges = (files: Record<string, string[]>): string[] => {
  const paths = Object.keys(files);
  const { imports } = buildImportGraph(paths, Object.values(files));
  return imports.flatMap((targets, from) =>
    targets.map((target) => `${paths[from]} > ${paths[target]}`),
  );
};

describe("buildImportGraph", () => {
  it.each([
    ["a file by its own name", { "src/a.ts": ["./b.ts"], "src/b.ts": [] }, "src/a.ts > src/b.ts"],
    [
      "a TypeScript file by its emitted name",
      { "src/a.ts": ["./b.js"], "src/b.ts": [] },
      "src/a.ts > src/b.ts",
    ],
    [
      "a folder by its index",
      { "src/a.ts": ["./b"], "src/b/index.tsx": [] },
      "src/a.ts > src/b/index.tsx",
    ],
    ["a folder above", { "src/a/b.ts": ["../c"], "src/c.ts": [] }, "src/a/b.ts > src/c.ts"],
    ["a relative Python module", { "app/a.py": [".b"], "app/b.py": [] }, "app/a.py > app/b.py"],
    ["a Python module above", { "app/x/a.py": ["..b"], "app/b.py": [] }, "app/x/a.py > app/b.py"],
    [
      "an absolute Python module",
      { "main.py": ["app.core.b"], "app/core/b.py": [] },
      "main.py > app/core/b.py",
    ],
    [
      "a Java class",
      { "src/org/x/A.java": ["org.x.B"], "src/org/x/B.java": [] },
      "src/org/x/A.java > src/org/x/B.java",
    ],
    [
      "a Rust module",
      { "src/a.rs": ["crate::net::tcp"], "src/net/tcp.rs": [] },
      "src/a.rs > src/net/tcp.rs",
    ],
  ])("resolves %s", (_, files, edge) => {
    expect(edges(files)).toEqual([edge]);
  });

  it("leaves out packages, itself and what is ambiguous", () => {
    expect(
      edges({
        "src/a.ts": ["react", "./a.ts", "lib/util"],
        "x/lib/util.ts": [],
        "y/lib/util.ts": [],
      }),
    ).toEqual([]);
  });

  it("lists who imports a file", () => {
    const { importedBy } = buildImportGraph(["a.ts", "b.ts"], [["./b"], []]);
    expect(importedBy).toEqual([[], [0]]);
  });
});
