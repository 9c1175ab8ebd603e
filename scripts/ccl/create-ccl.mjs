#!/usr/bin/env node
// npx -y pnpm@10 create-ccl <template> [folder]: what `npm create ccl` does, with the packages of this clone as tarballs.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { buildWhenNeeded } from "../build/build-when-needed.mjs";
import { readWorkspace } from "../graph/workspace.mjs";
import { addPackages } from "../packages/add-packages.mjs";

const root = path.resolve(import.meta.dirname, "../..");
const cwd = process.env.INIT_CWD ?? process.cwd();
const [template, folder = template] = process.argv.slice(2);
try {
  buildWhenNeeded(root);
  const program = path.join(root, "packages/create-ccl/dist/create-ccl.js");
  const { status, stdout } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const project = path.resolve(cwd, folder ?? ".");
  if (status === 0 && folder !== undefined && fs.existsSync(project)) {
    const { dependencies } = JSON.parse(
      fs.readFileSync(path.join(project, "package.json"), "utf8"),
    );
    const names = Object.keys(dependencies).filter((name) => name.startsWith("@ccl/"));
    addPackages(readWorkspace(root), { folder: project, names });
  }
  process.stdout.write(stdout);
  process.exitCode = status ?? 1;
} catch (error) {
  console.error(`create-ccl: ${error.message}`);
  process.exitCode = 1;
}
