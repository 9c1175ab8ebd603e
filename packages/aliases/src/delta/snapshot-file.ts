import { failure, success, type Issue, type Result } from "@ccl/core";
import { isRecord, parseJson } from "@ccl/core/json";

import { orderedByAlias, snapshotId } from "./snapshot-id.ts";
import type { Snapshot, SnapshotEntry } from "./snapshot.ts";

/** The content of `ctx/base.json`: JSON with its aliases in code unit order, and a final line feed. */
export function serializeSnapshot(snapshot: Snapshot): string {
  const { id, entries } = snapshot;
  return `${JSON.stringify({ id, entries: orderedByAlias(Object.entries(entries)) }, undefined, 2)}\n`;
}

/** Parses the output of `serializeSnapshot`. Issues: snapshot_not_json, snapshot_invalid, snapshot_id_mismatch. */
export function parseSnapshot(text: string): Result<Snapshot> {
  const value = parseJson(text);
  if (value === undefined)
    return failure({
      code: "snapshot_not_json",
      path: [],
      message: "The snapshot is not JSON; take a new one.",
    });
  const issues: Issue[] = [];
  const found = readEntries(value, issues);
  const [first, ...rest] = issues;
  if (first !== undefined) return failure(first, ...rest);
  const entries = orderedByAlias(found);
  const id = snapshotId(entries);
  const named = isRecord(value) ? value["id"] : undefined;
  if (named === id) return success({ id, entries });
  const message = `The snapshot says that it is ${JSON.stringify(named)?.slice(0, 40)}, but its entries make ${id}; take a new one.`;
  return failure({ code: "snapshot_id_mismatch", path: ["id"], message });
}

function readEntries(value: unknown, issues: Issue[]): [string, SnapshotEntry][] {
  const entries = isRecord(value) ? value["entries"] : undefined;
  if (!isRecord(entries)) {
    issues.push({
      code: "snapshot_invalid",
      path: ["entries"],
      message: "The snapshot has no object of entries; take a new one.",
    });
    return [];
  }
  return Object.entries(entries).flatMap(([alias, entry]): [string, SnapshotEntry][] => {
    const read = readEntry(entry);
    if (read !== undefined) return [[alias, read]];
    const message = `The entry of ${JSON.stringify(alias)} needs a path, a SHA-256 in hex, and at most a text beside them.`;
    issues.push({ code: "snapshot_invalid", path: ["entries", alias], message });
    return [];
  });
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
