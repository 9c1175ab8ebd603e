// The longer checks: the same tests with more property runs and more kills, then the soak tests of their own.
// What stands behind the length goes to vitest: "pnpm test:nightly packages/sql" runs one folder.
import { spawnSync } from "node:child_process";
import path from "node:path";

const lengths = { faults: { runs: "2000", kills: "20" }, nightly: { runs: "10000", kills: "100" } };
const length = lengths[process.argv[2]];
if (length === undefined)
  throw new Error(`Unknown length ${process.argv[2]}; use one of: ${Object.keys(lengths).join(", ")}`);
console.log(`property runs: ${length.runs}, kills a loop: ${length.kills}`);
const services = path.join(import.meta.dirname, "services/with-services.mjs");
const vitest = [process.execPath, path.join(import.meta.dirname, "../node_modules/vitest/vitest.mjs"), "run"];
const options = ["--testTimeout=600000", "--hookTimeout=600000", ...process.argv.slice(3)];
const result = spawnSync(process.execPath, [services, ...vitest, ...options], {
  stdio: "inherit",
  env: { ...process.env, CCL_PROPERTY_RUNS: length.runs, CCL_KILLS: length.kills, CCL_TEST_LENGTH: process.argv[2] },
});
process.exit(result.status ?? 1);
