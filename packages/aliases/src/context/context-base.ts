import type { Issue } from "@ccl/core";
import { isRecord } from "@ccl/core/json";

import { AliasesError } from "../aliases-error.ts";
import { parseSnapshot, serializeSnapshot } from "../delta/snapshot-file.ts";
import type { Snapshot } from "../delta/snapshot.ts";
import type { PackVersion } from "../pack/pack.ts";

/** The last accepted state of a context, and the counters since then. */
export interface ContextBase {
  snapshot: Snapshot;
  version: PackVersion;
}

/** The text of `ctx/base.json`. */
export function renderContextBase({ snapshot, version }: ContextBase): string {
  const { accepted, deltas, repairs } = version;
  return `{"ver":${JSON.stringify({ A: accepted, B: deltas, C: repairs })},"snapshot":${serializeSnapshot(snapshot).trim()}}\n`;
}

/**
 * Parses `ctx/base.json`.
 * @throws AliasesError `context_corrupt`, with `file` in its message
 */
export function parseContextBase(text: string, file: string): ContextBase {
  const top = parseBase(text, file);
  const counters = isRecord(top) ? top["ver"] : undefined;
  if (!isRecord(top) || !isRecord(counters))
    throw corruptContext(file, 'it has no "ver" with A, B and C');
  const snapshot = parseSnapshot(JSON.stringify(top["snapshot"] ?? null));
  if (!snapshot.ok) throw corruptContext(file, describeIssues(snapshot.issues));
  const counter = (name: "A" | "B" | "C"): number => {
    const value = counters[name];
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    throw corruptContext(file, `its counter ${name} is not a whole number`);
  };
  return {
    snapshot: snapshot.value,
    version: { accepted: counter("A"), deltas: counter("B"), repairs: counter("C") },
  };
}

/** The error for a damaged context file. */
export function corruptContext(file: string, what: string, cause?: unknown): AliasesError {
  const message = `${file} is damaged: ${what.replace(/\.$/, "")}. Restore it, or delete it to begin anew.`;
  return new AliasesError("context_corrupt", message, { cause });
}

/** The messages of several issues as one line. */
function describeIssues(issues: readonly Issue[]): string {
  return issues.map((issue) => issue.message).join(" ");
}

function parseBase(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw corruptContext(file, "it is not JSON", error);
  }
}
