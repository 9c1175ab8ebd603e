// The longer checks: the same tests with more property runs and more kills, then the story whose process is killed, and the one across all packages.
// What stands behind the length goes to vitest: "pnpm test:nightly packages/sql" runs one folder, and no story.
import { spawnSync } from "node:child_process";
import path from "node:path";

const lengths = { faults: { runs: "2000", kills: "20" }, nightly: { runs: "10000", kills: "100" } };
const length = lengths[process.argv[2]];
if (length === undefined)
  throw new Error(
    `Unknown length ${process.argv[2]}; use one of: ${Object.keys(lengths).join(", ")}`,
  );
console.log(`property runs: ${length.runs}, kills a loop: ${length.kills}`);
const root = path.join(import.meta.dirname, "..");
const env = {
  ...process.env,
  CCL_PROPERTY_RUNS: length.runs,
  CCL_KILLS: length.kills,
  CCL_TEST_LENGTH: process.argv[2],
};
const folders = process.argv.slice(3);
withServices(
  "node_modules/vitest/vitest.mjs",
  "run",
  "--testTimeout=600000",
  "--hookTimeout=600000",
  ...folders,
);
if (folders.length === 0) {
  withServices("examples/story-chat/dist/main.js", "--kills", length.kills);
  withServices("examples/whole-system/src/main.mjs");
}

function withServices(program, ...options) {
  const services = path.join(import.meta.dirname, "services/with-services.mjs");
  const command = [services, process.execPath, path.join(root, program), ...options];
  const { status } = spawnSync(process.execPath, command, { stdio: "inherit", env });
  if (status !== 0) process.exit(status ?? 1);
}
