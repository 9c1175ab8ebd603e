import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { afterEach, describe, expect, it } from "vitest";

import { readWorkspace } from "../graph/workspace.mjs";
import { unshownExports } from "./unshown-exports.mjs";

const folders = [];
afterEach(() => folders.splice(0).forEach((folder) => fs.rmSync(folder, { recursive: true })));

const packageOf = (name) => ({
  [`packages/${name}/package.json`]: JSON.stringify({
    name: `@ccl/${name}`,
    version: "0.0.0",
    exports: {
      ".": { "@ccl/source": "./src/index.ts", default: "./dist/index.js" },
      "./node": { "@ccl/source": "./src/node.ts", default: "./dist/node.js" },
    },
  }),
});

/** Two packages. The first exports `planted` and the type `Options`; `more` uses them. */
function unshownWith(more) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "ccl-surface-"));
  folders.push(root);
  const files = {
    "package.json": "{}",
    "package-graph.json": JSON.stringify({ packages: {} }),
    "README.md": "",
    ...packageOf("low"),
    ...packageOf("high"),
    "packages/low/src/index.ts": 'export { planted, type Options } from "./planted.ts";\n',
    "packages/low/src/node.ts": "",
    "packages/low/src/planted.ts": "export const planted = 1;\n",
    "packages/high/src/index.ts": "",
    "packages/high/src/node.ts": "",
    ...more,
  };
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), text);
  }
  return unshownExports(readWorkspace(root));
}

const use = 'import { planted } from "@ccl/low";\nconsole.log(planted);\n';
const block = (mark) => `\`\`\`${mark}\n${use}\`\`\`\n`;

describe("unshownExports", () => {
  it.each([
    ["nothing", {}],
    ["the package itself and its tests", { "packages/low/src/planted.test.ts": use }],
    ["a page's words", { "README.md": "Call `planted` of `@ccl/low`." }],
    ["another entry of the same name", { "examples/x/a.ts": use.replace("low", "low/node") }],
    ["a type of that name", { "examples/x/a.ts": 'import type { planted } from "@ccl/low";\n' }],
    ["an api report", { "packages/low/api.md": block("ts") }],
    ["another language", { "docs/a.md": block("python") }],
  ])("reports a value that only %s uses", (_by, files) => {
    expect(unshownWith(files)).toEqual(["@ccl/low planted"]);
  });

  it.each([
    ["another package", { "packages/high/src/high.ts": use }],
    ["a test of another package", { "packages/high/src/high.test.ts": use }],
    ["an example", { "examples/x/src/main.mjs": use }],
    ["a bench", { "bench/x.mjs": use }],
    ["a lazy import", { "scripts/x.mjs": 'const { planted } = await import("@ccl/low");\n' }],
    ["a whole entry", { "scripts/x.mjs": 'import * as low from "@ccl/low";\nlow.planted;\n' }],
    ["a re-export", { "packages/high/src/index.ts": 'export { planted as a } from "@ccl/low";\n' }],
    ["a README", { "packages/low/README.md": block("ts") }],
    ["a file of a tutorial", { "docs/tutorials/a.md": block("js [main.mjs]") }],
    ["what a page's reader is given", { "docs/a.md": `<!-- given\n${use}-->\n` }],
  ])("accepts %s", (_by, files) => {
    expect(unshownWith(files).filter((value) => value.startsWith("@ccl/low"))).toEqual([]);
  });
});
