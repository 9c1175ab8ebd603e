import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Environment variable that all processes of a check inherit. */
export const CHECK_VARIABLE = "CCL_CHECK_RUN";

/** Limit on repeated searches. Processes can start during one. */
const MAX_ROUNDS = 20;

/**
 * Kills all processes in a group. On Linux, also kills processes that left the group, identified by the run's value of
 * a variable that every child inherits.
 */
export function endTree(processId: number, run: string): void {
  signalGroup(processId, "SIGKILL");
  if (process.platform !== "linux") return;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const left = processesOf(run);
    if (left.length === 0) return;
    for (const id of left) signal(id, "SIGKILL");
  }
}

/** Sends a signal to all processes in a group. */
export function signalGroup(processId: number, name: "SIGTERM" | "SIGKILL"): void {
  if (process.platform === "win32")
    spawnSync("taskkill", ["/pid", String(processId), "/T", "/F"], { stdio: "ignore" });
  else signal(-processId, name);
}

function signal(target: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(target, name);
  } catch {
    // The process has already exited.
  }
}

function processesOf(run: string): number[] {
  const wanted = `${CHECK_VARIABLE}=${run}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => environmentOf(name).split("\0").includes(wanted))
    .map(Number);
}

/** Returns "" if the process has exited or belongs to another user. */
function environmentOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/environ`, "latin1");
  } catch {
    return "";
  }
}
