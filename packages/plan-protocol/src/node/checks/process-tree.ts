import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** An environment variable that all processes of one check inherit. */
export const CHECK_VARIABLE = "CCL_CHECK_RUN";

/** Repeats the search, since a process may start another during it. */
const MAX_ROUNDS = 20;

/**
 * Kills all processes of a group. On Linux it also kills those that left the group. It recognizes them by the run's
 * value of a variable that every child inherits.
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

/** Sends a signal to all processes of a group. */
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

/** Empty if the process has exited or belongs to another user. */
function environmentOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/environ`, "latin1");
  } catch {
    return "";
  }
}
