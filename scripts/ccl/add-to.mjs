#!/usr/bin/env node
// npx -y pnpm@10 add-to <folder> <package...>: packs packages of this clone with our packages that they need, and
// installs them in the project in `folder` with its package manager. Third-party packages are installed too.
import path from "node:path";

import { buildWhenNeeded } from "../build/build-when-needed.mjs";
import { readWorkspace } from "../graph/workspace.mjs";
import { addPackages } from "../packages/add-packages.mjs";

const [folder, ...names] = process.argv.slice(2);
const root = path.resolve(import.meta.dirname, "../..");
try {
  if (folder === undefined || names.length === 0)
    throw new Error("Write a folder and packages: add-to ../my-app @ccl/core");
  buildWhenNeeded(root);
  // pnpm runs its commands in the clone; npx keeps the folder in which it was called.
  const project = path.resolve(process.env.INIT_CWD ?? ".", folder);
  if (project === root) throw new Error(`${folder} is this clone; give your project's whole path`);
  const { added, tarballs } = addPackages(readWorkspace(root), { folder: project, names });
  console.log(`Added ${added.join(", ")}; keep ${tarballs} with the project.`);
} catch (error) {
  console.error(`add-to: ${error.message}`);
  process.exitCode = 1;
}
