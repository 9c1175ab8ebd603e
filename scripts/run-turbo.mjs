// Runs turbo without its telemetry and update check, so that the project makes no unexpected network calls.
import { spawnSync } from "node:child_process";

const result = spawnSync(
  "turbo",
  [...process.argv.slice(2), "--output-logs=errors-only", "--no-update-notifier"],
  {
    stdio: "inherit",
    shell: process.platform === "win32",
    env: { ...process.env, DO_NOT_TRACK: "1", TURBO_TELEMETRY_DISABLED: "1" },
  },
);
process.exit(result.status ?? 1);
