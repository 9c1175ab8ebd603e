import { readFileSync } from "node:fs";
import { uptime } from "node:os";

const GRAIN_MS = 10_000;

/** Another text after each start of the machine: what was written before it, and not synced, may be lost or torn. */
export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // A clock that is set gives another text too, which costs a check and nothing else.
    return String(Math.round((Date.now() - uptime() * 1000) / GRAIN_MS));
  }
}
