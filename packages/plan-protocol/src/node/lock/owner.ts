import { randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

import { sha256Hex } from "@ccl/core";

/** Whether the one who holds a lock is still at work. */
export interface Owner {
  /** Names this owner; of `[0-9a-z-]`. */
  readonly token: string;
  /** `unknown` of a process on another machine or in another container. */
  stateOf(token: string): "alive" | "dead" | "unknown";
}

/** The owner that this process is; each call gives another. */
export function createOwner(): Owner {
  const machine = shortHash(hostname());
  const boot = shortHash(readText("/proc/sys/kernel/random/boot_id"));
  const space = shortHash(processSpace());
  const start = startTimeOf(process.pid) ?? "unknown";
  const token = [machine, boot, space, process.pid, start, randomBytes(8).toString("hex")].join("-");
  return {
    token,
    stateOf(other) {
      const [itsMachine, itsBoot, itsSpace, pid = "", itsStart = ""] = other.split("-");
      if (itsMachine !== machine) return "unknown";
      // A boot ends all processes, whatever their numbers are used for since.
      if (itsBoot !== boot) return "dead";
      if (itsSpace !== space) return "unknown";
      return isRunning(Number(pid), itsStart) ? "alive" : "dead";
    },
  };
}

function shortHash(text: string): string {
  return sha256Hex(text).slice(0, 12);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** In which a process id means the same process. */
function processSpace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/** When a process began, so that a later one with its number is not taken for it; undefined where the system does not tell. */
function startTimeOf(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The second field is the program's name in brackets, which may hold spaces; the 22nd is the start.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // A zombie has ended, though its number is still taken.
  return fields[0] === "Z" ? "ended" : fields[19];
}

function isRunning(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
  }
  const itsStart = startTimeOf(pid);
  return itsStart === undefined || start === "unknown" || itsStart === start;
}
