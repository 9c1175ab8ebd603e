import { randomHex } from "@ccl/core/hash";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { sha256Hex } from "@ccl/core";

/** Names the temporary files of one opened store, and tells whether those of other stores are still in use. */
export interface Owner {
  /** A new name on every call, of `[0-9a-z-]`. */
  nextToken(): string;
  /**
   * False if the maker of the token can no longer be working: its process has ended, or the file has not changed for a
   * day and its process cannot be checked because it ran on another machine or in another container.
   */
  isAlive(token: string, ageMs: number): boolean;
}

const abandonedAfterMs = 24 * 60 * 60 * 1000;

/** A new owner for each call, all of this process. */
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

/** Identifies where a process id means the same process: this boot of this machine, and this container. */
function placeName(): string {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1")}${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/**
 * When a process started, so that a later process with its number is not mistaken for it. `0` if the system does not
 * tell.
 */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in brackets, which may contain spaces. The 22nd is the start time.
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
