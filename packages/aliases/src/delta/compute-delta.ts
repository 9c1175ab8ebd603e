import { redactSecrets } from "@ccl/core";
import { throwIfAborted } from "@ccl/core/async";

import { AliasesError } from "../aliases-error.ts";
import { cleanLine } from "../card/card-lines.ts";
import { describeChange } from "./describe-change.ts";
import { findOrigins } from "./find-origins.ts";
import { snapshotId } from "./snapshot-id.ts";
import type { AliasChange, Delta, Snapshot, SnapshotEntry } from "./snapshot.ts";
import { createTextPatch, type PatchNames } from "./text-patch.ts";

/**
 * Compares two snapshots alias by alias. The result is the same whether or not texts were kept.
 * Pure. Asynchronous only because code is compared by its parsed outline.
 */
export async function computeDelta(
  base: Snapshot,
  next: Snapshot,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<Delta> {
  const before = new Map(Object.entries(base.entries));
  const after = new Map(Object.entries(next.entries));
  const origins = findOrigins(before, after);
  const renamed = new Set(origins.values());
  const changes: AliasChange[] = [];
  for (const alias of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    throwIfAborted(options.signal, AliasesError);
    if (renamed.has(alias)) continue;
    const was = origins.get(alias) ?? alias;
    const entries = { was, before: before.get(was), after: after.get(alias) };
    const change = await compare(alias, entries, options.signal);
    if (change !== undefined) changes.push(change);
  }
  return { baseId: snapshotId(base.entries), nextId: snapshotId(next.entries), changes };
}

async function compare(
  alias: string,
  entries: { was: string; before: SnapshotEntry | undefined; after: SnapshotEntry | undefined },
  signal: AbortSignal | undefined,
): Promise<AliasChange | undefined> {
  const { was, before, after } = entries;
  if (before === undefined) return after && { alias, type: "added", entry: { ...after } };
  if (after === undefined) return { alias, type: "removed", path: before.path };
  const { path, sha256, text } = after;
  const isRenamed = was !== alias;
  const isSame = before.sha256 === sha256;
  if (isSame && !isRenamed && before.path === path) return undefined;
  const changed = {
    alias,
    type: "changed",
    was: isRenamed ? was : undefined,
    path,
    sha256,
  } as const;
  const notes = isRenamed ? [describeRename(was, before, path)] : [];
  if (isSame && isRenamed) return { ...changed, patch: "", text, notes };
  const names = {
    before: `${was}@${before.sha256.slice(0, 8)}`,
    after: `${alias}@${sha256.slice(0, 8)}`,
  };
  const patch =
    before.text === undefined || text === undefined
      ? undefined
      : await createTextPatch(before.text, text, names);
  const maskedPatch =
    patch === undefined ? undefined : await createMaskedPatch({ before, after }, names);
  const place = isRenamed ? { ...before, path } : before;
  notes.push(
    ...(await describeChange({ alias, before: place, after, patch, maskedPatch }, signal)),
  );
  return { ...changed, patch, ...(maskedPatch === undefined ? { text } : { maskedPatch }), notes };
}

function describeRename(was: string, before: SnapshotEntry, path: string): string {
  const [name, from, to] = [was, before.path, path].map(cleanLine);
  return from === to ? `was ${name} (${to})` : `was ${name}, moved from ${from} to ${to}`;
}

/**
 * Creates a patch of the masked files. Masks them as a whole, because a hunk with only part of a
 * key does not look like a secret.
 */
async function createMaskedPatch(
  { before, after }: { before: SnapshotEntry; after: SnapshotEntry },
  names: PatchNames,
): Promise<string | undefined> {
  const [old = "", fresh = ""] = [before.text, after.text].map(
    (text) => redactSecrets(text ?? "").text,
  );
  return old === before.text && fresh === after.text
    ? undefined
    : ((await createTextPatch(old, fresh, names)) ?? "");
}
