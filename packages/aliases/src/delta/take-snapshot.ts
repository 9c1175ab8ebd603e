import { throwIfAborted } from "@ccl/core/async";

import { AliasesError } from "../aliases-error.ts";
import type { AliasRegistry } from "../registry/alias-registry.ts";
import { orderedByAlias, snapshotId } from "./snapshot-id.ts";
import type { Snapshot, SnapshotEntry } from "./snapshot.ts";

/** Options of `takeSnapshot`. */
interface TakeSnapshotOptions {
  registry: AliasRegistry;
  /**
   * Aliases whose text is kept, so that a later delta can show what changed. Binary files have no
   * text. Defaults to "all".
   */
  texts?: "all" | readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Captures the state of the registry's files on disk, with LF line endings. Omits aliases whose
 * file no longer exists.
 */
export async function takeSnapshot(options: TakeSnapshotOptions): Promise<Snapshot> {
  const { registry, texts = "all", signal } = options;
  const withText = texts === "all" ? undefined : new Set(texts);
  const found: [string, SnapshotEntry][] = [];
  for (const { alias, path, sha256, isBinary } of await registry.stat({ signal })) {
    throwIfAborted(signal, AliasesError);
    if (sha256 === undefined) continue;
    const entry: SnapshotEntry = { path, sha256 };
    if (!isBinary && withText?.has(alias) !== false) {
      const content = await registry.resolve(alias, { signal });
      if (!content.ok) continue;
      entry.sha256 = content.value.sha256;
      entry.text = content.value.text?.replaceAll("\r\n", "\n");
    }
    found.push([alias, entry]);
  }
  const entries = orderedByAlias(found);
  return { id: snapshotId(entries), entries };
}
