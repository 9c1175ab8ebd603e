import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { afterEach, describe, expect, it } from "vitest";

import { graphProblems } from "./graph-problems.mjs";
import { readWorkspace } from "./workspace.mjs";

const folders = [];
afterEach(() => folders.splice(0).forEach((folder) => fs.rmSync(folder, { recursive: true })));

const exportsOf = (...subpaths) =>
  Object.fromEntries(
    subpaths.map((subpath) => {
      const folder = subpath === "." ? "" : `${subpath.slice(2)}/`;
      return [
        subpath,
        { "@ccl/source": `./src/${folder}index.ts`, default: `./dist/${folder}index.js` },
      ];
    }),
  );

const tidy = {
  "package.json": { devDependencies: { "fast-check": "catalog:" } },
  "package-graph.json": {
    packages: {
      "@ccl/core": { tier: 0, imports: [], platform: "neutral" },
      "@ccl/left": { tier: 1, imports: ["@ccl/core"], platform: "neutral" },
      "@ccl/right": { tier: 1, imports: ["@ccl/core"], platform: "node" },
      "@ccl/top": { tier: 2, imports: ["@ccl/left"], platform: "node" },
      "@ccl/planned": { tier: 2, imports: ["*"], platform: "neutral" },
    },
  },
  "packages/core/package.json": {
    name: "@ccl/core",
    exports: exportsOf(".", "./node", "./conformance"),
  },
  "packages/core/src/index.ts": '// A comment.\n\nexport { hash } from "./hash.ts";\n',
  "packages/core/src/hash.ts":
    "/** Doc. */\nexport const hash = (text: string): number => text.length;\n",
  "packages/core/src/node/index.ts": 'export { readFile } from "node:fs/promises";\n',
  "packages/core/src/conformance/index.ts": 'export { ok } from "node:assert";\n',
  "packages/left/package.json": {
    name: "@ccl/left",
    exports: exportsOf("."),
    dependencies: { "@ccl/core": "workspace:^", yaml: "catalog:" },
    peerDependencies: { "gpt-tokenizer": "^4.0.0" },
  },
  "packages/left/src/index.ts": `
    import { hash } from "@ccl/core";
    export type { Document } from "yaml";
    export const load = (name: string): Promise<unknown> => import(\`gpt-tokenizer/encoding/\${name}\`);
    export const hashes = [hash];
  `,
  "packages/left/src/left.test.ts":
    'import "node:fs";\nimport "@ccl/right";\nimport "undeclared";\n',
  "packages/left/src/arbitraries.ts": 'import "fast-check";\n',
  "packages/right/package.json": { name: "@ccl/right", exports: exportsOf("."), dependencies: {} },
  "packages/right/src/index.ts": 'import "node:fs";\n',
  "packages/top/package.json": {
    name: "@ccl/top",
    publishConfig: { bin: { top: "./dist/top.js" } },
    exports: { "./package.json": "./package.json" },
    dependencies: { "@ccl/left": "workspace:^", "gpt-tokenizer": "catalog:", wasm: "catalog:" },
  },
  "packages/top/src/top.ts":
    'import "@ccl/left";\nnew Worker(new URL("./worker.ts", import.meta.url));\n',
  "packages/top/src/worker.ts": 'export const grammar = import.meta.resolve("wasm/python.wasm");\n',
};

function problemsOf(changes) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "ccl-graph-"));
  folders.push(root);
  for (const [file, content] of Object.entries({ ...tidy, ...changes })) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(
      path.join(root, file),
      typeof content === "string" ? content : JSON.stringify(content),
    );
  }
  return graphProblems(readWorkspace(root));
}

const withManifest = (folder, changes) => {
  const file = `packages/${folder}/package.json`;
  return { [file]: { ...tidy[file], ...changes } };
};
const withRow = (name, changes) => {
  const { packages } = tidy["package-graph.json"];
  return {
    "package-graph.json": { packages: { ...packages, [name]: { ...packages[name], ...changes } } },
  };
};
const bundling = { bundles: ["@ccl/left"] };
const inRight = (source) => ({ "packages/right/src/index.ts": source });
const inHash = (source) => ({ "packages/core/src/hash.ts": source });

