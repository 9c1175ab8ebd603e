// Builds the packages if a source is newer than what was built from it. Prints nothing unless the build fails.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { readWorkspace } from "../graph/workspace.mjs";

/** Throws the build's output if the build fails. */
export function buildWhenNeeded(root) {
  const { packages } = readWorkspace(root);
  if (isBuilt(root, packages)) return;
  if (process.stderr.isTTY) console.error("Builds the packages first, once for these sources.");
  const command = [path.join(root, "scripts/build.mjs"), ...packages.map((item) => item.directory)];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
  if (status !== 0) throw new Error(`The build failed:\n${stdout}${stderr}`);
}

/** True if every entry and command is newer than every source of every package. */
function isBuilt(root, packages) {
  const built = packages.flatMap(({ directory, entries, bins }) => [
    ...entries.map((entry) => entry.built),
    ...bins.map((bin) => path.join(directory, bin)),
  ]);
  if (!built.every((file) => fs.existsSync(file))) return false;
  const sources = [
    path.join(root, "scripts/build.mjs"),
    ...packages.flatMap(({ directory }) => [
      path.join(directory, "package.json"),
      ...["src", "page", "variants"].flatMap((name) => filesIn(path.join(directory, name))),
    ]),
  ];
  const times = (files) => files.map((file) => fs.statSync(file).mtimeMs);
  return Math.max(...times(sources)) < Math.min(...times(built));
}

function filesIn(folder) {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test(-d)?\.ts$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
}
