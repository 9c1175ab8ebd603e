import { refuse } from "../operations-error.ts";
import type { EngineLimits } from "./engine-options.ts";

// Smaller values would cause polling or renewal in a busy loop.
const positive: ReadonlySet<string> = new Set(["leaseMs", "pollMs", "storeTimeoutMs"]);

/** Rejects limits that are not numbers or are too small. @throws OperationsError `invalid_options` */
export function checkLimits({ prompt, ...limits }: EngineLimits): void {
  for (const [name, value] of Object.entries(limits))
    check(name, value, positive.has(name) ? 1 : 0);
  if (prompt === undefined) return;
  check("prompt.budget", prompt.budget, 0);
  if (typeof prompt.counter?.count !== "function") refuse("prompt.counter is not a token counter.");
}

function check(name: string, value: unknown, min: number): void {
  if (value === undefined && name !== "prompt.budget") return;
  if (typeof value === "number" && value >= min) return;
  refuse(`The limit ${name} is ${String(value)}; it must be a number of at least ${min}.`);
}
