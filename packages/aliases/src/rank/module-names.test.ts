import { describe, expect, it } from "vitest";

import { buildImportGraph } from "./import-graph.ts";
import { isManifest, readModuleNames } from "./module-names.ts";

/** The file that an import in another file leads to. */
function resolve(
  files: Record<string, unknown>,
  from: string,
  specifier: string,
): string | undefined {
  const all = { ...files, [from]: "" };
  const paths = Object.keys(all);
  const manifests = Object.entries(all)
    .filter(([path]) => isManifest(path))
    .map(([path, value]) => ({
      path,
      text: typeof value === "string" ? value : JSON.stringify(value),
    }));
  const graph = buildImportGraph(
    paths,
    paths.map((path) => (path === from ? [specifier] : [])),
    readModuleNames(manifests),
  );
  return paths[graph.imports[paths.indexOf(from)]?.[0] ?? -1];
}

const core = { "packages/core/src/index.ts": "", "packages/core/src/json/index.ts": "" };
const nameOnly = { ...core, "packages/core/package.json": { name: "@x/core" } };

describe("readModuleNames", () => {
  it.each([
    ["a workspace package", nameOnly, "@x/core", "packages/core/src/index.ts"],
    ["a folder of its sources", nameOnly, "@x/core/json", "packages/core/src/json/index.ts"],
    [
      "what a package exports, by its source",
      {
        ...core,
        "packages/core/package.json": {
          name: "@x/core",
          exports: {
            "./data": { types: "./dist/json/index.d.ts", default: "./dist/json/index.js" },
          },
        },
      },
      "@x/core/data",
      "packages/core/src/json/index.ts",
    ],
    [
      "a main file that a build writes",
      { "kit/package.json": { name: "kit", main: "lib/main.js" }, "kit/src/main.ts": "" },
      "kit",
      "kit/src/main.ts",
    ],
    [
      "a package's own import",
      { "package.json": { imports: { "#db/*": "./src/db/*.js" } }, "src/db/pool.ts": "" },
      "#db/pool",
      "src/db/pool.ts",
    ],
    [
      "a path of tsconfig.json, comments and all",
      {
        "app/tsconfig.json": '{ // ours\n"compilerOptions": {"paths": {"@/*": ["./src/*"],}} }',
        "app/src/ui/button.tsx": "",
      },
      "@/ui/button",
      "app/src/ui/button.tsx",
    ],
    [
      "a path from the configuration that another extends",
      {
        "app/tsconfig.json": { extends: ["@x/config/base"] },
        "tools/config/package.json": { name: "@x/config" },
        "tools/config/base.json": {},
        "tools/config/tsconfig.json": {},
        "tsconfig.base.json": { compilerOptions: { baseUrl: ".", paths: { shared: ["lib/a"] } } },
        "app/tsconfig.build.json": { extends: "../tsconfig.base.json" },
        "lib/a.ts": "",
      },
      "shared",
      "lib/a.ts",
    ],
    [
      "a file below baseUrl",
      { "tsconfig.json": { compilerOptions: { baseUrl: "app" } }, "app/ui/menu.ts": "" },
      "ui/menu",
      "app/ui/menu.ts",
    ],
  ])("resolves %s", (_, files, specifier, target) => {
    expect(resolve(files, "app/main.ts", specifier)).toBe(target);
  });

  it("prefers the nearest configuration and the longest name", () => {
    const files = {
      "tsconfig.json": {
        compilerOptions: { paths: { "@/*": ["./root/*"], "@/ui/*": ["./kit/*"] } },
      },
      "app/tsconfig.json": { compilerOptions: { paths: { "@/*": ["./src/*"] } } },
      "root/a.ts": "",
      "app/src/a.ts": "",
      "kit/b.ts": "",
    };
    expect(resolve(files, "app/main.ts", "@/a")).toBe("app/src/a.ts");
    expect(resolve(files, "main.ts", "@/a")).toBe("root/a.ts");
    expect(resolve(files, "main.ts", "@/ui/b")).toBe("kit/b.ts");
  });

  it("survives manifests that are wrong, endless or lead outside", () => {
    const files = {
      "a/tsconfig.json": { extends: "../b/tsconfig.json" },
      "b/tsconfig.json": { extends: "../a/tsconfig.json", compilerOptions: { paths: { "*": 5 } } },
      "c/tsconfig.json": "{",
      "d/package.json": { name: "d", exports: [null, { "./x": "../../../etc/passwd" }], main: {} },
      "e/package.json": { name: "__proto__", imports: "x" },
    };
    expect(resolve(files, "a/main.ts", "d/x")).toBeUndefined();
    expect(resolve(files, "a/main.ts", "__proto__")).toBeUndefined();
  });
});
