// Packs every package as it would be published and uses the tarballs the way an adopter would.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { publint } from "publint";
import { formatMessage } from "publint/utils";

import { readWorkspace } from "./graph/workspace.mjs";
import { compileApp, installApp } from "./packages/consumer-app.mjs";
import { entryLimits } from "./packages/entry-limits.mjs";
import { pnpmCommand, runCommand } from "./packages/run-command.mjs";

const root = path.resolve(import.meta.dirname, "..");
const workspace = readWorkspace(root);
const { packages } = workspace;
const temporary = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "ccl packages "));
process.on("exit", () => fs.rmSync(temporary, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const app = path.join(temporary, "app");
const sample = path.join(temporary, "sample");
let tarballs;

await step("entries: size and platform", () => {
  const { problems, summary } = entryLimits(workspace);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return summary;
});
await step("pnpm pack", () => {
  tarballs = packTarballs();
  return Object.values(tarballs).map(
    (file) => `${path.basename(file)}: ${fs.statSync(file).size} bytes`,
  );
});
await step("publint --strict", async () => {
  const found = await Promise.all(packages.map(lintTarball));
  if (found.flat().length > 0) throw new Error(found.flat().join("\n"));
});
await step("attw --profile esm-only", checkTypes);
await step("npm install of the tarballs", () => {
  installApp(app, { tarballs, packages, nodeTypes: runningVersion("@types/node") });
});
let programs;
await step("tsc under module nodenext, skipLibCheck false", () => {
  programs = compileApp(app, {
    packages,
    compiler: path.join(root, "node_modules/typescript/bin/tsc"),
  });
});
await step("every entry imported and required, the READMEs' programs run", () => {
  fs.cpSync(path.join(root, "examples/quickstart-pack/sample"), sample, { recursive: true });
  return programs.flatMap(({ name, file }) => {
    const printed = runCommand([process.execPath, file], { cwd: sample }).trimEnd().split("\n");
    return name === "every-entry" ? printed : [`${name}: ${printed.length} lines printed`];
  });
});
await step("the installed ccl", () => {
  const ccl = [process.execPath, path.join(app, "node_modules/@ccl/cli/dist/ccl.js")];
  runCommand([...ccl, "--help"], { cwd: sample });
  const pack = runCommand([...ccl, "pack", "--show", "--budget", "2000"], { cwd: sample });
  if (!pack.includes("[INSTRUCTION]")) throw new Error(`ccl pack --show printed no pack:\n${pack}`);
});

async function step(name, action) {
  const startedAt = performance.now();
  try {
    const lines = (await action()) ?? [];
    console.log(`packages: ${name}: ok, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    for (const line of lines) console.log(`  ${line}`);
  } catch (error) {
    console.error(`packages: ${name}: FAILED\n${error.message}`);
    process.exit(1);
  }
}

function packTarballs() {
  const pnpm = pnpmCommand();
  return Object.fromEntries(
    packages.map((item) => {
      const folder = path.join(temporary, "tarballs", path.basename(item.directory));
      fs.mkdirSync(folder, { recursive: true });
      runCommand([...pnpm, "pack", "--pack-destination", folder], { cwd: item.directory });
      return [item.name, path.join(folder, fs.readdirSync(folder)[0])];
    }),
  );
}

async function lintTarball(item) {
  const { buffer } = new Uint8Array(fs.readFileSync(tarballs[item.name]));
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: buffer } });
  return messages.map(
    (message) => `${item.name}: ${formatMessage(message, pkg, { color: false })}`,
  );
}

function checkTypes() {
  const attw = path.join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
  const flags = [
    "--profile",
    "esm-only",
    "--no-definitely-typed",
    "--format",
    "ascii",
    "--no-emoji",
  ];
  const libraries = packages.filter((item) => item.entries.length > 0);
  for (const item of libraries)
    runCommand([process.execPath, attw, tarballs[item.name], ...flags], { cwd: temporary });
  const others = packages.filter((item) => item.entries.length === 0);
  return others.map((item) => `${item.name}: skipped, it has no entry to import`);
}

function runningVersion(name) {
  return JSON.parse(fs.readFileSync(path.join(root, "node_modules", name, "package.json"), "utf8"))
    .version;
}
