import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** The variable that all processes of one check inherit. */
export const CHECK_VARIABLE = "CCL_CHECK_RUN";

/** A second round finds what a process started while the first one looked. */
const MAX_ROUNDS = 20;

/** Asks the processes of a group to end. */
export function askToEnd(processId: number): void {
  signalGroup(processId, "SIGTERM");
}

/**
 * Ends all processes of a group at once, and on Linux also those that left the group: they are known by the run's own
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

function signalGroup(processId: number, name: "SIGTERM" | "SIGKILL"): void {
  if (process.platform === "win32")
    spawnSync("taskkill", ["/pid", String(processId), "/T", "/F"], { stdio: "ignore" });
  else signal(-processId, name);
}

function signal(target: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(target, name);
  } catch {
    // It has ended already.
  }
}

function processesOf(run: string): number[] {
  const wanted = `${CHECK_VARIABLE}=${run}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => environmentOf(name).split("\0").includes(wanted))
    .map(Number);
}

/** Empty for a process that has ended or is another user's. */
function environmentOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/environ`, "latin1");
  } catch {
    return "";
  }
}
