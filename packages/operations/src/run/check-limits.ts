import { refuse } from "../operations-error.ts";
import type { EngineLimits } from "./engine-options.ts";

// Smaller values would let truncation, polling or renewal repeat forever.
const minimums: ReadonlyMap<string, number> = new Map([
  ["maxDeltaChars", 2],
  ["leaseMs", 1],
  ["renewMs", 1],
  ["pollMs", 1],
  ["storeTimeoutMs", 1],
]);

/** Refuses limits that are not numbers or are too small. @throws OperationsError `invalid_options` */
export function checkLimits({ concurrency = {}, prompt, ...limits }: EngineLimits): void {
  const { byKind = {}, byProvider = {}, ...ofAll } = concurrency;
  for (const [name, value] of Object.entries(limits)) check(name, value, minimums.get(name) ?? 0);
  for (const [name, value] of Object.entries({ ...ofAll, ...byKind, ...byProvider })) {
    check(`concurrency of ${name}`, value, -Infinity);
  }
  if (prompt === undefined) return;
  check("prompt.budget", prompt.budget, 0);
  if (typeof prompt.counter?.count !== "function") refuse("prompt.counter is no token counter.");
}

function check(name: string, value: unknown, min: number): void {
  if (value === undefined && name !== "prompt.budget") return;
  if (typeof value === "number" && value >= min) return;
  refuse(
    `The limit ${name} is ${String(value)}; it must be a number${min === -Infinity ? "" : ` of at least ${min}`}.`,
  );
}
