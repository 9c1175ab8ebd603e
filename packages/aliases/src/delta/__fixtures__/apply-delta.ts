import { orderedByAlias, snapshotId } from "../snapshot-id.ts";
import type { AliasChange, Delta, Snapshot, SnapshotEntry } from "../snapshot.ts";
import { applyTextPatch } from "../text-patch.ts";

/** Applies a delta to its base, using only what the delta contains. */
export async function applyDelta(base: Snapshot, { changes }: Delta): Promise<Snapshot> {
  const entries = new Map(Object.entries(base.entries));
  for (const change of changes) {
    if (change.type === "removed") entries.delete(change.alias);
    else if (change.type === "added") entries.set(change.alias, change.entry);
    else {
      const before = entries.get(change.was ?? change.alias);
      if (change.was !== undefined) entries.delete(change.was);
      entries.set(change.alias, await changedEntry(before, change));
    }
  }
  const applied = orderedByAlias(entries);
  return { id: snapshotId(applied), entries: applied };
}

async function changedEntry(
  before: SnapshotEntry | undefined,
  { path, sha256, patch, text }: Extract<AliasChange, { type: "changed" }>,
): Promise<SnapshotEntry> {
  const own = patch ? await applyTextPatch(before?.text ?? "", patch) : text;
  return own === undefined ? { path, sha256 } : { path, sha256, text: own };
}
