// Builds, then runs the tests at the length `test`, and the type tests. With --affected, turbo checks the packages that
// the branch can break, and caches the results. Other arguments go to vitest.
import { spawnSync } from "node:child_process";

process.env.CCL_TEST_LENGTH ??= "test";
const { isAtLeast, testLength } = await import("./lengths/test-length.mjs");
if (!isAtLeast("ci"))
  console.log(`tests of the length "${testLength}": files named x.ci.test.ts are left to .ci/run`);

const given = process.argv.slice(2);
const tasks = ["run", "types", "lint", "test", "--affected", "--concurrency=2"];
const steps = given.includes("--affected")
  ? [["scripts/run-turbo.mjs", ...tasks]]
  : [
      ["scripts/build.mjs"],
      // At longer lengths, another step checks all types.
      ...(!isAtLeast("ci") && given.length === 0
        ? [["node_modules/typescript/bin/tsc", "-p", "tsconfig.type-tests.json"]]
        : []),
      ["node_modules/vitest/vitest.mjs", "run", ...given],
    ];
for (const step of steps) {
  const { status } = spawnSync(process.execPath, step, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
