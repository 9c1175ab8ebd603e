import { redactSecrets } from "@ccl/core";

import { AliasesError } from "../aliases-error.ts";
import { describeChange } from "./describe-change.ts";
import { snapshotId } from "./snapshot-id.ts";
import type { AliasChange, Delta, Snapshot, SnapshotEntry } from "./snapshot.ts";
import { createTextPatch, type PatchNames } from "./text-patch.ts";

type Changed = Extract<AliasChange, { type: "changed" }>;

/**
 * Compares two snapshots alias by alias. Pure. Asynchronous only because code is compared by its
 * parsed outline.
 */
export async function computeDelta(
  base: Snapshot,
  next: Snapshot,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<Delta> {
  const before = new Map(Object.entries(base.entries));
  const after = new Map(Object.entries(next.entries));
  const changes: AliasChange[] = [];
  for (const alias of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    if (options.signal?.aborted === true) {
      throw new AliasesError("aborted", `The delta from ${base.id} was aborted.`, {
        cause: options.signal.reason,
      });
    }
    const change = await compare(
      alias,
      { before: before.get(alias), after: after.get(alias) },
      options,
    );
    if (change !== undefined) changes.push(change);
  }
  const known = nameOrigins(changes, before);
  return { baseId: snapshotId(base.entries), nextId: snapshotId(next.entries), changes: known };
}

/**
 * Finds the origin of each added alias: a removed one with the same path, or else with the same
 * content. A file with an origin is not reported as new.
 */
function nameOrigins(
  changes: readonly AliasChange[],
  before: ReadonlyMap<string, SnapshotEntry>,
): AliasChange[] {
  const removed = changes.filter(({ type }) => type === "removed").map(({ alias }) => alias);
  const taken = new Set<string>();
  return changes.map((change) => {
    if (change.type !== "added") return change;
    const { path, sha256 } = change.entry;
    const free = removed.filter((alias) => !taken.has(alias));
    const alias =
      free.find((one) => before.get(one)?.path === path) ??
      free.find((one) => before.get(one)?.sha256 === sha256);
    const origin = alias === undefined ? undefined : before.get(alias);
    if (alias === undefined || origin === undefined) return change;
    taken.add(alias);
    return { ...change, was: { alias, path: origin.path, isSame: origin.sha256 === sha256 } };
  });
}

async function compare(
  alias: string,
  entries: { before: SnapshotEntry | undefined; after: SnapshotEntry | undefined },
  options: { signal?: AbortSignal | undefined },
): Promise<AliasChange | undefined> {
  const { before, after } = entries;
  if (after === undefined)
    return before === undefined ? undefined : { alias, type: "removed", path: before.path };
  if (before === undefined) return { alias, type: "added", entry: { ...after } };
  const isSame =
    before.path === after.path && before.sha256 === after.sha256 && before.text === after.text;
  if (isSame) return undefined;
  const names = {
    before: `${alias}@${before.sha256.slice(0, 8)}`,
    after: `${alias}@${after.sha256.slice(0, 8)}`,
  };
  const patch =
    before.text === undefined || after.text === undefined
      ? undefined
      : await createTextPatch(before.text, after.text, names);
  const maskedPatch =
    patch === undefined ? undefined : await createMaskedPatch({ before, after }, names);
  const changed: Omit<Changed, "notes"> = {
    alias,
    type: "changed",
    path: after.path,
    sha256: after.sha256,
  };
  if (patch !== undefined) changed.patch = patch;
  if (maskedPatch !== undefined) changed.maskedPatch = maskedPatch;
  else if (after.text !== undefined) changed.text = after.text;
  const notes = await describeChange({ alias, before, after, patch, maskedPatch }, options);
  return { ...changed, notes };
}

/**
 * Masks both files as a whole, because a hunk with only the middle of a key does not look like a
 * secret.
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
