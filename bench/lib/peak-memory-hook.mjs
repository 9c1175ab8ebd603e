// Loaded into every measured Node process. Writes its peak memory in kB into a separate file when the process ends.
import fs from "node:fs";
import path from "node:path";
import { isMainThread } from "node:worker_threads";

const folder = process.env.CCL_BENCH_PEAKS;
if (isMainThread && folder !== undefined) {
  process.on("exit", () =>
    fs.writeFileSync(path.join(folder, String(process.pid)), String(peakKb())),
  );
}

// On Linux, ru_maxrss starts from the parent's memory, while VmHWM does not.
function peakKb() {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS;
  return Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync("/proc/self/status", "utf8"))?.[1]);
}
