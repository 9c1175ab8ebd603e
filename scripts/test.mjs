// Builds and runs the tests; with --affected, turbo checks the packages that the branch can break, and keeps the results.
import { spawnSync } from "node:child_process";

const given = process.argv.slice(2);
const affected = given.includes("--affected");
const tasks = ["run", "types", "lint", "test", "--affected", "--concurrency=2"];
const steps = affected
  ? [["scripts/run-turbo.mjs", ...tasks]]
  : [["scripts/build.mjs"], ["node_modules/vitest/vitest.mjs", "run", ...given]];
for (const step of steps) {
  const { status } = spawnSync(process.execPath, step, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
