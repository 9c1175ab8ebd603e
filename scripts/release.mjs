// node scripts/release.mjs --dry-run [--only NAME ...] [--sbom FOLDER]: everything of a release except publishing, on
// what is committed. It makes versions and changelogs in a clone and packs every package there. It installs each
// package in its own folder by the first lines of its README, and runs the README's first program as printed, in each
// runtime from npm. It copies each example to its own folder, installs it from the tarballs, and runs it without a
// model on each Node. Without --dry-run: publishes what `changeset version` has prepared. It refuses while the scope on
// npm is not yours.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

import { readWorkspace } from "./graph/workspace.mjs";
import { packTarballs } from "./packages/pack-tarballs.mjs";
import { pnpmCommand, runCommand } from "./packages/run-command.mjs";
import { exampleTrial } from "./release/example-trial.mjs";
import { installRuntimes } from "./release/install-runtimes.mjs";
import { readmeTrial } from "./release/readme-trial.mjs";
import { requireOwnScope } from "./release/require-own-scope.mjs";

const { values } = parseArgs({
  options: {
    "dry-run": { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    sbom: { type: "string" },
  },
});
const root = path.resolve(import.meta.dirname, "..");

if (!values["dry-run"]) {
  requireOwnScope("ccl");
  const publish = [...pnpmCommand(), "exec", "changeset", "publish"];
  console.log(
    runCommand(publish, { cwd: root, env: { ...process.env, NPM_CONFIG_PROVENANCE: "true" } }),
  );
  process.exit(0);
}

const temporary = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "ccl-release-"));
process.on("exit", () => fs.rmSync(temporary, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const clone = path.join(temporary, "clone");
runCommand(["git", "clone", "--quiet", root, clone]);
const inClone = (...command) => runCommand([...pnpmCommand(), ...command], { cwd: clone });
inClone("install", "--frozen-lockfile", "--prefer-offline");
inClone("run", "version");
inClone("run", "build");
const { packages } = readWorkspace(clone);
const tarballs = packTarballs({ root: clone, packages }, path.join(temporary, "tarballs"));
const versions = new Set(packages.map(({ manifest }) => manifest.version));
console.log(`release: ${packages.length} packages at ${[...versions].join(", ")}`);
for (const { name, directory } of packages)
  if (!fs.existsSync(path.join(directory, "CHANGELOG.md")))
    throw new Error(`${name} has no changelog`);

const runtimes = installRuntimes();
for (const { name, reason } of runtimes.filter(({ reason }) => reason !== undefined))
  console.log(`release: ${name}: skipped, ${reason}`);
const usable = runtimes.filter(({ reason }) => reason === undefined);
console.log(`release: ${["package", ...usable.map(({ name }) => name)].join(" | ")}`);
let failures = 0;
for (const item of packages) {
  const short = path.basename(item.directory);
  if (!isWanted(short)) continue;
  const trial = readmeTrial(item, { tarballs, directory: path.join(temporary, short) });
  const sample = path.join(clone, "examples/quickstart-pack/sample");
  report(
    item.name,
    usable.map((runtime) => trial.run(runtime, sample)),
  );
  if (values.sbom !== undefined) {
    fs.mkdirSync(values.sbom, { recursive: true });
    fs.writeFileSync(path.join(values.sbom, `${short}.cdx.json`), trial.billOfMaterials());
  }
}
const nodes = usable.filter(({ name }) => name.startsWith("Node"));
console.log(`release: ${["example", ...nodes.map(({ name }) => name)].join(" | ")}`);
for (const name of fs.readdirSync(path.join(clone, "examples")).filter(isWanted)) {
  const directory = path.join(temporary, "examples", name);
  const trial = exampleTrial(path.join(clone, "examples", name), { tarballs, directory });
  report(
    `examples/${name}`,
    nodes.map((node) => trial.run(node)),
  );
}
console.log(failures === 0 ? "release: ready" : `release: ${failures} runs failed`);
process.exit(failures === 0 ? 0 : 1);

function isWanted(name) {
  return values.only.length === 0 || values.only.includes(name);
}

function report(name, results) {
  failures += results.filter((result) => result !== undefined).length;
  const cells = results.map((result) => (result === undefined ? "ok" : "FAILED"));
  console.log(`release: ${[name, ...cells].join(" | ")}`);
  const failure = results.find((result) => result !== undefined);
  if (failure !== undefined) console.log(failure.split("\n").slice(0, 12).join("\n"));
}
