import { throwIfAborted } from "@ccl/core/async";

import { AliasesError } from "../aliases-error.ts";
import type { AliasRegistry } from "../registry/alias-registry.ts";
import { orderedByAlias, snapshotId } from "./snapshot-id.ts";
import type { Snapshot, SnapshotEntry } from "./snapshot.ts";

/** Options of `takeSnapshot`. */
export interface TakeSnapshotOptions {
  registry: AliasRegistry;
  /**
   * Aliases whose text is kept, so that a later delta can show what changed. Binary files have no
   * text. "all" by default.
   */
  texts?: "all" | readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Captures the state of the registry's files on disk, with LF line ends. Omits aliases
 * whose file is gone.
 */
export async function takeSnapshot(options: TakeSnapshotOptions): Promise<Snapshot> {
  const { registry, texts = "all", signal } = options;
  const kept = texts === "all" ? undefined : new Set(texts);
  const found: [string, SnapshotEntry][] = [];
  for (const { alias } of registry.list()) {
    throwIfAborted(signal, AliasesError);
    const content = await registry.resolve(alias, { signal });
    if (!content.ok) continue;
    const { path, sha256, text } = content.value;
    const isKept = text !== undefined && kept?.has(alias) !== false;
    found.push([
      alias,
      isKept ? { path, sha256, text: text.replaceAll("\r\n", "\n") } : { path, sha256 },
    ]);
  }
  const entries = orderedByAlias(found);
  return { id: snapshotId(entries), entries };
}
