import { randomHex } from "@ccl/core/hash";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { sha256Hex } from "@ccl/core";

/** Names the files that one opened store leaves for the moment, and tells whether those of others are still in use. */
export interface Owner {
  /** Another name on every call, of `[0-9a-z-]`. */
  nextToken(): string;
  /**
   * False when the one who made it can't be at work any more: its process has ended, or, where that can't be told because
   * it ran on another machine or in another container, the file has not changed for a day.
   */
  isAlive(token: string, ageMs: number): boolean;
}

const abandonedAfterMs = 24 * 60 * 60 * 1000;

/** The owner that this process is; each call gives another. */
export function createOwner(): Owner {
  const place = sha256Hex(placeName()).slice(0, 8);
  const prefix = `${place}-${process.pid.toString(36)}-${startTime(process.pid)}-${randomHex(5)}`;
  let count = 0;
  return {
    nextToken() {
      count += 1;
      return `${prefix}-${count.toString(36)}`;
    },
    isAlive(token, ageMs) {
      const [itsPlace, pid = "", start = ""] = token.split("-");
      if (itsPlace !== place) return ageMs < abandonedAfterMs;
      return isRunning(Number.parseInt(pid, 36), start);
    },
  };
}

/** Where a process id means the same process: this boot of this machine, and this container. */
function placeName(): string {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1")}${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** When a process began, so that another one with its number is not taken for it; `0` where the system does not tell. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in brackets, which may hold spaces; the 22nd is the start.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "0";
  } catch {
    return "0";
  }
}

function isRunning(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
  }
  const itsStart = startTime(pid);
  return itsStart === start || itsStart === "0" || start === "0";
}
