import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { afterEach, describe, expect, it } from "vitest";

import { apiReports } from "./api-reports.mjs";

const folders = [];
afterEach(() => folders.splice(0).forEach((folder) => fs.rmSync(folder, { recursive: true })));

const tidy = {
  "package.json": '{ "type": "module" }',
  "dist/index.d.ts":
    'export { run, type Run, type Steps } from "./run.js";\nexport { limit } from "./limit.js";',
  "dist/run.d.ts":
    '/** Runs. */\nexport interface Run { id: string }\nexport declare function run(id: string): Run;\nimport type { Step } from "./step.js";\nexport interface Steps { steps: Step[] }',
  "dist/step.d.ts":
    "type Kind = 1 | 2;\nexport interface Step { kind: Kind }\nexport interface Unused { a: 1 }",
  "dist/limit.d.ts": "export declare const limit: number;",
  "dist/more/index.d.ts": 'export { run } from "../run.js";',
};

function reportOf(changes = {}) {
  const directory = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "ccl-api-"));
  folders.push(directory);
  for (const [file, text] of Object.entries({ ...tidy, ...changes })) {
    fs.mkdirSync(path.dirname(path.join(directory, file)), { recursive: true });
    fs.writeFileSync(path.join(directory, file), text);
  }
  const entries = [
    { subpath: ".", built: path.join(directory, "dist/index.js") },
    { subpath: "./more", built: path.join(directory, "dist/more/index.js") },
  ];
  return apiReports([{ name: "@ccl/x", directory, entries }])[0];
}

describe("apiReports", () => {
  it("lists each entry's exports once, in name order, and the types that they use", () => {
    const { text, exports } = reportOf();
    expect(exports).toBe(5);
    expect(text).toMatchInlineSnapshot(`
      "# @ccl/x: public API

      Written by \`pnpm api\` from the type files.

      ## @ccl/x: 4 exports

      \`\`\`ts
      export interface Run {
          id: string;
      }
      export interface Steps {
          steps: Step[];
      }
      export const limit: number;
      export function run(id: string): Run;
      \`\`\`

      ## @ccl/x/more: 1 exports

      \`\`\`ts
      export { run }; // see .
      \`\`\`

      ## Parts of these, without a name to import

      \`\`\`ts
      interface Step {
          kind: Kind;
      }
      type Kind = 1 | 2;
      \`\`\`
      "
    `);
  });

  it("changes with a type, but not with a comment or the order in a file", () => {
    const { text } = reportOf();
    const [doc, type, value, ...rest] = tidy["dist/run.d.ts"].split("\n");
    expect(
      reportOf({ "dist/run.d.ts": [...rest, value, "/** Other. */", type].join("\n") }).text,
    ).toBe(text);
    const wider = type.replace("string", "string | number");
    expect(reportOf({ "dist/run.d.ts": [doc, wider, value, ...rest].join("\n") }).text).not.toBe(
      text,
    );
  });

  it("reports a package that is not built", () => {
    expect(() =>
      apiReports([
        { name: "@ccl/x", directory: "/none", entries: [{ subpath: ".", built: "/none/i.js" }] },
      ]),
    ).toThrow("/none/i.d.ts is not built; run pnpm build");
  });
});
