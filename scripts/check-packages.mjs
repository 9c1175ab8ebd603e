// Packs every package as for publishing and uses the tarballs as a user would.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { publint } from "publint";
import { formatMessage } from "publint/utils";

import { runPage } from "./docs/run-page.mjs";
import { readWorkspace } from "./graph/workspace.mjs";
import { compileApp, firstProgram, installAlone, installApp } from "./packages/consumer-app.mjs";
import { entryLimits } from "./packages/entry-limits.mjs";
import { packTarballs } from "./packages/pack-tarballs.mjs";
import { runCommand, startCommand } from "./packages/run-command.mjs";

const root = path.resolve(import.meta.dirname, "..");
const workspace = readWorkspace(root);
const { packages } = workspace;
const temporary = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "ccl packages "));
process.on("exit", () => fs.rmSync(temporary, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

// `.ci/run` runs the programs on another version of Node than its tests. Both import every entry.
const { CCL_SECOND_NODE: secondNode = process.execPath } = process.env;
// What a user downloads, in bytes on disk; ADR 0026.
const maxInstalledBytes = { "@ccl/context-compiler": 13_500_000, "@ccl/cli": 45_000_000 };

const app = path.join(temporary, "app");
const sample = path.join(temporary, "sample");
const tutorials = pagesOf("tutorials");
const guides = pagesOf("guides");
// Pages that write files and run them.
const walkthroughs = [...tutorials, ...guides.filter(({ text }) => text.includes("\n```js ["))];
const front = { name: "readme", text: fs.readFileSync(path.join(root, "README.md"), "utf8") };
const pages = [front, ...tutorials, ...guides, ...pagesOf("explain"), ...pagesOf("reference")];
let tarballs;

await step("entries: size and platform", () => {
  const { problems, summary } = entryLimits(workspace);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return summary;
});
await step("pnpm pack", () => {
  tarballs = packTarballs(workspace, path.join(temporary, "tarballs"));
  const sizes = Object.values(tarballs).map((file) => fs.statSync(file).size);
  return [`${sizes.length} tarballs, ${sizes.reduce((sum, size) => sum + size, 0)} bytes`];
});
await step("publint --strict", async () => {
  const found = await Promise.all(packages.map(lintTarball));
  if (found.flat().length > 0) throw new Error(found.flat().join("\n"));
});
await step("attw --profile esm-only", checkTypes);
await step("npm install of one package alone", () =>
  Object.entries(maxInstalledBytes).map(([name, max]) => {
    const bytes = installAlone(path.join(temporary, "alone", path.basename(name)), name, tarballs);
    if (bytes > max) throw new Error(`${name} installs ${bytes} bytes; at most ${max}`);
    return `${name} installs ${bytes} of ${max} bytes`;
  }),
);
await step("add-to, in a project that npm init made", () => {
  const cwd = path.join(temporary, "project");
  const env = { ...process.env, INIT_CWD: undefined };
  fs.mkdirSync(cwd);
  runCommand(["npm", "init", "-y"], { cwd });
  const pnpm = ["npx", "-y", "pnpm@10", `--dir=${root}`];
  runCommand([...pnpm, "add-to", ".", "@ccl/compress"], { cwd, env });
  const readme = fs.readFileSync(path.join(root, "packages/compress/README.md"), "utf8");
  fs.writeFileSync(path.join(cwd, "first.mjs"), firstProgram(readme, "@ccl/compress"));
  runCommand([process.execPath, "first.mjs"], { cwd });
});
await step("npm install of the tarballs", () => {
  installApp(app, {
    tarballs,
    packages,
    pages: pages.map(({ text }) => text),
    nodeTypes: runningVersion("@types/node"),
  });
});
let programs;
await step("tsc under module nodenext, skipLibCheck false", () => {
  programs = compileApp(app, {
    packages,
    pages,
    compiler: path.join(root, "node_modules/typescript/bin/tsc"),
  });
});
await step("every entry imported and required, the READMEs' programs run", () => {
  fs.cpSync(path.join(root, "examples/quickstart-pack/sample"), sample, { recursive: true });
  const entries = programs.files.filter(({ name }) => name.startsWith("every-entry"));
  for (const { file } of entries) runCommand([process.execPath, file], { cwd: sample });
  for (const { file } of programs.files) runCommand([secondNode, file], { cwd: sample });
  const version = runCommand([secondNode, "--version"]).trim();
  return [
    `${programs.files.length} programs ran on Node ${version}; ${programs.shown} are shown and type-checked`,
  ];
});
await step("the installed ccl", () => {
  const ccl = [process.execPath, path.join(app, "node_modules/@ccl/cli/dist/ccl.js")];
  runCommand([...ccl, "--help"], { cwd: sample });
  const pack = runCommand([...ccl, "pack", "--show", "--budget", "2000"], { cwd: sample });
  if (!pack.includes("[INSTRUCTION]")) throw new Error(`ccl pack --show printed no pack:\n${pack}`);
});

await step("the tutorials and the chat server, each in a folder of its own", async () => {
  const lines = [];
  for (const { name, text } of walkthroughs) {
    const directory = path.join(temporary, "tutorials", name);
    fs.cpSync(sample, directory, { recursive: true });
    fs.symlinkSync(path.join(app, "node_modules"), path.join(directory, "node_modules"));
    lines.push(`${name}: ${await runPage(text, { directory })} blocks of commands ran`);
  }
  return lines;
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

function pagesOf(name) {
  const folder = path.join(root, "docs", name);
  return fs
    .readdirSync(folder)
    .filter((file) => file.endsWith(".md") && file !== "index.md")
    .map((file) => ({
      name: path.basename(file, ".md"),
      text: fs.readFileSync(path.join(folder, file), "utf8"),
    }));
}

async function lintTarball(item) {
  const { buffer } = new Uint8Array(fs.readFileSync(tarballs[item.name]));
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: buffer } });
  return messages.map(
    (message) => `${item.name}: ${formatMessage(message, pkg, { color: false })}`,
  );
}

async function checkTypes() {
  const attw = path.join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
  const flags = [
    "--profile",
    "esm-only",
    "--no-definitely-typed",
    "--format",
    "ascii",
    "--no-emoji",
  ];
  const queue = packages.filter((item) => item.entries.length > 0);
  const work = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift())
      await startCommand([process.execPath, attw, tarballs[item.name], ...flags], temporary);
  };
  await Promise.all(Array.from({ length: os.availableParallelism() }, work));
}

function runningVersion(name) {
  return JSON.parse(fs.readFileSync(path.join(root, "node_modules", name, "package.json"), "utf8"))
    .version;
}
