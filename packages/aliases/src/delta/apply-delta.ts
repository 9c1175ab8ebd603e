import { AliasesError } from "../aliases-error.ts";
import { orderedByAlias, snapshotId } from "./snapshot-id.ts";
import type { AliasChange, Delta, Snapshot, SnapshotEntry } from "./snapshot.ts";
import { applyTextPatch } from "./text-patch.ts";

/** Applies a delta to its base. Rejects with AliasesError delta_mismatch if the delta starts from another base */
export async function applyDelta(base: Snapshot, delta: Delta): Promise<Snapshot> {
  const baseId = snapshotId(base.entries);
  if (baseId !== delta.baseId) {
    throw new AliasesError(
      "delta_mismatch",
      `The delta belongs to ${delta.baseId}, not to ${baseId}; compute it anew.`,
    );
  }
  const entries = new Map(Object.entries(base.entries));
  for (const change of delta.changes) {
    if (change.type === "removed") entries.delete(change.alias);
    else if (change.type === "added") entries.set(change.alias, { ...change.entry });
    else entries.set(change.alias, await applyChange(entries.get(change.alias), change));
  }
  const applied = orderedByAlias(entries);
  const id = snapshotId(applied);
  if (id !== delta.nextId) {
    throw new AliasesError(
      "delta_mismatch",
      `The delta names ${delta.nextId}, but its changes make ${id}; compute it anew.`,
    );
  }
  return { id, entries: applied };
}

async function applyChange(
  before: SnapshotEntry | undefined,
  change: Extract<AliasChange, { type: "changed" }>,
): Promise<SnapshotEntry> {
  const { alias, path, sha256, patch } = change;
  if (patch === undefined)
    return change.text === undefined ? { path, sha256 } : { path, sha256, text: change.text };
  const text = before?.text === undefined ? undefined : await applyTextPatch(before.text, patch);
  if (text !== undefined) return { path, sha256, text };
  throw new AliasesError(
    "delta_mismatch",
    `The patch of ${alias} does not apply to the base's text; compute the delta anew.`,
  );
}
