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

/** What tells one process from another. */
export interface ProcessFacts {
  machine: string;
  /** Another one after each start of the machine; `""` where the system does not tell. */
  boot: string;
  /** In which a process id means the same process; `""` where the system does not tell. */
  space: string;
  pid: number;
  /** When a process began, so that a later one with its number is not taken for it; undefined where nobody tells. */
  startOf(pid: number): string | undefined;
  /** False where there is no process of that number. */
  exists(pid: number): boolean;
}

/** The owner that this process is; each call gives another. */
export function createOwner(facts: ProcessFacts = ownFacts()): Owner {
  const machine = shortHash(facts.machine);
  const boot = shortHash(facts.boot);
  const space = shortHash(facts.space);
  const start = facts.startOf(facts.pid) ?? "unknown";
  const token = [machine, boot, space, facts.pid, start, randomBytes(8).toString("hex")].join("-");
  return {
    token,
    stateOf(other) {
      const [itsMachine, itsBoot, itsSpace, pid = "", itsStart = ""] = other.split("-");
      if (itsMachine !== machine) return "unknown";
      // A boot ends all processes, whatever their numbers are used for since.
      if (itsBoot !== boot) return "dead";
      if (itsSpace !== space) return "unknown";
      if (!facts.exists(Number(pid))) return "dead";
      const startNow = facts.startOf(Number(pid));
      const isSame = startNow === undefined || itsStart === "unknown" || startNow === itsStart;
      return isSame ? "alive" : "dead";
    },
  };
}

function ownFacts(): ProcessFacts {
  return {
    machine: hostname(),
    boot: readText("/proc/sys/kernel/random/boot_id"),
    space: processSpace(),
    pid: process.pid,
    startOf: startTimeOf,
    exists: processExists,
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

function processSpace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function startTimeOf(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The second field is the program's name in brackets, which may hold spaces; the 22nd is the start.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // A zombie has ended, though its number is still taken.
  return fields[0] === "Z" ? "ended" : fields[19];
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One that is another user's can't be asked, but is there.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
