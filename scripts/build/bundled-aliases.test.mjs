// An application that bundles @ccl/aliases runs in a folder without node_modules.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { build } from "esbuild";
import { afterAll, expect, it } from "vitest";

const home = path.resolve(import.meta.dirname, "../../packages/aliases");
const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "ccl-bundled-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const program = `
import { mkdirSync, writeFileSync } from "node:fs";
import { buildOutline, buildPack, computeDelta, openAliasRegistry, takeSnapshot } from "./dist/index.js";

const root = process.argv[2];
mkdirSync(root, { recursive: true });
writeFileSync(root + "/.gitignore", "hidden.yaml");
writeFileSync(root + "/hidden.yaml", "a: 1");
writeFileSync(root + "/shown.yaml", "limit: 1");
const registry = await openAliasRegistry({ root, persist: false });
const { entries } = await registry.scan({ include: ["*.yaml"] });
const base = await takeSnapshot({ registry });
writeFileSync(root + "/shown.yaml", "limit: 2");
const delta = await computeDelta(base, await takeSnapshot({ registry }));
const { text } = await buildPack({ registry, task: "raise the limit", budget: 500 });
const source = { path: "m.ts", text: "export const one = 1;" };
const outline = buildOutline(source, { depth: "signatures" });
const read = await outline.catch(({ code, message }) => ({ text: code + ": " + message }));
const keys = Array.from({ length: 40 }, (_, at) => "key" + at + ":\\n  a: " + at + "\\n  list: [1, 2]").join("\\n");
const yaml = await buildOutline({ path: "a.yaml", text: keys }, { depth: "signatures" });
const isWhole = delta.changes.length === 1 && text.includes("limit: 2");
console.log(JSON.stringify({ paths: entries.map((entry) => entry.path), isWhole, outline: read.text, yaml: yaml.text.split("\\n")[0] }));
`;

/** Bundles and runs the program. `external` libraries stay outside the bundle. */
async function run(name, external = []) {
  const outfile = path.join(folder, name, "main.mjs");
  await build({
    stdin: { contents: program, resolveDir: home, loader: "ts" },
    outfile,
    bundle: true,
    external,
    format: "esm",
    platform: "node",
    logLevel: "silent",
  });
  const root = path.join(folder, name, "project");
  const options = { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] };
  return JSON.parse(execFileSync(process.execPath, [outfile, root], options));
}

it("bundles every library, and says which folder the parser needs next to the bundle", async () => {
  const { outline, ...rest } = await run("bare");
  const yaml = "key0: {a: number, list: number[2]}";
  expect(rest).toEqual({ paths: ["shown.yaml"], isWhole: true, yaml });
  expect(outline).toContain("io_failed");
  expect(outline).toContain(path.join(folder, "bare", "wasm"));
  await expect(run("outside", ["ignore"])).rejects.toThrow("Cannot find package 'ignore'");
});

it("reads code if that folder is there", async () => {
  const parser = path.join(home, "dist/wasm");
  fs.cpSync(parser, path.join(folder, "parsed", "wasm"), { recursive: true });
  expect(await run("parsed")).toMatchObject({ isWhole: true, outline: "const one = 1" });
});
