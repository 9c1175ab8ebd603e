// Runs the tests of the package in the working directory; started by turbo, which checks its types beside them.
import { spawnSync } from "node:child_process";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
const folder = path.relative(root, process.cwd()).replaceAll(path.sep, "/");
const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", `${folder}/src/`, "--passWithNoTests"],
  { cwd: root, stdio: "inherit" },
);
process.exit(status ?? 1);
