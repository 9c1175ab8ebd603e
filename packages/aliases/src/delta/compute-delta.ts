import { redactSecrets } from "@ccl/core";

import { AliasesError } from "../aliases-error.ts";
import { cleanLine } from "../card/card-lines.ts";
import { describeChange } from "./describe-change.ts";
import { findOrigins } from "./find-origins.ts";
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
  const origins = findOrigins(before, after);
  const renamed = new Set(origins.values());
  const changes: AliasChange[] = [];
  for (const alias of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    if (options.signal?.aborted === true) {
      throw new AliasesError("aborted", `The delta from ${base.id} was aborted.`, {
        cause: options.signal.reason,
      });
    }
    if (renamed.has(alias)) continue;
    const was = origins.get(alias) ?? alias;
    const entries = { was, before: before.get(was), after: after.get(alias) };
    const change = await compare(alias, entries, options);
    if (change !== undefined) changes.push(change);
  }
  return { baseId: snapshotId(base.entries), nextId: snapshotId(next.entries), changes };
}

async function compare(
  alias: string,
  entries: { was: string; before: SnapshotEntry | undefined; after: SnapshotEntry | undefined },
  options: { signal?: AbortSignal | undefined },
): Promise<AliasChange | undefined> {
  const { was, before, after } = entries;
  if (after === undefined)
    return before === undefined ? undefined : { alias, type: "removed", path: before.path };
  if (before === undefined) return { alias, type: "added", entry: { ...after } };
  const { path, sha256 } = after;
  const renamed = was === alias ? [] : [describeRename(was, before, path)];
  if (was !== alias && before.sha256 === sha256)
    return {
      alias,
      type: "changed",
      was,
      path,
      sha256,
      patch: "",
      text: after.text,
      notes: renamed,
    };
  const isSame = before.path === path && before.sha256 === sha256 && before.text === after.text;
  if (isSame) return undefined;
  const names = {
    before: `${was}@${before.sha256.slice(0, 8)}`,
    after: `${alias}@${sha256.slice(0, 8)}`,
  };
  const patch =
    before.text === undefined || after.text === undefined
      ? undefined
      : await createTextPatch(before.text, after.text, names);
  const maskedPatch =
    patch === undefined ? undefined : await createMaskedPatch({ before, after }, names);
  const changed: Omit<Changed, "notes"> = { alias, type: "changed", path, sha256 };
  if (was !== alias) changed.was = was;
  if (patch !== undefined) changed.patch = patch;
  if (maskedPatch !== undefined) changed.maskedPatch = maskedPatch;
  else if (after.text !== undefined) changed.text = after.text;
  const place = was === alias ? before : { ...before, path };
  const content = await describeChange(
    { alias, before: place, after, patch, maskedPatch },
    options,
  );
  return { ...changed, notes: [...renamed, ...content] };
}

function describeRename(was: string, before: SnapshotEntry, path: string): string {
  const [name, from, to] = [was, before.path, path].map(cleanLine);
  return from === to ? `was ${name} (${to})` : `was ${name}, moved from ${from} to ${to}`;
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
