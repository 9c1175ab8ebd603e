import { isRecord } from "@ccl/core/json";

import { AliasesError } from "../aliases-error.ts";
import { orderedByAlias, snapshotId } from "../delta/snapshot-id.ts";
import type { Snapshot, SnapshotEntry } from "../delta/snapshot.ts";
import type { PackVersion } from "../pack/pack.ts";

/** The last accepted state of a context, and the counters since then. */
export interface ContextBase {
  snapshot: Snapshot;
  version: PackVersion;
}

/** Renders `ctx/base.json`, with its aliases in code unit order. */
export function renderContextBase({ snapshot, version }: ContextBase): string {
  const { accepted, deltas, repairs } = version;
  const entries = orderedByAlias(Object.entries(snapshot.entries));
  const renderedSnapshot = JSON.stringify({ id: snapshot.id, entries }, undefined, 2);
  return `{"ver":${JSON.stringify({ A: accepted, B: deltas, C: repairs })},"snapshot":${renderedSnapshot}}\n`;
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
  const snapshot = readSnapshot(top["snapshot"], file);
  const counter = (name: "A" | "B" | "C"): number => {
    const value = counters[name];
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    throw corruptContext(file, `its counter ${name} is not a whole number`);
  };
  return {
    snapshot,
    version: { accepted: counter("A"), deltas: counter("B"), repairs: counter("C") },
  };
}

/** Creates the error for a damaged context file. */
export function corruptContext(file: string, what: string, cause?: unknown): AliasesError {
  const message = `${file} is damaged: ${what.replace(/\.$/, "")}. Restore it, or delete it to begin anew.`;
  return new AliasesError("context_corrupt", message, { cause });
}

function readSnapshot(value: unknown, file: string): Snapshot {
  if (!isRecord(value) || !isRecord(value["entries"]))
    throw corruptContext(file, "The snapshot has no object of entries; take a new one.");
  const damaged: string[] = [];
  const found = Object.entries(value["entries"]).flatMap(
    ([alias, entry]): [string, SnapshotEntry][] => {
      const read = readEntry(entry);
      if (read !== undefined) return [[alias, read]];
      damaged.push(
        `The entry of ${JSON.stringify(alias)} needs a path, a SHA-256 in hex, and at most a text beside them.`,
      );
      return [];
    },
  );
  if (damaged.length > 0) throw corruptContext(file, damaged.join(" "));
  const entries = orderedByAlias(found);
  const id = snapshotId(entries);
  if (value["id"] === id) return { id, entries };
  const named = JSON.stringify(value["id"])?.slice(0, 40);
  const message = `The snapshot says that it is ${named}, but its entries make ${id}; take a new one.`;
  throw corruptContext(file, message);
}

function readEntry(entry: unknown): SnapshotEntry | undefined {
  if (!isRecord(entry)) return undefined;
  const { path, sha256, text } = entry;
  if (
    typeof path !== "string" ||
    path === "" ||
    typeof sha256 !== "string" ||
    !/^[0-9a-f]{64}$/.test(sha256)
  )
    return undefined;
  if (text === undefined) return { path, sha256 };
  return typeof text === "string" ? { path, sha256, text } : undefined;
}

function parseBase(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw corruptContext(file, "it is not JSON", error);
  }
}
