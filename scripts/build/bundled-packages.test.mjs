import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { build } from "esbuild";
import { afterEach, expect, it } from "vitest";

import { bundleOptions, writeNotices } from "./bundled-packages.mjs";

const folders = [];
afterEach(() => folders.splice(0).forEach((folder) => fs.rmSync(folder, { recursive: true })));

const manifest = {
  name: "@ccl/x",
  version: "1.0.0",
  type: "module",
  dependencies: { outside: "1" },
};
const inside = { name: "inside", version: "2.0.0", license: "Apache-2.0" };
const files = {
  "package.json": JSON.stringify(manifest),
  "src/index.js": `import { createRequire } from "node:module";
import { name } from "inside";
import { outside } from "outside";
console.log(createRequire.name, name, outside);`,
  "node_modules/outside/package.json":
    '{ "name": "outside", "version": "1.0.0", "main": "index.js" }',
  "node_modules/outside/index.js": 'exports.outside = "outside";',
  "node_modules/inside/package.json": JSON.stringify(inside),
  "node_modules/inside/index.js": 'require("node:fs"); exports.name = "inside";',
  "node_modules/inside/LICENSE": "Copyright of the inside, under the Apache License.",
};

async function bundle(bundles, given = files) {
  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "ccl-bundle-"));
  folders.push(folder);
  for (const [file, text] of Object.entries(given)) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), text);
  }
  const row = { platform: "node", bundles };
  const options = { absWorkingDir: folder, entryPoints: ["src/index.js"], outdir: "dist" };
  const { metafile } = await build({
    ...options,
    bundle: true,
    format: "esm",
    platform: "node",
    ...bundleOptions({ manifest, row }),
  });
  writeNotices(folder, { manifest, row, metafile });
  const program = path.join(folder, "dist/index.js");
  const printed = execFileSync(process.execPath, [program], { encoding: "utf8" });
  const read = (name) => fs.readFileSync(path.join(folder, "dist", name), "utf8");
  return { printed, code: read("index.js"), notices: read("THIRD-PARTY-NOTICES.md") };
}

it("bundles what the row names, with its full licence, and leaves dependencies out", async () => {
  const { printed, code, notices } = await bundle(["inside"]);
  expect(printed).toBe("createRequire inside outside\n");
  expect(code).toContain('from"outside"');
  expect(code).not.toContain('from"inside"');
  expect(notices).toMatch(/## inside 2\.0\.0 \(Apache-2\.0\)\s+Copyright of the inside/);
  expect(notices).toContain("END OF TERMS AND CONDITIONS");
});

it("rejects a package that the row does not name, and one without a licence file", async () => {
  await expect(bundle(["other"])).rejects.toThrow("@ccl/x bundles inside too, no other; its row");
  const { "node_modules/inside/LICENSE": _, ...unlicensed } = files;
  await expect(bundle(["inside"], unlicensed)).rejects.toThrow(
    "inside is bundled and has no licence",
  );
});
