// The longer checks: the same tests with more property runs and more kills, then the soak tests of their own.
import { spawnSync } from "node:child_process";
import path from "node:path";

const lengths = { faults: { runs: "2000", kills: "20" }, nightly: { runs: "10000", kills: "100" } };
const length = lengths[process.argv[2]];
if (length === undefined)
  throw new Error(`Unknown length ${process.argv[2]}; use one of: ${Object.keys(lengths).join(", ")}`);
console.log(`property runs: ${length.runs}, kills a loop: ${length.kills}`);
const services = path.join(import.meta.dirname, "services/with-services.mjs");
const vitest = ["vitest", "run", "--testTimeout=600000", "--hookTimeout=600000"];
const result = spawnSync(process.execPath, [services, ...vitest], {
  stdio: "inherit",
  env: { ...process.env, CCL_PROPERTY_RUNS: length.runs, CCL_KILLS: length.kills, CCL_TEST_LENGTH: process.argv[2] },
});
process.exit(result.status ?? 1);
