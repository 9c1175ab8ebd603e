// The longer checks: the same tests at a length, then the story whose process is killed, and the one across all packages.
// What stands behind the length goes to vitest: "pnpm test:nightly packages/sql" runs one folder, and no story.
import { spawnSync } from "node:child_process";
import path from "node:path";

const [length, ...folders] = process.argv.slice(2);
process.env.CCL_TEST_LENGTH = length;
const { kills, propertyRuns } = await import("./lengths/test-length.mjs");
console.log(`property runs: ${propertyRuns}, kills a loop: ${kills}`);
const root = path.join(import.meta.dirname, "..");
withServices(
  "node_modules/vitest/vitest.mjs",
  "run",
  "--testTimeout=600000",
  "--hookTimeout=600000",
  ...folders,
);
if (folders.length === 0) {
  withServices("examples/story-chat/dist/main.js", "--kills", String(kills));
  withServices("examples/whole-system/src/main.mjs");
}

function withServices(program, ...options) {
  const services = path.join(import.meta.dirname, "services/with-services.mjs");
  const command = [services, process.execPath, path.join(root, program), ...options];
  const { status } = spawnSync(process.execPath, command, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