describe("graphProblems", () => {
  it("finds nothing in a tidy workspace", () => {
    expect(problemsOf({})).toEqual([]);
  });

  it("lets a package import optional dependencies, and reports unused ones", () => {
    const optional = withManifest("right", { optionalDependencies: { driver: "catalog:" } });
    expect(
      problemsOf({ ...optional, ...inRight('export const load = () => import("driver");') }),
    ).toEqual([]);
    expect(problemsOf(optional)).toEqual(["@ccl/right declares driver and does not use it"]);
  });

  it("lets a package bundle what its row names if it declares the imports of that", () => {
    const manifest = {
      dependencies: { "gpt-tokenizer": "catalog:", wasm: "catalog:" },
      devDependencies: { "@ccl/left": "workspace:^" },
    };
    const bundled = { ...withManifest("top", manifest), ...withRow("@ccl/top", bundling) };
    expect(problemsOf(bundled)).toEqual([
      "@ccl/top bundles a package that imports @ccl/core, and does not declare it",
      "@ccl/top bundles a package that imports yaml, and does not declare it",
    ]);
    const declared = { "@ccl/core": "workspace:^", yaml: "catalog:" };
    const dependencies = { ...manifest.dependencies, ...declared };
    expect(
      problemsOf({ ...bundled, ...withManifest("top", { ...manifest, dependencies }) }),
    ).toEqual([]);
    const unnamed = problemsOf(withManifest("top", manifest));
    expect(unnamed[0]).toMatch(/imports @ccl\/left: not in the package's dependencies$/);
  });

  it("lets only the Node entries of a row import builtins", () => {
    const changes = {
      ...inHash('import "node:fs";'),
      ...withRow("@ccl/core", { nodeEntries: ["."] }),
    };
    expect(problemsOf(changes)).toEqual([]);
    expect(
      problemsOf({ ...changes, ...withRow("@ccl/core", { nodeEntries: ["./other"] }) }),
    ).toHaveLength(1);
  });

  it.each([
    [
      "a sibling import",
      inRight('import "@ccl/left";'),
      "packages/right/src/index.ts:1 imports @ccl/left: a sibling of tier 1",
    ],
    [
      "an import of a higher tier",
      inRight('\nimport "@ccl/top";'),
      "index.ts:2 imports @ccl/top: tier 2 stands above tier 1",
    ],
    [
      "a type-only import of a sibling",
      inRight('export type A = import("@ccl/left").A;'),
      "imports @ccl/left: a sibling",
    ],
    [
      "a dynamic import of a sibling",
      inRight('await import("@ccl/left");'),
      "imports @ccl/left: a sibling",
    ],
    [
      "a sibling named by a constant",
      inRight('const name = "@ccl/left";\nawait import(name);'),
      "index.ts:2 imports @ccl/left: a sibling",
    ],
    ["a required sibling", inRight('require("@ccl/left");'), "imports @ccl/left: a sibling"],
    [
      "an import that the row does not name",
      withRow("@ccl/left", { imports: [] }),
      "the row of @ccl/left in package-graph.json does not name it",
    ],
    [
      "an import of a package without a row",
      inRight('import "@ccl/ghost";'),
      "imports @ccl/ghost: package-graph.json has no such package",
    ],
    [
      "an undeclared package of ours",
      inRight('import "@ccl/core";'),
      "imports @ccl/core: not in the package's dependencies",
    ],
    [
      "a deep import",
      {
        ...withManifest("right", { dependencies: { "@ccl/core": "workspace:^" } }),
        ...inRight('import "@ccl/core";\nimport "@ccl/core/src/hash.ts";'),
      },
      "index.ts:2 imports @ccl/core/src/hash.ts: a deep import; @ccl/core exports no ./src/hash.ts",
    ],
    [
      "a relative import that leaves its package",
      inRight('export * from "../../core/src/index.ts";'),
      "a relative import may not leave its package",
    ],
    [
      "an import of itself",
      inRight('import "@ccl/right";'),
      "a package imports its own files by relative paths",
    ],
    [
      "a computed import",
      inRight("await import(name);"),
      "packages/right/src/index.ts:1 imports a computed name",
    ],
    [
      "an undeclared dependency",
      inRight('import "yaml";'),
      "imports yaml: in neither dependencies nor peerDependencies",
    ],
    [
      "a dependency declared for development only",
      {
        ...withManifest("right", { devDependencies: { zod: "catalog:" } }),
        ...inRight('import "zod";'),
      },
      "imports zod: in neither dependencies nor peerDependencies",
    ],
    [
      "an unused dependency",
      withManifest("right", { dependencies: { diff: "catalog:" } }),
      "@ccl/right declares diff and does not use it",
    ],
    [
      "an unused peer",
      withManifest("right", { peerDependencies: { pg: "^8.0.0" } }),
      "@ccl/right declares pg and does not use it",
    ],
    [
      "an internal dependency by version",
      withManifest("left", { dependencies: { "@ccl/core": "^1.0.0", yaml: "catalog:" } }),
      "@ccl/left depends on @ccl/core as ^1.0.0; write workspace:^",
    ],
    [
      "an internal peer",
      { ...withManifest("right", { peerDependencies: { "@ccl/core": "*" } }) },
      "@ccl/right has @ccl/core as a peer",
    ],
    [
      "a version given twice",
      withManifest("right", { devDependencies: { yaml: "^2.0.0" } }),
      "@ccl/right gives yaml the version ^2.0.0",
    ],
    ["a builtin without its prefix", inRight('import "fs";'), "imports fs: write node:fs"],
    [
      "a builtin in a neutral entry",
      inHash('import "node:fs";'),
      "packages/core/src/hash.ts:1 imports node:fs and is reached from . of @ccl/core",
    ],
    [
      "a lazy builtin in a neutral entry",
      inHash('export const read = () => import("node:fs");'),
      "imports node:fs and is reached from .",
    ],
    [
      "an entry without a source",
      withManifest("right", { exports: exportsOf(".", "./lost") }),
      "@ccl/right exports ./lost, and its condition @ccl/source leads to no file",
    ],
    [
      "a package without a row",
      withManifest("right", { name: "@ccl/other" }),
      "@ccl/other has no row in package-graph.json",
    ],
    [
      "a row that names a sibling",
      withRow("@ccl/right", { imports: ["@ccl/left"] }),
      "@ccl/right (tier 1) may not import @ccl/left (tier 1)",
    ],
    [
      "a row that names nobody",
      withRow("@ccl/right", { imports: ["@ccl/gone"] }),
      "@ccl/right may import @ccl/gone, which has no row",
    ],
  ])("reports %s", (_fault, changes, message) => {
    expect(problemsOf(changes)).toContainEqual(expect.stringContaining(message));
  });
});
